// A graph and what one of its nodes attends to, on an explanation that is made up.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import { assertClose, place, screenshot } from "./chromium.js";
import { writeFilePage } from "./fixture_server.js";
import { made } from "./made_up.js";

/** Node 7 of ten, its neighbours 2 and 9, and 4 behind 9; two heads. */
const edges = [
  [0, 0, 0.5, 0.1],
  [0, 1, 0.3, 0.7],
  [0, 2, 0.2, 0.2],
  [1, 0, 0.4, 0.5],
  [1, 1, 0.6, 0.5],
  [2, 0, 0.2, 0.3],
  [2, 2, 0.3, 0.3],
  [2, 3, 0.5, 0.4],
  [3, 2, 0.5, 0.5],
  [3, 3, 0.5, 0.5],
];
const explanation = {
  ...{ version: 3, task: "nodes", model: "gat", text: "7", answer: "blue" },
  axes: {
    source: {
      ...{ kind: "graph", label: "Nodes", items: ["7", "2", "9", "4"] },
      payload: {
        classes: ["red", "blue"],
        drawn: [7, 2, 9, 4],
        labels: [1, 0, -1, 1],
        hops: [0, 1, 1, 2],
        left_out: 0,
        predicted: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
        places: Array.from({ length: 10 }, (_, i) => [
          (i % 4) / 3,
          Math.floor(i / 4) / 2,
        ]),
        edges: [
          [2, 7, 1],
          [7, 9, 0.4],
          [4, 9, 0.1],
          [0, 5, 0],
        ],
      },
    },
    answer: { kind: "text", label: "Class", items: ["blue"] },
  },
  maps: [
    {
      ...{ name: "layers.0.attention", title: "0 · attention" },
      ...{ query: "source", key: "source", heads: 2 },
      edges: edges.map(([t, s]) => [t, s]),
      weights: [edges.map((edge) => edge[2]), edges.map((edge) => edge[3])],
      mean: [0, 1, 2, 3].map((t) =>
        [0, 1, 2, 3].map((s) => {
          const edge = edges.find((one) => one[0] === t && one[1] === s);
          return edge ? (edge[2] + edge[3]) / 2 : 0;
        }),
      ),
      info: { score: "graph", normalizer: "softmax" },
      statistics: { entropy: [1, 1], distance: [1, 1], unit: "items" },
    },
  ],
  targets: [{ axis: "answer", item: 0, probability: 0.9, map: 0, head: null, row: 0 }],
  ...{ attributions: [], agreements: [], panels: [] },
  segments: [
    {
      ...{ text: "7", answer: "blue", axes: ["source", "answer"], maps: [0] },
      ...{ targets: [0], attributions: [], agreements: [], panels: [] },
    },
  ],
};

test("classes differ in their marks, also where there are more than shapes", async () => {
  for (const count of [7, 12]) {
    const many = structuredClone(explanation);
    const payload = many.axes.source.payload;
    payload.classes = Array.from({ length: count }, (_, i) => `class ${i}`);
    const path = join(place, `graph-${count}.html`);
    writeFilePage(made.dist, [many], path);
    const url = pathToFileURL(path).href;
    await browsing.withPage(made.browser, url, {}, async (page) => {
      await page.goto(url);
      await page.waitForSelector(".graph svg");
      const marks = await page.$$eval(".graph path.node", (all) =>
        all.map((one) => `${one.getAttribute("d")} ${one.getAttribute("fill")}`),
      );
      const named = marks.slice(-count);
      assert.equal(new Set(named).size, count);
      await screenshot(page, `graph-${count}`);
    });
  }
});

test("a graph has its nodes in a plane", async () => {
  const path = join(place, "graph.html");
  writeFilePage(made.dist, [explanation], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector(".graph svg");
    assert.match(
      await page.textContent(".graph-row .label"),
      /^Nodes near 7 \(label blue\): 4 of 10$/,
    );
    // Ten nodes and two marks of classes; edges of three widths.
    assert.equal(await page.locator(".graph path.node").count(), 12);
    assert.equal(await page.locator(".graph path.edges").count(), 3);

    // What the first node attends to, in the mean of heads.
    const weights = () =>
      page.$$eval(".graph circle.near", (all) =>
        all.map((one) => Number(one.dataset.weight ?? "0")),
      );
    const halo = await page.locator(".graph circle.near").first().boundingBox();
    await page.mouse.move(halo.x + halo.width / 2, halo.y + halo.height / 2);
    assertClose(await weights(), [0.3, 0.5, 0.2, 0]);
    await page.mouse.move(0, 0);
    await page.focus(".graph");
    await page.keyboard.press("ArrowRight");
    assertClose(await weights(), [0.45, 0.55, 0, 0]);
    await screenshot(page, "graph");
  });
});

test("a row of a part of a graph names the weight outside of it", async () => {
  const part = structuredClone(explanation);
  part.maps[0].outside = [
    [0, 0, 0, 0.2],
    [0, 0, 0, 0.4],
  ];
  const path = join(place, "graph-part.html");
  writeFilePage(made.dist, [part], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.click('[role=tab]:has-text("Heatmap")');
    await page.waitForSelector("#stages .figure svg");
    const names = await page.textContent("#stages .figure svg");
    assert.match(names, /4 \(outside 0\.30\)/);
    assert.equal(names.split("outside").length, 2, "other rows are complete");
  });
});
