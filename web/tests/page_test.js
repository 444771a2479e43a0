// Drives the page in Chromium against a real server. HEED_COMMAND is the command,
// HEED_PAGE_TEST the folder for models and screenshots; HEED_URL tests a server that runs
// already.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import { assertClose, launch, place, screenshot, shownWeights } from "./chromium.js";
import { seriesLines, startServer } from "./server.js";

const text = "heute schläft der kleine hund und der mann liest hier";
let server;
let browser;
let models;

before(async () => {
  mkdirSync(place, { recursive: true });
  server = process.env.HEED_URL
    ? { url: process.env.HEED_URL, stop: async () => {} }
    : await startServer(process.env.HEED_COMMAND, join(place, "models"));
  models = (await (await fetch(`${server.url}models`)).json()).models;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const withPage = (options, work) => browsing.withPage(browser, server.url, options, work);
const open = (page, wanted) => browsing.open(page, server.url, { of: text, ...wanted });

function modelNamed(part) {
  const model = models.find(({ name }) => name.includes(part));
  assert.ok(model, `a model whose name has '${part}'`);
  return model.name;
}

async function post(path, body) {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

/** What the API says of the same text. */
const explained = (name, of = text, options = {}) =>
  post("explain", { text: of, model: name, ...options });

/** The map of a target, its place in the first part, and the labels of an axis. */
function spoken(said) {
  const place = said.segments[0].maps.indexOf(said.targets[0].map);
  return { map: said.maps[said.targets[0].map], place };
}

test("what is typed is answered, token by token", async (t) => {
  await withPage({}, async (page) => {
    await page.goto(server.url);
    await page.waitForSelector("#model:not([disabled])");
    const paint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0].startTime,
    );
    t.diagnostic(`first contentful paint after ${paint.toFixed(0)} ms`);
    await screenshot(page, "empty");
    await page.evaluate(() => {
      window.arrived = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
          for (const node of addedNodes) {
            if (node.classList?.contains("arriving")) ++window.arrived;
          }
        }
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.selectOption("#model", modelNamed("transformer"));
    await page.click("#text");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".answer[aria-busy=false]");
    const { axes, answer } = await explained(modelNamed("transformer"));
    const said = await page.$$eval(".line[data-axis=target] .word bdi", (all) =>
      all.map((word) => word.textContent).filter((word) => word !== "</s>"),
    );
    assert.equal(said.join(" "), answer);
    const words = (axis) =>
      page.$$eval(`.line[data-axis=${axis}] .word`, (all) => all.length);
    assert.equal(await words("source"), axes.source.items.length);
    assert.equal(await words("target"), axes.target.items.length);
    assert.ok(
      (await page.evaluate(() => window.arrived)) > 1,
      "pieces arrive one by one",
    );
  });
});

test("a word shows the weights that the API gives", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model });
    const { mean } = spoken(said).map;
    for (const { item, row } of said.targets) {
      await page.hover(`.line[data-axis=target] .word >> nth=${item}`);
      assertClose(await shownWeights(page, "source"), mean[row]);
    }
    await screenshot(page, "heatmap");
    await page.hover(".line[data-axis=source] .word >> nth=1");
    assertClose(
      await shownWeights(page, "target"),
      mean.map((row) => row[1]),
    );
  });
});

test("lines are explained one by one, as they were translated", async () => {
  const model = modelNamed("transformer");
  const lines = ["heute schläft der hund", "der mann liest hier"];
  const whole = await explained(model, lines.join("\n"));
  const alone = await Promise.all(lines.map((line) => explained(model, line)));
  assert.equal(whole.segments.length, 2);
  await withPage({}, async (page) => {
    await open(page, { model, of: lines.join("\n") });
    for (const [k, said] of alone.entries()) {
      if (k > 0) await page.click(".part-text >> nth=0");
      const end = k === 0 ? "" : `.${k}`;
      assert.equal(whole.segments[k].answer, said.answer);
      const { mean } = spoken(said).map;
      for (const { item, row } of said.targets) {
        await page.hover(`.line[data-axis="target${end}"] .word >> nth=${item}`);
        const shown = await shownWeights(page, `source${end}`);
        shown.forEach((weight, s) => assert.ok(Math.abs(weight - mean[row][s]) < 1e-4));
      }
    }
    await screenshot(page, "lines-one-by-one");
  });
});

test("each head that is chosen shows its own weights", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model });
    for (const [m, map] of said.maps.entries()) {
      const head = m % map.heads;
      const row = page.locator(".head-row").nth(m);
      await row.getByRole("gridcell", { name: `head ${head}` }).click();
      await page.hover(`.line[data-axis=${map.query}] .word >> nth=2`);
      assertClose(await shownWeights(page, map.key), map.weights[head][2]);
    }
  });
});

test("the heatmap, the heads and the tabs answer to keys alone", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  const { map, place: at } = spoken(said);
  const rows = map.weights[1];
  await withPage({}, async (page) => {
    await open(page, { model, head: `${at}.0` });
    await page.keyboard.press("]");
    await page.focus(".view .figure");
    for (const key of [
      "ArrowDown",
      "ArrowDown",
      "ArrowRight",
      "ArrowRight",
      "ArrowRight",
    ]) {
      await page.keyboard.press(key);
    }
    const readout = await page.textContent(".view-card > .readout");
    assert.ok(readout.endsWith(rows[2][3].toFixed(3)), `${readout} of ${rows[2][3]}`);
    await page.keyboard.press("Enter");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "text");
    assert.equal(await page.textContent(".view-card > .readout"), readout, "it is kept");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    assert.notEqual(await page.textContent(".view-card > .readout"), readout);

    await page.focus(".head[aria-selected=true]");
    await page.keyboard.press("ArrowLeft");
    const chosen = await page.getAttribute(".head:focus", "aria-label");
    assert.match(chosen, /head 0, entropy/);
    await page.focus("#tab-heatmap");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#tab-lines:focus", "aria-selected"), "true");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await screenshot(page, "help");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog:not([open])", { state: "attached" });
  });
});

test("every control has a name and every one can be reached by Tab", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: modelNamed("transformer"), view: "saliency" });
    await page.waitForSelector(".attribution");
    const nameless = await page.$$eval(
      "button,select,input,textarea,[tabindex='0']",
      (all) =>
        all
          .filter((one) => {
            const label = one.labels?.[0]?.textContent ?? "";
            return !`${one.getAttribute("aria-label") ?? ""}${one.textContent}${label}`.trim();
          })
          .map((one) => one.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(nameless, []);
    const reached = new Set();
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press("Tab");
      const kind = await page.evaluate(() => {
        const { id, className, type } = document.activeElement;
        return id || className || type;
      });
      reached.add(kind);
    }
    for (const kind of [
      "text",
      "run",
      "model",
      "compare",
      "tab-saliency",
      "word",
      "save-svg",
    ]) {
      assert.ok(
        [...reached].some((one) => one.split(" ").includes(kind)),
        `Tab reaches ${kind}`,
      );
    }
    assert.ok(
      [...reached].some((one) => one.startsWith("head")),
      "Tab reaches the heads",
    );
    assert.ok(
      [...reached].some((one) => one.startsWith("figure")),
      "Tab reaches the figure",
    );
    assert.ok(reached.has("checkbox"), "Tab reaches the methods");
  });
});

test("lines are as thick as weights, and only those of a word stay", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  const { map, place: at } = spoken(said);
  const rows = map.weights[0];
  await withPage({}, async (page) => {
    await open(page, { model, view: "lines", head: `${at}.0` });
    await page.waitForSelector(".picture [data-links] path", { state: "attached" });
    const numbers = (name) =>
      page.$$eval(
        ".picture [data-links] path",
        (paths, name) => paths.map((path) => Number(path.getAttribute(`stroke-${name}`))),
        name,
      );
    const drawn = rows.flat().filter((weight) => weight >= 0.03);
    const all = await numbers("width");
    assert.equal(all.length, drawn.length);
    all.forEach((width, i) => assert.ok(Math.abs(width - (0.6 + 7 * drawn[i])) < 0.06));
    await page.hover(".line[data-axis=target] .word >> nth=1");
    const strong = (await numbers("opacity")).filter((opacity) => opacity > 0.03);
    assert.equal(strong.length, rows[1].filter((weight) => weight >= 0.03).length);
    await screenshot(page, "lines");
  });
});

test("frames step through the answer", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model, view: "frames" });
    const { mean } = spoken(said).map;
    const frame = () => page.textContent(".place");
    assert.equal(await frame(), `1 of ${mean.length}`);
    await page.click("[aria-label='Next frame']");
    await page.keyboard.press("ArrowRight");
    assert.equal(await frame(), `3 of ${mean.length}`);
    assertClose(await shownWeights(page, "source"), mean[2]);
    await screenshot(page, "frames");
    await page.click(".play");
    await page.waitForFunction(() =>
      document.querySelector(".place").textContent.startsWith("4"),
    );
    await page.click(".play");
    assert.equal(await page.textContent(".play"), "Play");
  });
});

test("the computation shows scores, weights and contexts of a head", async () => {
  const model = modelNamed("transformer");
  const { map, place: at } = spoken(await explained(model));
  const said = await explained(model, text, { layer: map.name, head: 2 });
  const panel = said.panels.find((one) => one.head === 2);
  await withPage({}, async (page) => {
    await open(page, { model, view: "computation", head: `${at}.2` });
    await page.waitForSelector(".panels");
    assert.equal(await page.locator(".panels svg").count(), 3);
    await page.focus(".panels .figure");
    await page.keyboard.press("ArrowDown");
    const numbers = await page.$$eval("dl.formula > div", (lines) =>
      lines.map((line) => [...line.children].map((part) => part.textContent)),
    );
    const weight = numbers.find(([name]) => name.startsWith("weight after"))[1];
    assert.equal(weight, panel.weights[1][0].toFixed(4));
    const row = panel.weights[1].reduce((sum, value) => sum + value, 0);
    assert.ok(Math.abs(row - 1) < 1e-5);
    await screenshot(page, "computation");
  });
});

test("heads are sorted by entropy, and a row chooses its head", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model, view: "heads" });
    const heads = said.maps.reduce((sum, map) => sum + map.heads, 0);
    assert.equal(await page.locator(".table tbody tr").count(), heads);
    await page.click("[data-sort=entropy]");
    const shown = await page.$$eval(".table tbody td:nth-child(2)", (cells) =>
      cells.map((cell) => Number(cell.textContent)),
    );
    const all = said.maps
      .flatMap(({ statistics }) => statistics.entropy)
      .sort((a, b) => b - a);
    assert.ok(Math.abs(shown[0] - all[0]) < 0.006);
    assert.deepEqual(
      shown,
      [...shown].sort((a, b) => b - a),
    );
    await screenshot(page, "heads");
    const name = await page.textContent(".table tbody tr:nth-child(3) button");
    await page.click(".table tbody tr:nth-child(3) button");
    const layer = await page.$eval(
      ".picker select",
      (one) => one.selectedOptions[0].textContent,
    );
    assert.ok(name.startsWith(layer), `${name} is of ${layer}`);
  });
});

test("saliency stands beside attention, with the API's rank correlation", async () => {
  const model = modelNamed("transformer");
  const methods = ["saliency", "gradient_x_input"];
  const said = await explained(model, text, { methods });
  await withPage({}, async (page) => {
    await open(page, { model, view: "saliency" });
    await page.waitForSelector(".attribution");
    assert.equal(await page.locator(".attribution svg").count(), 3);
    const notes = await page.$$eval(".attribution .note", (all) =>
      all.map((one) => one.textContent),
    );
    said.agreements.forEach(({ spearman }, i) => {
      const shown = Number(/attention ([−\d.]+)/.exec(notes[i + 1])[1].replace("−", "-"));
      assert.ok(
        Math.abs(shown - spearman) < 0.011,
        `${notes[i + 1]}: the API says ${spearman}`,
      );
    });
    await screenshot(page, "saliency");
    await page.check("text=Occlusion");
    await page.waitForFunction(
      () => document.querySelectorAll(".attribution svg").length === 4,
    );
  });
});

test("two models stand side by side and are subtracted", async () => {
  const [model, other] = [modelNamed("transformer"), modelNamed("luong")];
  await withPage({}, async (page) => {
    await open(page, { model });
    await page.click("#compare");
    await page.selectOption("#other", other);
    await page.waitForFunction(
      () => document.querySelectorAll(".answer[aria-busy=false]").length === 2,
    );
    assert.equal(await page.locator(".view-card").count(), 2);
    await page.waitForSelector(".comparison");
    await page.hover(".answer >> nth=0 >> .line[data-axis=target] .word >> nth=0");
    await screenshot(page, "compare");
    // A model is no different from itself.
    await page.selectOption("#other", model);
    await page.waitForFunction(() =>
      document
        .querySelector(".comparison .note")
        ?.textContent.startsWith("On average 0.00 %"),
    );
  });
});

test("SVG and PNG stand for themselves", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: modelNamed("transformer") });
    const save = async (id) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.click(id),
      ]);
      return readFileSync(await download.path());
    };
    const svg = (await save("#save-svg")).toString();
    assert.match(svg, /^<\?xml/);
    assert.match(svg, /<text[^>]*>sleeps<\/text>/);
    assert.doesNotMatch(svg, /class=|style=|href=|foreignObject|currentColor/);
    const parsed = await page.evaluate((source) => {
      const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
      return {
        wrong: !!parsed.querySelector("parsererror"),
        root: parsed.documentElement.tagName,
      };
    }, svg);
    assert.deepEqual(parsed, { wrong: false, root: "svg" });
    const [, width] = /<svg[^>]* width="(\d+)"/.exec(svg);
    const png = await save("#save-png");
    assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.equal(png.readUInt32BE(16), 2 * Number(width));
    const json = JSON.parse((await save("#save-json")).toString());
    assert.equal(json.text, text);
  });
});

test("a link brings back text, model, view and head", async () => {
  const model = modelNamed("transformer");
  await withPage({}, async (page) => {
    await open(page, { model });
    await page.keyboard.press("2");
    await page.keyboard.press("}");
    await page.keyboard.press("{");
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    const link = page.url();
    const state = () =>
      page.evaluate(() => [
        document.querySelector("#text").value,
        document.querySelector("#model").value,
        document.querySelector("[role=tab][aria-selected=true]").textContent,
        ...[...document.querySelectorAll(".picker select")].map((one) => one.value),
      ]);
    const before = await state();
    assert.equal(before[2], "Lines");
    assert.equal(before[4], "1");
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.deepEqual(await state(), before);
  });
});

test("tags stand below their words", async () => {
  const model = modelNamed("tagger");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model });
    const tags = await page.$$eval(".line[data-axis=source] .word small", (all) =>
      all.map((one) => one.textContent),
    );
    const { items } = said.axes[said.targets[0].axis];
    assert.equal(tags.length, said.targets.length);
    said.targets.forEach(({ item, probability }, i) => {
      assert.equal(tags[i], `${items[item]} ${probability.toFixed(2)}`);
    });
    if (said.maps.length > 0) {
      const { map } = spoken(said);
      await page.hover(".line[data-axis=source] .word >> nth=3");
      assertClose(await shownWeights(page, map.key), (map.mean ?? map.weights[0])[3]);
    }
    await screenshot(page, "tags");
    await page.keyboard.press("6");
    await page.waitForSelector(".attribution");
    await screenshot(page, "tags-saliency");
  });
});

test("an intent shows the pooling that speaks for it, and tags stand below words", async () => {
  const model = modelNamed("slots");
  const said = await explained(model);
  const intent = said.targets.findIndex(({ axis }) => axis === "answer");
  const { map, head, row } = said.targets[intent];
  const { weights, mean } = said.maps[map];
  await withPage({}, async (page) => {
    await open(page, { model });
    await page.hover(".line[data-axis=answer] .word");
    const spoken = head === null ? (mean ?? weights[0]) : weights[head];
    assertClose(await shownWeights(page, "source"), spoken[row]);
    await screenshot(page, "slots-model");
  });
});

test("a forecast is a series with the attention of the run below", async () => {
  const model = modelNamed("forecast");
  const table = seriesLines(60).join("\n");
  await withPage({}, async (page) => {
    await open(page, { model, of: table });
    await page.waitForSelector(".series path.predicted");
    const said = await explained(model, table);
    const { mean } = said.maps.at(-1);
    const box = await page.locator(".series svg").boundingBox();
    await page.mouse.move(box.x + 60, box.y + 60);
    const drawn = await page.$$eval(".series rect.weight[data-weight]", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(drawn, mean[0]);
    await page.mouse.move(box.x + box.width - 60, box.y + 60);
    assert.equal(await page.locator(".series [data-weight]").count(), 0);
    const words = await page.textContent(".view-card > .readout");
    assert.match(words, /No attention of this model speaks for/);
    await page.mouse.move(box.x + 60, box.y + 60);
    await screenshot(page, "forecast-model");
    await page.keyboard.press("6");
    await page.waitForSelector(".attribution");
    await screenshot(page, "forecast-saliency");
  });
});

test("a language model is asked with the space that asks for the next word", async () => {
  const model = modelNamed("language");
  const { details } = await post("predict", { model, text: "der mann " });
  const trimmed = await post("predict", { model, text: "der mann" });
  assert.notDeepEqual(details, trimmed.details);
  await withPage({}, async (page) => {
    await open(page, { model, of: "der mann " });
    const [name, ...said] = await page.$$eval(".answer .plain-text", ([line]) => [
      line.previousElementSibling.textContent,
      ...[...line.children].map((word) =>
        [...word.children].map((one) => one.textContent),
      ),
    ]);
    assert.equal(name, "Completions");
    assert.deepEqual(
      said,
      details.completions.map(({ word, probability }) => [word, probability.toFixed(2)]),
    );
    await screenshot(page, "language-model");
  });
});

test(
  "heed explain writes the same page into a file",
  { skip: !!process.env.HEED_URL },
  async () => {
    const folder = join(place, "models", "transformer");
    const path = join(place, "explained.html");
    const lines = "heute schläft der hund\nder mann liest hier\n";
    const done = spawnSync(process.env.HEED_COMMAND, ["explain", folder, "--out", path], {
      input: lines,
      encoding: "utf8",
    });
    assert.equal(done.status, 0, done.stderr);
    const said = await explained(modelNamed("transformer"), "der mann liest hier");
    const url = pathToFileURL(path).href;
    await browsing.withPage(browser, url, {}, async (page) => {
      await page.goto(url);
      await page.waitForSelector(".view svg");
      await page.click("#texts button >> nth=1");
      await page.hover(".line[data-axis=target] .word >> nth=2");
      const shown = await shownWeights(page, "source");
      const { mean } = spoken(said).map;
      shown.forEach((weight, s) => assert.ok(Math.abs(weight - mean[2][s]) < 1e-4));
      await screenshot(page, "explained");
    });
  },
);

test("360 pixels are wide enough, in the dark too", async () => {
  const [model, other] = [modelNamed("transformer"), modelNamed("luong")];
  const views = ["heatmap", "lines", "frames", "computation", "heads", "saliency"];
  for (const view of views) {
    await withPage({ width: 360, height: 740, dark: true }, async (page) => {
      await open(page, { model, view });
      if (view === "saliency") await page.waitForSelector(".attribution");
      if (view === "computation") await page.waitForSelector(".panels");
      const excess = await page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      assert.ok(excess <= 0, `${view} is ${excess} pixels too wide`);
      await screenshot(page, `phone-${view}`);
    });
  }
  await withPage({ width: 360, height: 740 }, async (page) => {
    await open(page, { model, other });
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    assert.ok(excess <= 0, `the comparison is ${excess} pixels too wide`);
    await screenshot(page, "phone-compare");
  });
});

test("light and dark follow the system until one is chosen", async () => {
  await withPage({ dark: true }, async (page) => {
    await open(page, { model: modelNamed("transformer") });
    const paper = () =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    await screenshot(page, "dark");
    await page.click("#theme");
    assert.notEqual(await paper(), dark);
    await page.reload();
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.notEqual(await paper(), dark);
  });
});

test("what goes wrong is said in words", async () => {
  const model = modelNamed("transformer");
  await withPage({ expectErrors: true }, async (page) => {
    await page.route("**/explain", (route) =>
      route.fulfill({
        status: 503,
        headers: { "Retry-After": "3" },
        json: { error: "The queue is full." },
      }),
    );
    await open(page, { model });
    assert.match(
      await page.textContent(".answer .unexplained"),
      /The answer is complete, .*: The queue is full. Try again in 3 s.$/,
    );
    await screenshot(page, "error");
    await page.unroute("**/explain");
    await page.click("#run");
    await page.waitForSelector(".view svg");

    await page.route("**/translate", (route) => route.abort());
    await page.click("#run");
    await page.waitForSelector(".answer .problem");
    assert.match(await page.textContent(".answer .problem"), /^No answer from http/);
    await page.unroute("**/translate");

    await page.route("**/translate", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: 'event: token\ndata: {"text":"the"}\n\n',
      }),
    );
    await page.click("#run");
    await page.waitForSelector(".answer .problem");
    assert.match(
      await page.textContent(".answer .problem"),
      /before the translation was complete/,
    );
    await page.unroute("**/translate");

    await page.route("**/models", (route) =>
      route.fulfill({ status: 400, json: { error: "Please ask for an API key" } }),
    );
    await page.reload();
    await page.waitForSelector("#notice .key");
    await page.unroute("**/models");
    await page.fill("#notice .key input", "secret");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".view svg");
  });
});

test("an unknown model in a link is named", async () => {
  await withPage({}, async (page) => {
    await page.goto(`${server.url}#model=nobody`);
    await page.waitForSelector("#notice:not([hidden])");
    assert.match(await page.textContent("#notice"), /no model nobody/);
  });
});

test("a heatmap of 60 by 60 is redrawn", async (t) => {
  const model = modelNamed("transformer");
  const words = Array.from({ length: 59 }, (_, i) => text.split(" ")[i % 10]).join(" ");
  await withPage({}, async (page) => {
    await open(page, { model, of: words, head: "0.0" });
    const times = [];
    for (let i = 0; i < 10; ++i) {
      times.push(
        await page.evaluate(
          async (key) => {
            const begin = performance.now();
            document.body.dispatchEvent(
              new KeyboardEvent("keydown", { key, bubbles: true }),
            );
            const drawn = performance.now() - begin;
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return [drawn, performance.now() - begin];
          },
          i % 2 ? "[" : "]",
        ),
      );
    }
    const columns = await page.$eval(
      ".view svg",
      (svg) => svg.querySelectorAll("text[transform]").length,
    );
    assert.equal(columns, 60);
    const median = (values) =>
      values.sort((a, b) => a - b)[values.length >> 1].toFixed(1);
    t.diagnostic(
      `60 x 60: drawn in ${median(times.map(([drawn]) => drawn))} ms, ` +
        `on the screen after ${median(times.map(([, shown]) => shown))} ms (medians of 10)`,
    );
    await screenshot(page, "long");
  });
});
