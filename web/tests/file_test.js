// Inputs that are files, of a kind of which the page has no row: on an explanation that is
// made up.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";

import { launch, place, screenshot, withPage } from "./chromium.js";
import { buildPage, serveFixtures } from "./fixture_server.js";

const model = {
  name: "dials",
  task: "dials",
  input: {
    kind: "dials",
    prompt: "Open a photo of a dial",
    media_types: ["image/png", "application/x-dial"],
  },
  examples: [{ text: "north" }],
};
const rows = [[[0.25, 0.75]]];
const part = {
  ...{ maps: [0], targets: [0], attributions: [], agreements: [], panels: [] },
  ...{ text: "three.dial", answer: "third", axes: ["source", "answer"] },
};
const said = {
  ...{ version: 3, task: "dials", model: "dials", text: "three.dial", answer: "third" },
  axes: {
    source: { kind: "dials", label: "Dials", items: ["left dial", "right dial"] },
    answer: { kind: "text", label: "Answer", items: ["third"] },
  },
  maps: [
    {
      ...{ name: "pooling", title: "Pooling", query: "answer", key: "source" },
      ...{ heads: 1, weights: rows },
    },
  ],
  targets: [{ axis: "answer", item: 0, probability: 0.9, map: 0, head: null, row: 0 }],
  ...{ attributions: [], agreements: [], panels: [], segments: [part] },
};
const bytes = Buffer.from([0, 0xff, 0x0a, 0x0d, 0x89]);
let server;
let browser;

before(async () => {
  mkdirSync(place, { recursive: true });
  server = await serveFixtures(buildPage(place));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** A page whose server has this model alone; `asked` gets what it is asked. */
const withModel = (row, work) =>
  withPage(browser, server.url, {}, async (page) => {
    const asked = [];
    const answers = { predict: { answer: "third" }, explain: said };
    for (const [path, json] of Object.entries(answers)) {
      await page.route(`**/${path}`, (route) => {
        asked.push([path, route.request().postDataJSON()]);
        return route.fulfill({ json });
      });
    }
    await page.route("**/models", (route) => route.fulfill({ json: { models: [row] } }));
    await page.goto(server.url);
    await page.waitForSelector("#model:not([disabled])");
    await work(page, asked);
  });

test("of bytes that are no text a file is opened, sent and named", async () => {
  await withModel(model, async (page, asked) => {
    assert.equal(await page.locator("#field textarea").count(), 0);
    assert.equal(
      await page.getAttribute("#text", "accept"),
      "image/png,application/x-dial,.png,.dial",
    );
    assert.match(await page.textContent("#field"), /Open a photo of a dial/);
    assert.equal(await page.locator("#examples").isVisible(), false);
    await page.setInputFiles("#text", {
      ...{ name: "three.dial", mimeType: "application/octet-stream", buffer: bytes },
    });
    await page.waitForSelector(".answer[aria-busy=false]");
    const file = {
      ...{ name: "three.dial", media_type: "application/x-dial" },
      base64: bytes.toString("base64"),
    };
    assert.deepEqual(
      asked.map(([path, body]) => [path, body.file, body.text]),
      [
        ["predict", file, undefined],
        ["explain", file, undefined],
      ],
    );
    const names = await page.$$eval(".line[data-axis=source] bdi", (all) =>
      all.map((one) => one.textContent),
    );
    assert.deepEqual(names, said.axes.source.items);
    await screenshot(page, "file-field");
  });
});

test("a link names the file, which is opened again", async () => {
  await withModel(model, async (page, asked) => {
    await page.setInputFiles("#text", {
      ...{ name: "three.dial", mimeType: "", buffer: bytes },
    });
    await page.waitForSelector(".answer[aria-busy=false]");
    const link = page.url();
    await page.goto("about:blank");
    asked.length = 0;
    await page.goto(link);
    await page.waitForSelector("#field :text('Open three.dial again')");
    await page.click("#run");
    assert.deepEqual(asked, []);
  });
});

test("bytes of a text are typed", async () => {
  const input = { ...model.input, media_types: ["text/csv"] };
  await withModel({ ...model, input }, async (page) => {
    assert.equal(await page.locator("#field textarea").count(), 1);
    assert.ok(await page.locator("#examples").isVisible());
  });
});
