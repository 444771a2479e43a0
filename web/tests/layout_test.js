// Colours, sizes and media, on explanations that are made up. Figures are of Chromium on the
// machine of the test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { screenshot, worstContrast } from "./chromium.js";
import { explain, table } from "./fixtures.js";
import { lines, made, open, text, withPage } from "./made_up.js";

test("frames stand around phrases that moved, as the explanation says, and nothing else", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: "Heute schläft der Hund." });
    const frames = () => page.locator(".view svg rect.moved").count();
    assert.equal(await frames(), 1);
    await page.keyboard.press("]");
    assert.equal(await frames(), 0, "those of the mean are not those of a head");
    await page.keyboard.press("[");
    await page.keyboard.press("w");
    assert.equal(await frames(), 1, "of whole words");
    await page.click("#moved");
    assert.equal(await frames(), 0);
  });
});

test("the colour scale is absolute, by row or by picture, and the legend says which", async () => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");
  const said = explain({ model: "sentiment", text: words });
  const weights = said.maps[0].weights[0][0];
  const most = Math.max(...weights);
  await withPage({}, async (page) => {
    await open(page, { model: "sentiment", of: words });
    const legend = () =>
      page.$$eval(".view svg text", (all) =>
        all
          .map((one) => one.textContent)
          .find((one) => one.startsWith("attention weight")),
      );
    const strongest = () =>
      page.$$eval(".view svg path[fill-opacity]", (all) =>
        Math.max(0, ...all.map((one) => Number(one.getAttribute("fill-opacity")))),
      );
    assert.match(
      await legend(),
      /up to this picture's 0\.02/,
      "automatic, as no weight is large",
    );
    assert.equal(await strongest(), 1);
    await page.hover(".line[data-axis=answer] .word");
    const shade = await page.$eval(".line[data-axis=source] .word >> nth=0", (word) =>
      Number(word.style.getPropertyValue("--w").replace("%", "")),
    );
    assert.ok(Math.abs(shade - (100 * weights[0]) / most) < 0.1);
    await screenshot(page, "pooling");
    await page.selectOption("#scale", "absolute");
    assert.match(await legend(), /0 to 1/);
    assert.ok((await strongest()) <= 0.03);
    await page.selectOption("#scale", "row");
    assert.match(await legend(), /of the row's largest/);
  });
});

test("218 by 218 with numbers are pixels, and names stay in sight", async (t) => {
  const words = Array.from({ length: 218 }, (_, i) => `word${i}`).join(" ");
  await withPage({}, async (page) => {
    await open(page, { model: "large", of: words });
    const press = () =>
      page.evaluate(async () => {
        const begin = performance.now();
        document.body.dispatchEvent(
          new KeyboardEvent("keydown", { key: "n", bubbles: true }),
        );
        const drawn = performance.now() - begin;
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return [drawn, performance.now() - begin];
      });
    const times = [];
    for (let i = 0; i < 9; ++i) times.push(await press());
    const median = (k) =>
      times.map((one) => one[k]).sort((a, b) => a - b)[times.length >> 1];
    t.diagnostic(
      `218 x 218: drawn in ${median(0).toFixed(1)} ms, on the screen after ` +
        `${median(1).toFixed(1)} ms (medians of 9, every other with numbers)`,
    );
    assert.equal(await page.locator(".view svg image").count(), 1, "cells are pixels");
    const numbers = () =>
      page.$$eval(
        ".view svg text",
        (all) => all.filter((one) => /^\d\.\d\d$/.test(one.textContent)).length,
      );
    await page.waitForFunction(
      () => document.querySelectorAll(".view svg text").length > 500,
    );
    assert.ok((await numbers()) > 100, "numbers where one looks");
    const before = await page.locator(".view .figure").boundingBox();
    await page.evaluate(() =>
      document.querySelector(".view .figure").scrollTo(3000, 3000),
    );
    await page.waitForTimeout(50);
    assert.ok((await numbers()) > 100);
    const seen = await page.$$eval(".view svg [data-stuck]", (groups) =>
      groups.slice(0, 2).map((group) =>
        [...group.querySelectorAll("text:not([visibility])")].map((one) => {
          const box = one.getBoundingClientRect();
          return [one.textContent, box.left, box.top];
        }),
      ),
    );
    const inside = ([, left, top]) =>
      left >= before.x &&
      left < before.x + before.width &&
      top >= before.y - 2 &&
      top < before.y + before.height;
    assert.ok(seen[0].filter(inside).length > 5, "row names");
    assert.ok(seen[1].filter(inside).length > 5, "column names");
    await screenshot(page, "large");
    await page.keyboard.press("n");
    await page.waitForTimeout(50);
    await screenshot(page, "large-fit");
  });
});

test("the legend of a tall heatmap stays in sight, and below the cells of a saved one", async () => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");
  await withPage({}, async (page) => {
    await open(page, { model: "large", of: words });
    for (const [x, y] of [
      [0, 0],
      [40, 200],
      [0, 5000],
    ]) {
      await page.$eval(".view .figure", (one, at) => one.scrollTo(...at), [x, y]);
      await page.waitForTimeout(50);
      const [legend, box] = await page.evaluate(() => {
        const edges = (one) => one.getBoundingClientRect().toJSON();
        const named = [...document.querySelectorAll(".view svg text")].find((one) =>
          one.textContent.startsWith("attention weight"),
        );
        return [named, document.querySelector(".view .figure")].map(edges);
      });
      assert.ok(legend.top > box.top && legend.bottom <= box.bottom, `at ${y}`);
      assert.ok(legend.left >= box.left && legend.right <= box.right, `at ${x}`);
    }
    await page.$eval(".view .figure", (one) => one.scrollTo(0, 100));
    await page.waitForTimeout(50);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("#save-svg"),
    ]);
    const saved = readFileSync(await download.path(), "utf8");
    assert.match(saved, /attention weight, 0 to 1/);
    assert.ok(!saved.includes("data-stuck"), "nothing is scrolled");
  });
});

test("every text has a contrast of 4.5 at least", async () => {
  const views = ["heatmap", "lines", "frames", "computation", "heads", "saliency"];
  for (const dark of [false, true]) {
    await withPage({ dark, height: 2400 }, async (page) => {
      const check = async (where) => {
        const { contrast, text: at } = await worstContrast(page);
        assert.ok(contrast >= 4.5, `${where}: ${contrast.toFixed(2)} at '${at}'`);
      };
      await page.goto(made.server.url);
      await page.waitForSelector("#model:not([disabled])");
      await check("the empty page");
      for (const view of views) {
        await open(page, { model: "de-en", of: lines, view });
        if (view === "saliency") await page.waitForSelector(".attribution");
        if (view === "computation") await page.waitForSelector(".panels");
        await page.keyboard.press("n");
        const chips = page.locator(".line[data-axis=target] .word");
        for (const i of [0, 2, 3]) {
          await chips.nth(i).hover();
          await page.waitForTimeout(150); // colours change gently
          await check(`${view}, ${dark ? "dark" : "light"}`);
        }
      }
      await page.click(".overview >> text=Entropy");
      await page.waitForTimeout(150);
      await check("entropies");
      await open(page, { model: "load", of: table });
      await check("a series");
    });
  }
});

test("distances in tokens and shares of the length are never on one scale", async () => {
  const said = explain({ model: "de-en", text: "Ein Mann liest." });
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: "Ein Mann liest.", view: "heads" });
    const titles = await page.$$eval(".table thead th", (all) =>
      all.map((one) => one.textContent),
    );
    assert.deepEqual(titles.slice(2), [
      "Distance, tokens",
      "Distance, share of the length",
    ]);
    const filled = await page.$$eval(".table tbody tr", (all) =>
      all.map(
        (row) =>
          [...row.querySelectorAll("td")].slice(1).filter((one) => one.textContent)
            .length,
      ),
    );
    assert.ok(filled.every((count) => count === 1));
    const heads = (unit) =>
      said.maps
        .filter(({ statistics }) => statistics.unit === unit)
        .reduce((sum, map) => sum + map.heads, 0);
    const dots = await page.$$eval(".plots svg", (all) =>
      all.map((one) => one.querySelectorAll("circle > title").length),
    );
    assert.deepEqual(dots, [heads("items"), heads("share")]);
    const shown = await text(page, ".figures-of-head");
    const { entropy, distance } = said.maps[2].statistics.mean;
    assert.ok(
      shown.includes(`entropy ${entropy.toFixed(2)} bits`),
      "of the mean that is shown",
    );
    assert.ok(shown.includes(`distance ${distance.toFixed(2)} of the length`));
  });
});

test("the picker names the layer on show when the overview shows something else", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: "Ein Mann liest." });
    const layer = () =>
      page.$eval(".picker select", (one) => one.selectedOptions[0].textContent);
    const before = await layer();
    await page.click(".overview >> text=Entropy");
    assert.equal(await layer(), before);
  });
});

test("a single row has no distance, and nothing in it moved", async () => {
  const said = explain({ model: "sentiment", text: "A warm film" });
  said.maps[0].moved = [];
  await withPage({}, async (page) => {
    await page.route("**/explain", (route) => route.fulfill({ json: said }));
    await open(page, { model: "sentiment", of: "A warm film" });
    assert.match(
      await text(page, ".figures-of-head"),
      /^entropy [\d.]+ bits, nearly uniform: 1\/3$/,
    );
    assert.equal(await page.isVisible("#moved"), false);
    await page.click("#tab-heads");
    assert.deepEqual(
      await page.$$eval(".table thead th", (all) => all.map((one) => one.textContent)),
      ["Head", "Entropy, bits"],
    );
    assert.equal(await page.locator(".plots svg").count(), 0);
  });
});

test("a phone reaches every tab, and the heads begin at the first or at what a link names", async () => {
  await withPage({ width: 360, height: 740 }, async (page) => {
    await open(page, { model: "de-en", of: lines });
    const tabs = await page.$$eval("[role=tab]", (all) =>
      all
        .map((one) => [one.getBoundingClientRect(), one.scrollWidth - one.clientWidth])
        .map(([{ left, right }, hidden]) => [left, right, hidden]),
    );
    assert.equal(tabs.length, 7);
    tabs.forEach(([left, right, hidden]) =>
      assert.ok(left >= 0 && right <= 360 && hidden === 0),
    );
    const excess = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok((await excess()) <= 0);
    await screenshot(page, "phone-parts");
    await open(page, { model: "load", of: table });
    assert.ok((await excess()) <= 0);
    await screenshot(page, "phone-forecast");
  });
  const many = explain({ model: "de-en", text: "Ein Mann liest." });
  for (let i = 0; i < 24; ++i) {
    many.segments[0].maps.push(many.maps.length);
    many.maps.push({ ...many.maps[0], name: `encoder.layers.${i + 1}.self_attention` });
  }
  for (const target of many.targets) target.map = many.maps.length - 1;
  await withPage({ height: 700 }, async (page) => {
    await page.route("**/explain", (route) => route.fulfill({ json: many }));
    for (const [head, atTop] of [
      ["", true],
      ["0.mean", true],
      ["26.1", false],
    ]) {
      await open(page, { model: "de-en", of: "Ein Mann liest.", head });
      const [row, grid, scroll] = await page.evaluate(() => {
        const box = (one) => one.getBoundingClientRect();
        const heads = document.querySelector(".head-grid");
        const chosen = document.querySelector(".head[aria-selected=true]");
        return [box(chosen), box(heads), heads.scrollTop].map((one) =>
          one.top === undefined ? one : [one.top, one.bottom],
        );
      });
      assert.ok(
        !head || (row[0] >= grid[0] - 1 && row[1] <= grid[1] + 1),
        "the chosen head is in sight",
      );
      assert.equal(scroll === 0, atTop);
    }
  });
});

test("on paper there are the words and the picture, dark on light, and no controls", async () => {
  await withPage({ dark: true }, async (page) => {
    await open(page, { model: "de-en", of: lines });
    await page.emulateMedia({ media: "print" });
    await page.waitForTimeout(100);
    for (const gone of ["#ask", "#toolbar", ".overview"]) {
      assert.equal(await page.locator(gone).first().isVisible(), false, gone);
    }
    assert.ok(await page.locator(".view svg").isVisible());
    assert.ok(await page.locator(".line[data-axis=source]").isVisible());
    const paper = await page.$eval(
      ".view svg [data-stuck] text",
      (one) => getComputedStyle(one).fill,
    );
    assert.equal(paper, "rgb(36, 41, 47)", "pictures are drawn anew for paper");
    const { contrast, text: at } = await worstContrast(page);
    assert.ok(contrast >= 4.5, `${contrast} at '${at}'`);
    await screenshot(page, "print");
  });
});
