// Reading: a passage with its question is typed, and shown sentence by sentence.
import assert from "node:assert/strict";
import { test } from "node:test";

import { screenshot } from "./chromium.js";
import { made, withPage } from "./made_up.js";

const asked = "Ann took the lamp\nAnn went home\tWhere is the lamp ?";

async function choose(page) {
  await page.goto(made.server.url);
  await page.selectOption("#model", "reader");
}

test("passage, question and candidates have fields of their own", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill("#text", asked);
    assert.equal(await page.inputValue("#text"), asked.split("\t")[0]);
    assert.equal(await page.inputValue('[aria-label="Question"]'), "Where is the lamp ?");
    await page.fill(
      "#text",
      JSON.stringify({ passage: "a b", question: "c", candidates: ["a", "b"] }),
    );
    assert.equal(await page.inputValue("#text"), "a b");
    assert.equal(await page.inputValue('[aria-label^="Candidates"]'), "a, b");
    await screenshot(page, "passage-form");
  });
});

test("the passage stands sentence by sentence", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill("#text", asked);
    await page.click("#run");
    await page.waitForSelector(".document-sentence");
    const rows = await page.$$eval(".document-sentence", (found) => found.length);
    assert.equal(rows, 2);
    await screenshot(page, "passage");
  });
});
