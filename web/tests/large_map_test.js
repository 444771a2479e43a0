// Large attention maps, of which the page has pooled cells and statistics only.
import assert from "node:assert/strict";
import { test } from "node:test";

import { screenshot } from "./chromium.js";
import { explain } from "./fixtures.js";
import { open, text, withPage } from "./made_up.js";

const layers = 12;
const heads = 12;
const side = 64;
const size = 1024;

/** Cells with a diagonal of weight (0.5 + head / 100), as base64 of roots. */
function cellsOf(head) {
  const bytes = Buffer.alloc(side * side, 1);
  const root = Math.round(255 * Math.sqrt(0.5 + head / 100));
  for (let i = 0; i < side; ++i) bytes[i * side + i] = root;
  return bytes.toString("base64");
}

/** An explanation with the maps of 12 layers of 12 heads over 1,024 tokens. */
function large() {
  const said = explain({ model: "sentiment", text: "a b" });
  said.axes.source = {
    kind: "text",
    label: "Text",
    items: Array.from({ length: size }, (_, i) => `w${i}`),
  };
  const numbers = (from) => Array.from({ length: heads }, (_, head) => from + head / 100);
  said.maps = Array.from({ length: layers }, (_, layer) => ({
    name: `decoder.layers.${layer}.self_attention`,
    title: `Decoder ${layer} · self`,
    query: "source",
    key: "source",
    heads,
    pooled: {
      rows: side,
      columns: side,
      cells: Array.from({ length: heads }, (_, head) => cellsOf(head)),
    },
    statistics: {
      entropy: numbers(3),
      distance: numbers(20),
      largest: numbers(0.5),
      induction: numbers(layer === 5 ? 0.8 : 0.1),
      repeated: numbers(0).map(() => null),
      note: numbers(0).map(() => ""),
      unit: "items",
    },
  }));
  said.attributions = [];
  said.agreements = [];
  said.targets = said.targets.map((target) => ({
    ...target,
    map: 11,
    head: null,
    row: 3,
  }));
  said.segments[0] = {
    ...said.segments[0],
    maps: said.maps.map((_, m) => m),
    attributions: [],
    agreements: [],
  };
  return said;
}

test("all heads of a large model are small pictures, and one opens in pooled cells", async () => {
  await withPage({}, async (page) => {
    await page.route("**/explain", (route) => route.fulfill({ json: large() }));
    await open(page, { model: "sentiment", of: "a b" });
    assert.equal(await page.locator(".head-grid canvas").count(), layers * heads);
    assert.equal(await page.locator(".head.mean").count(), 0, "there is no mean");
    await page.locator(".head-row").nth(5).locator(".head").nth(7).click();
    assert.match(await text(page, ".figures-of-head"), /^entropy 3\.07 bits/);
    await page.hover(".line[data-axis=source] .word >> nth=17");
    const weight = await page.$eval(".line[data-axis=source] .word >> nth=16", (word) =>
      Number(word.style.getPropertyValue("--w").replace("%", "")),
    );
    assert.ok(Math.abs(weight - 57) < 1, `cell 1 has weight 0.57, not ${weight}`);
    await screenshot(page, "large-map");
  });
});

test("a chosen cell of a large map shows the weights that it stands for", async () => {
  const said = large();
  for (const [m, map] of said.maps.entries()) map.tile = `explain/tile?id=a&map=${m}`;
  await withPage({}, async (page) => {
    const asked = [];
    await page.route("**/explain", (route) => route.fulfill({ json: said }));
    await page.route("**/explain/tile?*", (route) => {
      const query = new URL(route.request().url()).searchParams;
      asked.push(Object.fromEntries(query));
      const [rows, columns] = ["rows", "columns"].map((name) =>
        query.get(name).split(":").map(Number),
      );
      const numbers = ([begin, end]) => Array.from({ length: end - begin });
      const weights = numbers(rows).map(() => numbers(columns).map(() => 0.25));
      return route.fulfill({ json: { weights } });
    });
    await open(page, { model: "sentiment", of: "a b", head: "5.7" });
    await page.locator(".view .figure").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".tile svg");
    const [tile] = asked;
    assert.deepEqual([tile.id, tile.map, tile.head], ["a", "5", "7"]);
    for (const name of ["rows", "columns"]) {
      const [begin, end] = tile[name].split(":").map(Number);
      assert.ok(begin >= 0 && end <= size && end - begin === 48, tile[name]);
    }
    assert.match(await page.textContent(".tile svg"), /Rows \d+–\d+, columns/);
    await screenshot(page, "large-map-tile");
  });
});

test("statistics of heads are a table that can be sorted", async () => {
  await withPage({}, async (page) => {
    await page.route("**/explain", (route) => route.fulfill({ json: large() }));
    await open(page, { model: "sentiment", of: "a b" });
    await page.click("#tab-heads");
    const titles = await page.$$eval(".table thead th", (all) =>
      all.map((one) => one.textContent),
    );
    assert.ok(titles.includes("Largest weight"));
    assert.ok(!titles.includes("On equal earlier ones"), "unknown for all heads");
    await page.click(".table [data-sort=induction]");
    const [first] = await page.$$eval(".table tbody th", (all) =>
      all.map((one) => one.textContent),
    );
    assert.equal(first, "Decoder 5 · self, head 11");
  });
});
