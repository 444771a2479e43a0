// Drives the page in Chromium. HEED_COMMAND is the command, HEED_PAGE_TEST the folder
// for models and screenshots; HEED_URL tests a server that runs already.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { startServer } from "./server.js";

const text = "heute schläft der kleine hund und der mann liest hier";
const place = process.env.HEED_PAGE_TEST ?? "page-test";
let server;
let browser;
let models;

before(async () => {
  mkdirSync(place, { recursive: true });
  server = process.env.HEED_URL
    ? { url: process.env.HEED_URL, stop: async () => {} }
    : await startServer(process.env.HEED_COMMAND, join(place, "models"));
  models = (await (await fetch(`${server.url}models`)).json()).models;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat(
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ),
  });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

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

/** What the API says of the same text, and of the translation that it gives. */
async function explained(name, of = text, wishes = {}) {
  const { task, source, target } = models.find((model) => model.name === name);
  let answer = "";
  if (task === "translate") {
    const translation = await post("translate", { q: of, source, target, model: name });
    answer = translation.translatedText;
  }
  return post("explain", { text: of, model: name, answer, ...wishes });
}

function meanOfHeads({ weights, heads }) {
  return weights[0].map((row, t) =>
    row.map((_, s) => weights.reduce((sum, head) => sum + head[t][s], 0) / heads),
  );
}

/** A page that fails its test if a script fails or anything but the server is asked. */
async function withPage(options, work) {
  const { width = 1280, height = 900, dark = false, expectErrors = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !expectErrors) faults.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !/^(data|blob):/.test(url))
      faults.push(`asked ${url}`);
  });
  try {
    await work(page);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

/** Opens a link to a view and waits for its answer. */
async function open(page, { model, view = "heatmap", head, other, of = text }) {
  const values = new URLSearchParams({ text: of, model, view });
  if (head) values.set("head", head);
  if (other) values.set("with", other);
  await page.goto(`${server.url}#${values}`);
  await page.waitForSelector(".answer[aria-busy=false]");
  await page.waitForFunction(() => !document.querySelector(".answer[aria-busy=true]"));
}

const screenshot = (page, name) =>
  page.screenshot({ path: join(place, `${name}.png`), fullPage: true });

/** The weights that the words of a line show. */
const shownWeights = (page, role) =>
  page.$$eval(`.line[data-role=${role}] .word`, (words) =>
    words.map((word) => Number(word.dataset.weight)),
  );

function assertClose(shown, said) {
  assert.equal(shown.length, said.length);
  shown.forEach((weight, i) => {
    assert.ok(
      Math.abs(weight - said[i]) < 1e-6,
      `${weight} is shown, the API says ${said[i]}`,
    );
  });
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
    const { source, target, answer } = await explained(modelNamed("transformer"));
    const said = await page.$$eval(".line[data-role=target] .word", (all) =>
      all.map((word) => word.textContent).filter((word) => word !== "</s>"),
    );
    assert.equal(said.join(" "), answer);
    const words = (role) =>
      page.$$eval(`.line[data-role=${role}] .word`, (all) => all.length);
    assert.equal(await words("source"), source.length);
    assert.equal(await words("target"), target.length);
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
    const mean = meanOfHeads(said.layers[said.alignment]);
    for (let row = 0; row < said.target.length; ++row) {
      await page.hover(`.line[data-role=target] .word >> nth=${row}`);
      assertClose(await shownWeights(page, "source"), mean[row]);
    }
    await screenshot(page, "heatmap");
    await page.hover(".line[data-role=source] .word >> nth=1");
    assertClose(
      await shownWeights(page, "target"),
      mean.map((row) => row[1]),
    );
  });
});

test("each head that is chosen shows its own weights", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model });
    for (const [l, layer] of said.layers.entries()) {
      const head = l % layer.heads;
      const row = page.locator(".head-row").nth(l);
      await row.getByRole("gridcell", { name: `head ${head}` }).click();
      const looking = layer.queries === "source" ? "source" : "target";
      const seen = layer.keys === "source" ? "source" : "inputs";
      await page.hover(`.line[data-role=${looking}] .word >> nth=2`);
      assertClose(await shownWeights(page, seen), layer.weights[head][2]);
    }
  });
});

test("the heatmap, the heads and the tabs answer to keys alone", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  const rows = said.layers[said.alignment].weights[1];
  await withPage({}, async (page) => {
    await open(page, { model, head: `${said.alignment}.0` });
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
    assert.ok(reached.has("figure"), "Tab reaches the figure");
    assert.ok(reached.has("checkbox"), "Tab reaches the methods");
  });
});

test("lines are as thick as weights, and only those of a word stay", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  const rows = said.layers[said.alignment].weights[0];
  await withPage({}, async (page) => {
    await open(page, { model, view: "lines", head: `${said.alignment}.0` });
    const widths = () =>
      page.$$eval(".view svg g[stroke] path", (paths) =>
        paths.map((path) => [
          Number(path.getAttribute("stroke-width")),
          Number(path.getAttribute("stroke-opacity")),
        ]),
      );
    const drawn = rows.flat().filter((weight) => weight >= 0.02);
    const all = await widths();
    assert.equal(all.length, drawn.length);
    all.forEach(([width], i) => assert.ok(Math.abs(width - (0.4 + 5 * drawn[i])) < 0.06));
    await page.hover(".line[data-role=target] .word >> nth=1");
    const strong = (await widths()).filter(([, opacity]) => opacity > 0.1);
    assert.equal(strong.length, rows[1].filter((weight) => weight >= 0.02).length);
    await screenshot(page, "lines");
  });
});

test("frames step through the answer", async () => {
  const model = modelNamed("transformer");
  const said = await explained(model);
  await withPage({}, async (page) => {
    await open(page, { model, view: "frames" });
    const mean = meanOfHeads(said.layers[said.alignment]);
    const frame = () => page.textContent(".place");
    assert.equal(await frame(), `1 of ${said.target.length}`);
    await page.click("[aria-label='Next frame']");
    await page.keyboard.press("ArrowRight");
    assert.equal(await frame(), `3 of ${said.target.length}`);
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
  const { layers, alignment } = await explained(model);
  const { layer } = layers[alignment];
  const said = await explained(model, text, { layer, head: 2 });
  const panel = said.panels.find((one) => one.layer === layer && one.head === 2);
  await withPage({}, async (page) => {
    await open(page, { model, view: "computation", head: `${alignment}.2` });
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
    const heads = said.layers.reduce((sum, layer) => sum + layer.heads, 0);
    assert.equal(await page.locator(".table tbody tr").count(), heads);
    await page.click("[data-sort=entropy]");
    const shown = await page.$$eval(".table tbody td:nth-child(2)", (cells) =>
      cells.map((cell) => Number(cell.textContent)),
    );
    const all = said.layers.flatMap((layer) => layer.entropy).sort((a, b) => b - a);
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
    await page.hover(".answer >> nth=0 >> .line[data-role=target] .word >> nth=0");
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
    const tags = await page.$$eval(".line[data-role=source] .word small", (all) =>
      all.map((one) => one.textContent),
    );
    assert.deepEqual(tags, said.target);
    const layer = said.layers[said.alignment];
    await page.hover(".line[data-role=source] .word >> nth=3");
    assertClose(await shownWeights(page, "source"), meanOfHeads(layer)[3]);
    await screenshot(page, "tags");
    await page.keyboard.press("6");
    await page.waitForSelector(".attribution");
    await screenshot(page, "tags-saliency");
  });
});

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
    assert.equal(
      await page.textContent(".answer .problem"),
      "The queue is full. Try again in 3 s.",
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
