// A picture that was drawn in C++: shown as it is, and pointed at by its marks.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import { assertClose, place, screenshot } from "./chromium.js";
import { writeFilePage } from "./fixture_server.js";
import { explain } from "./fixtures.js";
import { made } from "./made_up.js";

const review = "it was a long night\nthe plot is witty\npeople talk";

/** The words of a document, each a mark. */
function drawn(explanation) {
  const words = explanation.axes.source.items.map(
    (word, i) =>
      `<g data-axis="source" data-item="${i}" transform="translate(${60 * i} 0)">` +
      `<rect class="cell" width="56" height="20" fill-opacity="0.2"/>` +
      `<text class="title" x="4" y="15">${word}</text></g>`,
  );
  const size = `width="${60 * words.length}" height="24"`;
  const style = ".heed .cell{fill:#0b4a94}.heed .title{fill:#101418}";
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="heed" ${size}>` +
    `<style>${style}</style>${words.join("")}</svg>`
  );
}

function documentWith(views) {
  const said = structuredClone(explain({ model: "critic", text: review }));
  said.segments[0].views = views;
  said.pictures = views.map((view) => ({ view, segment: 0, svg: drawn(said) }));
  return said;
}

async function show(name, views, work) {
  const path = join(place, `${name}.html`);
  writeFilePage(made.dist, [documentWith(views)], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector(".document-sentence");
    await work(page);
  });
}

const chosen = (page) =>
  page.$$eval(".picture .mark.chosen", (all) => all.map((one) => one.textContent));

test("a picture of a segment leads, and its marks are linked with the axes", async () => {
  await show("picture", ["document"], async (page) => {
    await page.waitForSelector(".picture svg"); // shown first
    assert.equal(await page.locator(".picture .mark").count(), 11);
    assert.equal(await page.locator(".picture rect.cell").count(), 0, "no class is left");
    assert.equal(
      await page.getAttribute(".picture rect", "fill"),
      "rgb(11, 74, 148)",
      "colours stand in attributes",
    );
    // From the picture to the words above it, and back.
    await page.hover(".picture .mark >> nth=8");
    assert.deepEqual(await chosen(page), ["witty"]);
    await page.mouse.move(0, 0);
    assert.deepEqual(await chosen(page), []);
    await page.hover('.line[data-axis="source"] button >> nth=2');
    assert.deepEqual(await chosen(page), ["a"]);
    // With the keyboard alone.
    await page.mouse.move(0, 0);
    await page.focus(".picture svg");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await chosen(page), ["was"]);
    await screenshot(page, "picture");
  });
});

test("a view that a segment has no picture of has no tab", async () => {
  await show("no-picture", [], async (page) => {
    const tabs = await page.$$eval("[role=tab]", (all) =>
      all.map((one) => one.textContent),
    );
    assert.ok(!tabs.includes("Document"), tabs.join());
  });
});

test("weights of the head that is chosen are drawn into a picture, also in a file", async () => {
  const said = explain({ model: "de-en", text: "Ein Mann liest." });
  const at = said.maps.findIndex(({ heads, query, key }) => heads > 1 && query !== key);
  const map = said.maps[at];
  const mark = (axis, x) => (word, i) =>
    `<text data-axis="${axis}" data-item="${i}" x="${x}" y="${24 * i + 16}">` +
    `${word.replaceAll("<", "&lt;")}</text>`;
  const words = [
    ...said.axes[map.query].items.map(mark(map.query, 0)),
    ...said.axes[map.key].items.map(mark(map.key, 260)),
  ];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="340" height="240">${words.join("")}` +
    `<g fill="none" stroke="#0b4a94" data-links="100 250 24"></g></svg>`;
  said.segments[0].views = ["lines"];
  said.pictures = [{ view: "lines", segment: 0, map: map.name, words: false, svg }];
  const path = join(place, "lines.html");
  writeFilePage(made.dist, [said], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.click("#tab-lines");
    await page.selectOption("select[aria-label=Layer]", String(at));
    const widths = () =>
      page.$$eval("[data-links] path", (all) =>
        all.map((one) => Number(one.getAttribute("stroke-width"))),
      );
    for (const head of [1, 0]) {
      await page.selectOption("select[aria-label=Head]", String(head));
      await page.waitForSelector("[data-links] path", { state: "attached" });
      const wanted = map.weights[head].flat().filter((weight) => weight >= 0.03);
      const rounded = wanted.map((weight) => Math.round(60 + 700 * weight) / 100);
      assertClose(await widths(), rounded);
    }
    // Only the lines of what is pointed at stay.
    await page.hover(".picture .mark >> nth=1");
    const seen = await page.$$eval("[data-links] path", (all) =>
      all.map((one) => Number(one.getAttribute("stroke-opacity"))),
    );
    const ofRow = map.weights[0][1].filter((weight) => weight >= 0.03).length;
    assert.equal(seen.filter((opacity) => opacity > 0.03).length, ofRow);
    await screenshot(page, "lines-file");
  });
});
