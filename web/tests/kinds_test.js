// Kinds of inputs, links and files, on explanations that are made up.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import { assertClose, place, screenshot, shownWeights } from "./chromium.js";
import { explain, models, table } from "./fixtures.js";
import { writeFilePage } from "./fixture_server.js";
import { lines, made, open, text, withPage } from "./made_up.js";

test("a forecast is drawn as a series, with its attention under the time axis", async () => {
  const said = explain({ model: "load", text: table });
  await withPage({}, async (page) => {
    await page.goto(made.server.url);
    await page.selectOption("#model", "load");
    await page.setInputFiles("input[type=file]", {
      name: "load.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(table),
    });
    await page.waitForSelector(".series svg");
    assert.equal(await page.locator(".series path.values").count(), 1);
    assert.equal(await page.locator(".series path.predicted").count(), 1);
    const box = await page.locator(".series svg").boundingBox();
    await page.mouse.move(box.x + box.width - 40, box.y + 60);
    const drawn = await page.$$eval(".series rect.weight[data-weight]", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(drawn, said.maps[0].weights[0][0]);
    assert.match(await text(page, ".series-row .note"), /^Forecast: .*\+1/);
    await screenshot(page, "forecast");
    await page.mouse.move(0, 0);
    await page.focus(".series");
    await page.keyboard.press("ArrowRight");
    assert.ok(
      (await page.locator(".series circle").count()) > 0,
      "keys reach it as well",
    );
    const link = page.url();
    assert.ok(link.length < 2100, `a link of ${link.length} characters`);
  });
});

test("of a series neither words nor tokens are spoken", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "load", of: table, head: "1.0" });
    assert.match(await text(page, ".figures-of-head"), /distance [\d.]+ patches$/);
    for (const tab of await page.locator("[role=tab]").all()) {
      await tab.click();
      await page.waitForTimeout(100);
      assert.doesNotMatch(await text(page, "#stages"), /\b(words?|tokens?)\b/);
    }
  });
});

test("the names of columns are not cut at the edge of a card", async () => {
  const words = Array.from({ length: 10 }, (_, i) => `internationally-${i}`).join(" ");
  await withPage({}, async (page) => {
    await open(page, { model: "large", of: words, other: "large" });
    const excess = await page.$$eval(".view .figure", (all) =>
      all.map((one) => one.scrollWidth - one.clientWidth),
    );
    assert.deepEqual(excess, [0, 0]);
    const lefts = await page.$$eval(".comparison > h2, .comparison > .note", (all) =>
      all.map((one) => [one.getBoundingClientRect().left, getComputedStyle(one).padding]),
    );
    assert.deepEqual(lefts[0], lefts[1], "words begin where the title does");
  });
});

test("Back goes to the text before, and links stay short", async () => {
  // The server refuses to explain the made-up texts below.
  await withPage({ expectErrors: true }, async (page) => {
    await page.goto(made.server.url);
    await page.waitForSelector("#model:not([disabled])");
    for (const of of ["Ein Mann liest.", "Heute schläft der Hund."]) {
      await page.fill("#text", of);
      await page.click("#run");
      await page.waitForSelector(".answer[aria-busy=false] [data-axis=target]");
      await page.keyboard.press("Escape");
    }
    await page.goBack();
    await page.waitForFunction(
      () => document.querySelector("#text")?.value === "Ein Mann liest.",
    );
    await page.waitForSelector(".answer[aria-busy=false] [data-axis=target]");
    assert.equal(await page.locator(".line[data-axis=source] .word").count(), 6);
    await page.goBack();
    await page.waitForSelector("#welcome:not([hidden])");
    await page.goForward();
    await page.waitForSelector(".answer[aria-busy=false] [data-axis=target]");

    const repeated = "Ein Mann liest und liest. ".repeat(35);
    await page.fill("#text", repeated);
    await page.click("#run");
    await page.waitForFunction(() => location.hash.includes("text.z="));
    assert.ok(page.url().length < 600);
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#text")?.value);
    assert.equal(await page.inputValue("#text"), repeated);

    let seed = 1;
    const letter = () =>
      String.fromCharCode(97 + ((seed = (seed * 48271) % 2147483647) % 26));
    const large = Array.from({ length: 20_000 }, letter).join("");
    await page.fill("#text", large);
    await page.click("#run");
    await page.waitForFunction(() => location.hash.includes("left=20000"));
    assert.ok(page.url().length < 300);
    assert.match(
      await text(page, "#notice"),
      /too long for a link/,
      "who copies it knows",
    );
    await page.reload();
    await page.waitForSelector("#notice:not([hidden])");
    assert.match(await text(page, "#notice"), /20,000 characters, too many for a link/);
  });
});

test("a link that was cut says so", async () => {
  await withPage({}, async (page) => {
    await page.goto(`${made.server.url}#model=de-en&text.z=AAAA`);
    await page.waitForSelector("#notice:not([hidden])");
    assert.match(await text(page, "#notice"), /link is damaged/);
  });
});

test("files are named by model, text and view, and JSON holds what is on show", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: "Ein Mann liest.", view: "saliency" });
    await page.waitForSelector(".attribution");
    const save = async (id) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.click(id),
      ]);
      return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
    };
    assert.equal((await save("#save-svg"))[0], "heed-de-en-ein-mann-liest-saliency.svg");
    const [name, content] = await save("#save-json");
    assert.equal(name, "heed-de-en-ein-mann-liest-explanation.json");
    const saved = JSON.parse(content);
    assert.deepEqual(
      saved.attributions.map(({ method }) => method),
      ["saliency", "gradient_x_input"],
    );
    assert.deepEqual(saved.segments[0].attributions, [0, 1]);
    assert.equal(saved.agreements.length, 2);
    assert.ok(!("panels" in saved || "panels" in saved.segments[0]), "not computed");
  });
});

test("a right-to-left text runs from right to left, and its words stand for themselves", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "large", of: "הילד קורא ספר (טוב) 2024" });
    const line = page.locator(".line[data-axis=source]");
    assert.equal(await line.getAttribute("dir"), "rtl");
    const at = await page.$$eval(".line[data-axis=source] .word", (all) =>
      all.map((one) => one.getBoundingClientRect().left),
    );
    at.slice(1).forEach((left, i) =>
      assert.ok(left < at[i], "each word left of the one before"),
    );
    await page.focus(".line[data-axis=source] .word");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await text(page, ".word:focus"), "קורא", "the left key goes left");
    const readout = await text(page, ".view-card > .readout");
    assert.match(readout, /^\u2068קורא\u2069 attends to \u2068/, "names are isolated");
    await screenshot(page, "right-to-left");
    await open(page, { model: "large", of: "שלום עולם, this is" });
    const names = await page.$$eval(".view svg [data-stuck] text", (all) =>
      all.map((one) => one.textContent),
    );
    assert.equal(names.filter((one) => one === "\u2068עולם,\u2069").length, 2);
    assert.equal(names.filter((one) => one === "this").length, 2);
  });
});

test("the same page in a file shows its explanations without a server", async () => {
  const all = [
    explain({ model: "de-en", text: lines, methods: ["saliency"] }),
    explain({ model: "load", text: table }),
    explain({ model: "assistant", text: "play </script> some jazz" }),
  ];
  const path = join(place, "file.html");
  writeFilePage(made.dist, all, path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector(".view svg");
    assert.equal(await page.locator("#ask").isVisible(), false);
    assert.equal(await page.locator("#texts button").count(), 3);
    await page.hover(".line[data-axis=target] .word >> nth=1");
    assertClose(await shownWeights(page, "source"), all[0].maps[2].mean[1]);
    await screenshot(page, "file");
    await page.keyboard.press("6");
    await page.waitForSelector(".attribution");
    await page.keyboard.press("4");
    await page.waitForSelector(".view .note");
    assert.match(await text(page, ".view"), /This file holds no queries and keys/);
    await page.keyboard.press("1");
    await page.click("#texts button >> nth=1");
    await page.waitForSelector(".series svg");
    await page.goBack();
    await page.waitForSelector(".line[data-axis=target]");
    await page.click("#texts button >> nth=2");
    await page.waitForFunction(() => document.body.textContent.includes("PlayMusic"));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click("#save-svg"),
    ]);
    assert.equal(
      download.suggestedFilename(),
      "heed-assistant-play-script-some-jazz-heatmap.svg",
    );
  });
});

test("core and shell know no task, no model, no kind and no view by name", () => {
  const src = fileURLToPath(new URL("../src", import.meta.url));
  const tasks = [
    "translate",
    "classify",
    "tag",
    "slots",
    "pretrain",
    "lm",
    "retrieve",
    "forecast",
  ].concat("autocomplete", "transformer", "bahdanau", "luong", "bert", "gpt");
  const views = ["heatmap", "lines", "frames", "computation", "heads", "saliency"];
  const offenders = [];
  const sources = readdirSync(src, { recursive: true }).filter((name) =>
    /^(core|shell|views)\/.*\.ts$/.test(name),
  );
  assert.ok(sources.length > 30);
  for (const path of sources) {
    const content = readFileSync(join(src, path), "utf8");
    const [folder, name] = path.split("/");
    const names = folder === "views" ? tasks : [...tasks, ...views, "series"];
    for (const word of names) {
      if (new RegExp(`["'\`]${word}["'\`]`).test(content))
        offenders.push(`${name}: "${word}"`);
    }
    if (/\b(task|kind) ?[!=]==? ?["'`]/.test(content))
      offenders.push(`${name}: compares a task or kind with a name`);
  }
  // The route of the API, which the rows of the models name as a property.
  const allowed = ['api.ts: "translate"'];
  assert.deepEqual(
    offenders.filter((one) => !allowed.includes(one)),
    [],
  );
});
