// Documents: pasted in several lines, shown sentence by sentence with both weights.
import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, screenshot } from "./chromium.js";
import { explain } from "./fixtures.js";
import { made, text, withPage } from "./made_up.js";

const review = "it was a long night\nthe plot is witty\npeople talk";
const said = explain({ model: "critic", text: review });
const [inner, outer, all] = said.maps;

async function explained(page) {
  await page.goto(made.server.url);
  await page.selectOption("#model", "critic");
  await page.fill("#text", review);
  await page.click("#run");
  await page.waitForSelector(".document-weights svg");
}

test("sentences have bars, and their words are shaded by both weights", async () => {
  await withPage({}, async (page) => {
    await explained(page);
    const weights = (selector) =>
      page.$$eval(selector, (shapes) => shapes.map((one) => Number(one.dataset.weight)));
    assertClose(await weights("rect.sentence-weight"), outer.weights[0][0]);
    const shades = inner.edges.map(
      ([r], e) => Math.sqrt(outer.weights[0][0][r]) * inner.weights[0][e],
    );
    assertClose(await weights("rect.word-weight"), shades);
    assert.match(await text(page, "#stages .note"), /the weight of each sentence/);
    await screenshot(page, "document");
  });
});

test("each sentence is a row of its words behind its number", async () => {
  await withPage({}, async (page) => {
    await explained(page);
    const rows = await page.$$eval(".document-sentence", (found) =>
      found.map((row) => [...row.querySelectorAll("bdi")].map((one) => one.textContent)),
    );
    assert.deepEqual(
      rows,
      review.split("\n").map((line, i) => [String(i + 1), ...line.split(" ")]),
    );
    // Words carry their weight in the whole document.
    await page.hover("rect.word-weight >> nth=8");
    await page.click(".document-sentence .line .word >> nth=8");
    assert.equal(all.weights[0][0].length, 11);
  });
});
