// Drives the built page on explanations that are made up (fixtures.js): what the small
// models of page_test.js cannot show. Figures are of Chromium on the machine of the test.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import {
  assertClose,
  launch,
  place,
  screenshot,
  shownWeights,
  worstContrast,
} from "./chromium.js";
import { explain, models, table } from "./fixtures.js";
import { buildPage, serveFixtures, writeFilePage } from "./fixture_server.js";

const lines = "Ein Mann liest.\nHeute schläft der Hund.\nEin Mann liest.";
let server;
let browser;
let dist;

before(async () => {
  mkdirSync(place, { recursive: true });
  dist = buildPage(place);
  server = await serveFixtures(dist);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

const withPage = (options, work) => browsing.withPage(browser, server.url, options, work);
const open = (page, wanted) => browsing.open(page, server.url, wanted);
const text = (page, selector) => page.textContent(selector);
const labels = (page, axis) =>
  page.$$eval(`.line[data-axis="${axis}"] bdi`, (all) =>
    all.map((one) => one.textContent),
  );

test("a text that was run in parts is explained in these parts, as it was run", async () => {
  const said = explain({ model: "de-en", text: lines });
  await withPage({}, async (page) => {
    server.requests.length = 0;
    await open(page, { model: "de-en", of: lines });
    const asked = server.requests.filter(([path]) => path === "explain");
    assert.equal(asked.length, 1);
    assert.equal(asked[0][1].answer, undefined, "the answer is not sent back");
    assert.equal(await page.locator(".part").count(), 3);
    await page.click(".part-text >> nth=0");
    assert.equal(await text(page, ".part[aria-current] .number"), "2 of 3");
    const map = said.maps[said.segments[1].maps[2]];
    for (const t of [0, 2]) {
      await page.hover(`.line[data-axis="target.1"] .word >> nth=${t}`);
      assertClose(await shownWeights(page, "source.1"), map.mean[t]);
    }
    await screenshot(page, "parts");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(".");
    assert.equal(await text(page, ".part[aria-current] .number"), "3 of 3");
    await page.keyboard.press(",");
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector(".part[aria-current]");
    assert.equal(
      await text(page, ".part[aria-current] .number"),
      "2 of 3",
      "of a link too",
    );
    assert.ok((await labels(page, "source.1")).includes("schl"));
  });
});

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

test("sub-words are merged to words on a switch", async () => {
  const said = explain({ model: "de-en", text: "Heute schläft der Hund." });
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: "Heute schläft der Hund." });
    assert.deepEqual(
      await labels(page, "source"),
      "Heute schl äft der Hund . </s>".split(" "),
    );
    assert.equal(await page.locator(".line[data-axis=source] .joined").count(), 1);
    await page.click("#words");
    assert.deepEqual(
      await labels(page, "source"),
      "Heute schläft der Hund . </s>".split(" "),
    );
    await page.hover(".line[data-axis=target] .word >> nth=2");
    assertClose(await shownWeights(page, "source"), said.maps[2].by_word.mean[2]);
    await screenshot(page, "words");
    await page.keyboard.press("4");
    assert.match(await text(page, ".view"), /switch Whole words off/);
  });
});

test("saliency is shown by whole words where the attention is", async () => {
  const wishes = { text: "Heute schläft der Hund.", methods: ["saliency"] };
  const { attributions, axes } = explain({ model: "de-en", ...wishes });
  const [{ scores }] = attributions;
  const [[from, to], [begin, end]] = [axes.target.words[2], axes.source.words[1]];
  const ofWord = scores
    .slice(from, to)
    .map((row) => row.slice(begin, end).reduce((sum, one) => sum + one, 0));
  const wanted = ofWord.reduce((sum, one) => sum + one, 0) / (to - from);
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: wishes.text, view: "saliency" });
    await page.waitForSelector(".attribution");
    await page.click("#words");
    await page.waitForSelector(".attribution");
    const names = await page.$$eval(
      ".attribution:nth-child(2) [data-stuck] text",
      (all) => all.map((one) => one.textContent),
    );
    const words = ["the", "dog", "sleeps", "today", ".", "</s>"];
    assert.deepEqual(names.slice(0, 12), [...words, ...(await labels(page, "source"))]);
    await page.focus(".attribution:nth-child(2) .figure");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) {
      await page.keyboard.press(key);
    }
    const readout = await text(page, ".view .readout");
    assert.match(readout, new RegExp(`saliency ${wanted.toFixed(2)},`));
    assert.match(readout, /sleeps.*schläft/);
    assert.match(await text(page, ".attribution:nth-child(2) .note"), /mean of 6 rows/);
    await screenshot(page, "saliency-words");
  });
});

test("a target shows the attention that speaks for it, or that none does", async () => {
  const said = explain({ model: "assistant", text: "play some jazz now" });
  await withPage({}, async (page) => {
    await open(page, { model: "assistant", of: "play some jazz now" });
    const tags = await page.$$eval(".line[data-axis=source] small", (all) =>
      all.map((one) => one.textContent),
    );
    assert.deepEqual(tags, ["O 0.80", "O 0.80", "B-genre 0.80", "O 0.80"]);
    assert.deepEqual(
      await page.$$eval(".line[data-axis=target] .word:not([hidden]) bdi", (all) =>
        all.map((one) => one.textContent),
      ),
      ["PlayMusic"],
      "tags are not said twice",
    );
    await page.hover(".line[data-axis=target] .word >> nth=0");
    assertClose(await shownWeights(page, "source"), said.maps[1].weights[0][0]);
    assert.match(await text(page, ".view-card > .readout"), /PlayMusic.*\(Pooling\)/);
    await page.click(".line[data-axis=target] .word >> nth=0");
    assert.equal(
      await page.$eval(".picker select", (one) => one.selectedOptions[0].text),
      "Pooling",
    );
    await page.hover(".line[data-axis=source] .word >> nth=0");
    await page.keyboard.press("Escape");
    await screenshot(page, "slots");
    await page.click(".shares .plain >> nth=0");
    await page.waitForSelector(".tabs [aria-selected=true]#tab-saliency");
  });
  const one = explain({ model: "assistant", text: "play some jazz now" });
  one.targets.forEach((target) => {
    delete target.map;
    delete target.row;
  });
  await withPage({}, async (page) => {
    await page.route("**/explain", (route) => route.fulfill({ json: one }));
    await open(page, { model: "assistant", of: "play some jazz now" });
    await page.hover(".line[data-axis=target] .word >> nth=0");
    assert.match(
      await text(page, ".view-card > .readout"),
      /No attention of this model speaks for/,
    );
    assert.equal(await page.locator("[data-weight]").count(), 0, "no invented 0.00");
  });
});

test("several things said at one place have a line of their own", async () => {
  const said = explain({ model: "typist", text: "the c" });
  await withPage({}, async (page) => {
    await open(page, { model: "typist", of: "the c" });
    assert.deepEqual(await labels(page, "target"), ["cat", "car", "cap"]);
    await page.hover(".line[data-axis=target] .word >> nth=1");
    assertClose(await shownWeights(page, "source"), said.maps[0].weights[0][4]);
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

test("a forecast is drawn as a series, with its attention under the time axis", async () => {
  const said = explain({ model: "load", text: table });
  await withPage({}, async (page) => {
    await page.goto(server.url);
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

test("text is passed on as it was typed, and what is said is called by its name", async () => {
  await withPage({}, async (page) => {
    server.requests.length = 0;
    await page.goto(server.url);
    await page.selectOption("#model", "writer");
    await page.fill("#text", "The man on the ");
    await page.click("#run");
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.deepEqual(
      server.requests.map(([path, { text: sent }]) => [path, sent]),
      [
        ["predict", "The man on the "],
        ["explain", "The man on the "],
      ],
    );
    const names = await page.$$eval(".answer .label", (all) =>
      all.map((one) => one.textContent),
    );
    assert.ok(names.includes("Continuation"), names.join());
    await page.reload();
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.equal(await page.inputValue("#text"), "The man on the ", "the link keeps it");
  });
});

test("examples, prompts and names are those of the models' rows", async () => {
  await withPage({}, async (page) => {
    await page.goto(server.url);
    for (const { name, examples, input } of models) {
      await page.selectOption("#model", name);
      const shown = await page.$$eval(".example", (all) =>
        all.map((one) => one.textContent),
      );
      assert.equal(shown.length, examples.length);
      shown.forEach((line, i) => {
        const said = input.kind === "text" ? examples[i].text : "time, load: 48 rows";
        assert.equal(line, said.trim());
      });
      assert.equal(await page.getAttribute("#text", "placeholder"), input.prompt);
    }
    await page.selectOption("#model", "cloze");
    await page.click(".example");
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.match(page.url(), /model=cloze/);
  });
});

test("the five best for a mask, and a label's probability, stand there at once", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "cloze", of: "A man is [MASK] on a bench" });
    const rows = () =>
      page.$$eval(".shares tr", (all) =>
        all.map((one) => [one.children[0].textContent, one.children[2].textContent]),
      );
    assert.deepEqual((await rows()).slice(0, 3), [
      ["sleeping", "41.0 %"],
      ["sitting", "20.0 %"],
      ["standing", "10.0 %"],
    ]);
    assert.equal((await rows()).length, 6);
    await screenshot(page, "mask");
    await open(page, { model: "sentiment", of: "A warm film" });
    await page.waitForFunction(
      () => document.querySelectorAll(".shares tr").length === 2,
    );
    assert.deepEqual(await rows(), [
      ["positive", "97.0 %"],
      ["negative", "3.00 %"],
    ]);
    await open(page, { model: "de-en", of: "Ein Mann liest." });
    const sure = await page.$$eval(".line[data-axis=target] .sure", (all) =>
      all.map((one) => one.textContent),
    );
    assert.deepEqual(sure.slice(0, 2), ["0.97", "0.96"], "of each token");
  });
});

test("what else might have been said is in sight below a long text", async () => {
  const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(" ");
  await withPage({ width: 390 }, async (page) => {
    await open(page, { model: "sentiment", of: words });
    const [card, body, ...seen] = await page.$$eval(
      ".answer, .answer-body, .prediction, .why",
      (all) => all.map((one) => one.getBoundingClientRect().toJSON()),
    );
    assert.equal(seen.length, 2);
    for (const { top, bottom } of seen) {
      assert.ok(top >= body.bottom && bottom <= card.bottom, `${top} to ${bottom}`);
    }
    const lines = await page.$eval(".shares button", (one) => one.clientHeight / 21);
    assert.ok(lines < 2, `why not? is ${lines} lines high`);
  });
});

test("why this word and not that one: click it, and type the other", async () => {
  await withPage({}, async (page) => {
    server.requests.length = 0;
    await open(page, { model: "de-en", of: "Heute schläft der Hund." });
    await page.click(".line[data-axis=target] .word >> nth=1");
    await page.fill(".why input", "cat");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".contrast svg");
    const [, asked] = server.requests.at(-1);
    assert.equal(asked.contrast, "the cat sleeps today.");
    assert.equal(asked.text, "Heute schläft der Hund.");
    assert.match(await text(page, ".contrast h2"), /Why .dog., not .cat.\?/);
    const rows = await page.$$eval(".contrast svg text", (all) =>
      all.map((one) => one.textContent),
    );
    assert.ok(rows.includes("dog, not cat"));
    await screenshot(page, "contrast");
    await page.click(".contrast >> text=Close");
    await page.waitForSelector(".contrast", { state: "detached" });
  });
});

test("why not asks for an answer of its kind, and names the score", async () => {
  await withPage({}, async (page) => {
    const placeholder = async (chip) => {
      if (chip) await page.click(chip);
      return page.getAttribute(".why input", "placeholder");
    };
    const word = ".line[data-axis=target] .word";
    await open(page, { model: "de-en", of: "Ein Mann liest." });
    assert.equal(await placeholder(word), "another word");
    await open(page, { model: "assistant", of: "play some jazz now" });
    assert.equal(await placeholder(".line[data-axis=source] .word"), "another answer");
    await open(page, { model: "sentiment", of: "A warm film" });
    assert.equal(await placeholder(""), "another answer");
    await open(page, { model: "finder", of: "mount a disk\tthe drive is not shown" });
    assert.equal(await placeholder(".line[data-axis=answer] .word"), "another answer");
    await page.fill(".why input", "my mouse is slow");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".contrast svg");
    const said = await text(page, ".contrast");
    assert.match(said, /effect on the difference of scores/);
    assert.ok(!said.includes("log p"), said);
  });
});

test("why not, in a part after the first, names what this part read", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: lines });
    await page.click(".part-text >> nth=0");
    await page.click('.line[data-axis="target.1"] .word >> nth=1');
    await page.fill(".why input", "cat");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".contrast svg");
    const columns = await page.$eval(".contrast svg", (picture) =>
      [...picture.querySelectorAll("[data-stuck]")[1].children]
        .map((one) => one.textContent)
        .filter(Boolean),
    );
    assert.deepEqual(columns, await labels(page, "source.1"));
  });
});

test("two texts with one model, and an answer that was not the model's, are compared", async () => {
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: "Ein Mann liest." });
    await page.click("#compare");
    await page.waitForSelector(".answer >> nth=1");
    await page.fill("#other-text", "Heute schläft der Hund.");
    await page.click("#run");
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".answer[aria-busy=false] [data-axis=target]")
          .length === 2,
    );
    assert.equal(
      await page.locator(".answer >> nth=1 >> .line[data-axis=source] .word").count(),
      7,
    );
    await screenshot(page, "compare-texts");
    server.requests.length = 0;
    await page.fill("#other-text", "");
    await page.fill("#other-answer", "one man reads.");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /another answer/.test(document.body.textContent));
    await page.waitForFunction(() => !document.querySelector(".answer[aria-busy=true]"));
    const forced = server.requests.filter(
      ([, { answer }]) => answer === "one man reads.",
    );
    assert.equal(forced.length, 1);
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector(".answer[aria-busy=false] >> nth=1");
    assert.equal(await page.inputValue("#other-answer"), "one man reads.");
  });
});

test("over the limit the answer stays, and the page says so beforehand", async () => {
  const long = "Ein Mann liest und liest. ".repeat(50);
  await withPage({}, async (page) => {
    server.requests.length = 0;
    await page.goto(server.url);
    await page.waitForSelector("#model:not([disabled])");
    await page.fill("#text", long);
    assert.match(await text(page, "#limit"), /^1,300 characters.*at most 1,000/);
    assert.ok(await page.isVisible("#limit"));
    await page.click("#run");
    await page.waitForSelector(".unexplained");
    assert.match(await text(page, ".streamed"), /^translated: Ein Mann/);
    assert.match(await text(page, ".unexplained"), /complete, but it is not explained/);
    assert.ok(!server.requests.some(([path]) => path === "explain"));
    assert.equal(await page.locator(".problem:not([hidden])").count(), 0);
    await screenshot(page, "limit");
  });
  await withPage({ expectErrors: true }, async (page) => {
    await page.route("**/explain", (route) =>
      route.fulfill({ status: 400, json: { error: "Too long to explain." } }),
    );
    await open(page, { model: "de-en", of: "Ein Mann liest." });
    assert.match(await text(page, ".streamed"), /a man reads/);
    assert.match(await text(page, ".unexplained"), /Too long to explain/);
  });
});

test("Back goes to the text before, and links stay short", async () => {
  // The server refuses to explain the made-up texts below.
  await withPage({ expectErrors: true }, async (page) => {
    await page.goto(server.url);
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
    await page.goto(`${server.url}#model=de-en&text.z=AAAA`);
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

test("218 by 218 with numbers takes under 100 ms, and names stay in sight", async (t) => {
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
    assert.ok(median(0) < 100, "drawn");
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
      await page.goto(server.url);
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
    assert.match(await text(page, ".figures-of-head"), /^entropy [\d.]+ bits$/);
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
    assert.equal(tabs.length, 6);
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

test("the same page in a file shows its explanations without a server", async () => {
  const all = [
    explain({ model: "de-en", text: lines, methods: ["saliency"] }),
    explain({ model: "load", text: table }),
    explain({ model: "assistant", text: "play </script> some jazz" }),
  ];
  const path = join(place, "file.html");
  writeFilePage(dist, all, path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(browser, url, {}, async (page) => {
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

test("a folder of its own adds a kind and a view to its page", async () => {
  const entry = fileURLToPath(new URL("own_page/entry.ts", import.meta.url));
  const own = await serveFixtures(buildPage(place, entry));
  const axis = { kind: "cells", label: "Strip", items: ["r", "g", "b"] };
  const rows = [0, 1, 2].map((t) => [0, 1, 2].map((s) => (s === t ? 0.8 : 0.1)));
  const said = {
    ...{ version: 2, task: "toy", model: "strip", text: "r g b", answer: "red" },
    axes: { source: axis, answer: { kind: "text", label: "Colour", items: ["red"] } },
    maps: [
      {
        ...{ name: "attention", title: "Attention", query: "source", key: "source" },
        ...{ heads: 1, weights: [rows] },
      },
    ],
    targets: [{ axis: "answer", item: 0, probability: 0.9, map: 0, head: null, row: 0 }],
    ...{ attributions: [], agreements: [], panels: [] },
    segments: [
      {
        ...{ text: "r g b", answer: "red", axes: ["source", "answer"] },
        ...{ maps: [0], targets: [0], attributions: [], agreements: [], panels: [] },
      },
    ],
  };
  const model = {
    name: "strip",
    task: "toy",
    input: { kind: "cells", prompt: "Colours" },
  };
  await browsing.withPage(browser, own.url, {}, async (page) => {
    await page.route("**/models", (route) =>
      route.fulfill({ json: { models: [model] } }),
    );
    await page.route("**/predict", (route) => route.fulfill({ json: { answer: "red" } }));
    await page.route("**/explain", (route) => route.fulfill({ json: said }));
    await page.goto(own.url);
    await page.fill("input[placeholder=Colours]", "r g b");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".cell");
    await page.click(".cell >> nth=1");
    const weights = await page.$$eval(".cell", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(weights, rows[1]);
    await page.click("#tab-sums");
    assert.deepEqual(
      await page.$$eval(".sum", (all) => all.map((one) => one.textContent)),
      ["1.00", "1.00", "1.00"],
    );
    await screenshot(page, "own-page");
  });
  await own.stop();
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
