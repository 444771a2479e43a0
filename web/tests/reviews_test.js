// Ratings from reviews: asked by names or by reviews, shown with what was chosen.
import assert from "node:assert/strict";
import { test } from "node:test";

import { screenshot } from "./chromium.js";
import { made, withPage } from "./made_up.js";

async function choose(page) {
  await page.goto(made.server.url);
  await page.selectOption("#model", "rater");
}

test("a pair is typed by its names, or reviews stand for them", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill('[aria-label="User"]', "ann");
    await page.fill('[aria-label="Item"]', " lamp ");
    assert.equal(await page.inputValue("#text"), "ann\tlamp");
    await page.fill('[aria-label="Reviews of the item"]', "It went dark.\n\nSolid!");
    assert.deepEqual(JSON.parse(await page.inputValue("#text")), {
      user: "ann",
      item: "lamp",
      item_reviews: ["It went dark.", "Solid!"],
    });
    await page.fill("#text", JSON.stringify({ item: "desk", user_reviews: ["a", "b"] }));
    assert.equal(await page.inputValue('[aria-label="User"]'), "");
    assert.equal(await page.inputValue('[aria-label="Item"]'), "desk");
    assert.equal(await page.inputValue('[aria-label="Reviews by the user"]'), "a\nb");
    assert.equal(await page.inputValue('[aria-label="Reviews of the item"]'), "");
    await screenshot(page, "reviews-form");
    await page.fill("#text", "{");
    assert.equal(await page.inputValue('[aria-label="Item"]'), "desk", "typing goes on");
  });
});

test("what was chosen of both sides is marked", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill("#text", "ann\tlamp");
    await page.click("#run");
    await page.waitForSelector('[data-axis="answer"] button');
    // What was chosen is shown at what it was chosen for.
    await page.hover('[data-axis="answer"] button');
    const chips = await page.$$eval('[data-axis="user_reviews"] button', (all) =>
      all.map((one) => [one.textContent, one.dataset.weight]),
    );
    assert.deepEqual(chips, [
      ["desk (4)", "0"],
      ["chair (2)", "1"],
    ]);
    await screenshot(page, "reviews");
    await page.click('[data-axis="user_reviews"] button:nth-child(2)');
    assert.equal(await page.locator(".review.chosen").count(), 1);
  });
});
