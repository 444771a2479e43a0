// An image and its cells on an explanation that is made up, and the field of images.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import { assertClose, place, screenshot } from "./chromium.js";
import { writeFilePage } from "./fixture_server.js";
import { made, text } from "./made_up.js";

/** Four grey pixels, 2 × 2, in cells of one. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNgCGBY8B8AA4UB8MTd5F4AAAAASUVORK5CYII=";
const explanation = {
  ...{ version: 3, task: "images", model: "patches", text: "a.png", answer: "cat" },
  axes: {
    source: {
      ...{ kind: "image", label: "Image" },
      items: ["row 1, column 1", "row 1, column 2", "row 2, column 1", "row 2, column 2"],
      payload: {
        width: 2,
        height: 2,
        cell: 1,
        png,
        grey: [
          [0, 80],
          [160, 255],
        ],
      },
    },
    answer: { kind: "text", label: "Class", items: ["cat"] },
  },
  maps: [
    {
      ...{ name: "pooling", title: "Pooling", query: "answer", key: "source", heads: 1 },
      weights: [[[0.1, 0.2, 0.6, 0.1]]],
      mean: [[0.1, 0.2, 0.6, 0.1]],
      info: { score: "learned_query", normalizer: "softmax" },
      statistics: { entropy: [1.57], distance: [0.4], unit: "share" },
    },
  ],
  segments: [
    {
      ...{ text: "a.png", answer: "cat", axes: ["source", "answer"], maps: [0] },
      targets: [0],
      attributions: [],
      agreements: [],
      panels: [],
    },
  ],
  targets: [{ axis: "answer", item: 0, probability: 0.9, map: 0, head: null, row: 0 }],
  attributions: [],
  agreements: [],
  panels: [],
};

test("cells of an image are as vivid as the attention of what is pointed at", async () => {
  const path = join(place, "image.html");
  writeFilePage(made.dist, [explanation], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector(".image-cell");
    assert.equal(await page.locator(".image-frame img").count(), 1);
    await page
      .locator(".words-row", { hasText: "Class" })
      .locator("button")
      .first()
      .hover();
    const weights = await page.$$eval(".image-cell", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(weights, [0.1, 0.2, 0.6, 0.1]);
    await page.locator(".image-cell").nth(2).focus();
    await page.keyboard.press("ArrowUp");
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
      "row 1, column 1",
    );
    await screenshot(page, "image");
  });
});

test("attributions of an image are a picture whose cells can be pointed at", async () => {
  const found = structuredClone(explanation);
  found.attributions = [
    { method: "occlusion", axis: "source", targets: [0], scores: [[-1, 0, 2, 0]] },
  ];
  found.segments[0].attributions = [0];
  found.segments[0].views = ["saliency"];
  // heed/render draws the image and a tinted cell for each score.
  const cell = (i, x, y) =>
    `<rect x="${x}" y="${y}" width="50" height="50" fill="#3f9bff" ` +
    `data-axis="source" data-item="${i}"><title>cell ${i}</title></rect>`;
  const image = `<image width="100" height="100" href="data:image/png;base64,${png}"/>`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">${image}` +
    `${cell(0, 0, 0)}${cell(2, 0, 50)}</svg>`;
  found.pictures = [{ view: "saliency", segment: 0, svg }];
  const path = join(place, "attributed.html");
  writeFilePage(made.dist, [found], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.getByRole("tab", { name: "Saliency" }).click();
    await page.waitForSelector(".picture image");
    await page.locator(".picture .mark").nth(1).hover();
    assert.equal(await page.locator(".picture .mark.chosen").count(), 1);
    assert.match(await text(page, ".view-card > .readout"), /row 2, column 1/);
    await screenshot(page, "attributed");
  });
});

test("an overlay shows the image for each word, and pointing at one lights its cells", async () => {
  const caption = structuredClone(explanation);
  const rows = [
    [0.7, 0.1, 0.1, 0.1],
    [0, 0.1, 0.1, 0.8],
  ];
  caption.axes.target = { kind: "text", label: "Caption", items: ["grey", "square"] };
  Object.assign(caption.maps[0], { query: "target", weights: [rows], mean: rows });
  caption.segments[0].axes = ["source", "target"];
  caption.segments[0].targets = [0, 1];
  caption.targets = [0, 1].map((item) => ({
    ...{ axis: "target", item, probability: 0.9, map: 0, head: null, row: item },
  }));
  const path = join(place, "overlay.html");
  writeFilePage(made.dist, [caption], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector(".overlay");
    assert.deepEqual(
      await page.$$eval(".overlay", (all) => all.map((one) => one.textContent)),
      ["grey", "square"],
    );
    // The largest weight has the whole light of its mask.
    const light = await page.$$eval(".overlay mask", (all) =>
      all.map((one) =>
        Math.max(
          ...[...one.querySelectorAll("rect")].map((rect) =>
            Number(rect.getAttribute("fill-opacity")),
          ),
        ),
      ),
    );
    assert.deepEqual(light, [1, 1]);
    await page.locator(".overlay").nth(1).hover();
    const weights = await page.$$eval(".image-cell", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(weights, [0, 0.1, 0.1, 0.8]);
    assert.equal(await page.locator(".overlay").nth(0).getAttribute("opacity"), "0.45");
    await screenshot(page, "overlay");
  });
});
