// Visits: edited in the form, shown as a timeline, explained by contributions.
import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, screenshot } from "./chromium.js";
import { explain } from "./fixtures.js";
import { made, text, withPage } from "./made_up.js";

const patient = {
  visits: [["I50", "E11"], ["I10"], ["J45", "N18", "E11"]],
  times: [0, 7, 41.5],
};
const line = JSON.stringify(patient);
const said = explain({ model: "ward", text: line });

async function choose(page) {
  await page.goto(made.server.url);
  await page.selectOption("#model", "ward");
}

test("visits are typed one by one, or pasted as a line of JSON", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill('[aria-label="Codes of visit 1"]', "I50, E11");
    await page.click("text=Add a visit");
    await page.fill('[aria-label="Codes of visit 2"]', " I10 ,");
    assert.deepEqual(JSON.parse(await page.inputValue("#text")), {
      visits: [["I50", "E11"], ["I10"]],
    });
    await page.fill('[aria-label="Time of visit 1"]', "3");
    await page.fill('[aria-label="Time of visit 2"]', "8.5");
    assert.deepEqual(JSON.parse(await page.inputValue("#text")).times, [3, 8.5]);
    await page.locator(".visit-rows button").first().click();
    assert.deepEqual(JSON.parse(await page.inputValue("#text")), {
      visits: [["I10"]],
      times: [8.5],
    });
    await page.fill("#text", line);
    assert.equal(
      await page.inputValue('[aria-label="Codes of visit 3"]'),
      "J45, N18, E11",
    );
    assert.equal(await page.inputValue('[aria-label="Time of visit 3"]'), "41.5");
    await screenshot(page, "visits-form");
    await page.fill("#text", "{");
    assert.equal(await page.locator(".visit-rows li").count(), 3, "typing goes on");
  });
});

test("visits stand side by side with what each code adds to the answer", async () => {
  await withPage({}, async (page) => {
    await choose(page);
    await page.fill("#text", line);
    await page.click("#run");
    await page.waitForSelector(".visit");
    const visits = await page.$$eval(".visit", (all) =>
      all.map((one) => one.textContent),
    );
    assert.equal(visits.length, 3);
    assert.match(visits[2], /visit 3.*time 41.5.*J45.*N18.*E11/);
    const added = await page.$$eval(".visit li small", (all) =>
      all.map((one) => Number(one.textContent.replace("−", "-"))),
    );
    assertClose(added, said.attributions[0].scores[0]);
    await screenshot(page, "visits");
    await page.hover(".visit:nth-child(3) .visit-head");
    await page.click(".visit:nth-child(3) .visit-head");
    assert.ok(await page.locator(".visit-head.chosen").count());
  });
});

test("an answer that is no sum says so", async () => {
  await withPage({}, async (page) => {
    await page.goto(made.server.url);
    await page.selectOption("#model", "sentiment");
    await page.fill("#text", "A warm film.");
    await page.click("#run");
    await page.waitForSelector(".answer[aria-busy=false]");
    const tab = page.locator('[role=tab]:has-text("Contributions")');
    assert.equal(await tab.count(), 0);
    // A link may ask for it all the same.
    const values = new URLSearchParams(new URL(page.url()).hash.slice(1));
    values.set("view", "contributions");
    await page.goto("about:blank");
    await page.goto(`${made.server.url}#${values}`);
    await page.waitForSelector(".answer[aria-busy=false]");
    assert.equal(await tab.count(), 1);
    assert.match(await text(page, "#stages"), /has no such picture/);
  });
});
