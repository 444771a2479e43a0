// What is said of a text, and why, on explanations that are made up: what the small models of
// page_test.js cannot show.
import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, place, screenshot, shownWeights } from "./chromium.js";
import { explain, models } from "./fixtures.js";
import { labels, lines, made, open, text, withPage } from "./made_up.js";

test("a text that was run in parts is explained in these parts, as it was run", async () => {
  const said = explain({ model: "de-en", text: lines });
  await withPage({}, async (page) => {
    made.server.requests.length = 0;
    await open(page, { model: "de-en", of: lines });
    const asked = made.server.requests.filter(([path]) => path === "explain");
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
    // The text of a link is packed in the background.
    await page.waitForURL(/[#&?]part=1(&|$)/);
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
  const options = { text: "Heute schläft der Hund.", methods: ["saliency"] };
  const { attributions, axes } = explain({ model: "de-en", ...options });
  const [{ scores }] = attributions;
  const [[from, to], [begin, end]] = [axes.target.words[2], axes.source.words[1]];
  const ofWord = scores
    .slice(from, to)
    .map((row) => row.slice(begin, end).reduce((sum, one) => sum + one, 0));
  const wanted = ofWord.reduce((sum, one) => sum + one, 0) / (to - from);
  await withPage({}, async (page) => {
    await open(page, { model: "de-en", of: options.text, view: "saliency" });
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

test("text is passed on as it was typed, and what is said is called by its name", async () => {
  await withPage({}, async (page) => {
    made.server.requests.length = 0;
    await page.goto(made.server.url);
    await page.selectOption("#model", "writer");
    await page.fill("#text", "The man on the ");
    await page.click("#run");
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.deepEqual(
      made.server.requests.map(([path, { text: sent }]) => [path, sent]),
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
    await page.goto(made.server.url);
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
      // In the field, or above it where a kind has fields of its own.
      const places = [
        await page.getAttribute("#text", "placeholder"),
        ...(await page.locator("form .note").allTextContents()),
      ];
      assert.ok(places.includes(input.prompt), `${name}: ${places}`);
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
    made.server.requests.length = 0;
    await open(page, { model: "de-en", of: "Heute schläft der Hund." });
    await page.click(".line[data-axis=target] .word >> nth=1");
    await page.fill(".why input", "cat");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".contrast svg");
    const [, asked] = made.server.requests.at(-1);
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
    // Words that both texts share are subtracted; probabilities stand side by side.
    await page.waitForSelector(".comparison .probabilities tbody tr");
    assert.match(await text(page, ".comparison .note"), /only one text has/);
    await screenshot(page, "compare-texts");
    made.server.requests.length = 0;
    await page.fill("#other-text", "");
    await page.fill("#other-answer", "one man reads.");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /another answer/.test(document.body.textContent));
    await page.waitForFunction(() => !document.querySelector(".answer[aria-busy=true]"));
    const forced = made.server.requests.filter(
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
    made.server.requests.length = 0;
    await page.goto(made.server.url);
    await page.waitForSelector("#model:not([disabled])");
    await page.fill("#text", long);
    assert.match(await text(page, "#limit"), /^1,300 characters.*at most 1,000/);
    assert.ok(await page.isVisible("#limit"));
    await page.click("#run");
    await page.waitForSelector(".unexplained");
    assert.match(await text(page, ".streamed"), /^translated: Ein Mann/);
    assert.match(await text(page, ".unexplained"), /complete, but it is not explained/);
    assert.ok(!made.server.requests.some(([path]) => path === "explain"));
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
