// Documents: pasted in several lines, shown sentence by sentence.
import assert from "node:assert/strict";
import { test } from "node:test";

import { screenshot } from "./chromium.js";
import { made, withPage } from "./made_up.js";

const review = "it was a long night\nthe plot is witty\npeople talk";

async function explained(page) {
  await page.goto(made.server.url);
  await page.selectOption("#model", "critic");
  await page.fill("#text", review);
  await page.click("#run");
  await page.waitForSelector(".document-sentence");
}

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
    await screenshot(page, "document");
  });
});
