// Ratings from reviews: asked by names or by reviews, shown with what was chosen.
import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, screenshot } from "./chromium.js";
import { made, text, withPage } from "./made_up.js";

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

test("what was chosen of both sides stands with its words and their map", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill("#text", "ann\tlamp");
    await page.click("#run");
    await page.waitForSelector(".reviews-view svg");
    assert.match(
      await text(page, ".rating-sum"),
      /4\.21 = 3\.50 mean \+ 0\.50 user − 0\.25 item \+ 0\.46 reviews/,
    );
    const pointers = await page.$$eval("rect.pointer", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(pointers, [0, 1, 0, 1]);
    const words = await page.$$eval("rect.review-word", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(words, [0, 0.25, 0.75, 0, 0.25, 0.75]);
    assert.equal(await page.locator("rect.affinity").count(), 4);
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
