// The page over a machine with a memory that it writes: a sequence is typed or drawn, and
// its memory shown step by step. HEED_COMMAND is the command.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { launch, place, screenshot, withPage } from "./chromium.js";

const command = process.env.HEED_COMMAND;
const work = mkdtempSync(join(tmpdir(), "heed-memory-"));
let server;
let url;
let browser;

before(async () => {
  mkdirSync(place, { recursive: true });
  const models = ["ntm", "lstm"].map((model) => {
    const out = join(work, model);
    const options = ["--model", model, "--bits", "4", "--max-length", "6"];
    const small = ["--units", "32", "--epoch-sequences", "300", "--epochs", "1"];
    const all = ["train", "--task", "algorithm", "--quiet", "--out", out];
    const done = spawnSync(command, [...all, ...options, ...small], { encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return out;
  });
  server = spawn(command, ["serve", ...models, "--port", "0"]);
  url = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      const found = /http:\/\/\S+/.exec(line);
      if (found) resolve(found[0]);
    });
    server.on("exit", () => reject(new Error("heed serve ended")));
  });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
  rmSync(work, { recursive: true, force: true });
});

test("a sequence that is typed shows what was written and read, step by step", async () => {
  await withPage(browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector("#model:not([disabled])");
    await page.selectOption("#model", "ntm");
    assert.match(await page.getAttribute("#text", "placeholder"), /vectors of 4 bits/);
    await page.fill("#text", "1010 0110 0001");
    await page.click("#run");
    await page.waitForSelector(".steps[data-axis=source] svg");
    // Three vectors of two, two and one bits, and the delimiter.
    assert.equal(await page.locator(".steps[data-axis=source] rect.bit").count(), 6);
    assert.equal(await page.locator(".steps[data-axis=target] svg").count(), 1);
    await page.waitForSelector(".picture svg"); // shown first
    const said = await page.textContent(".picture svg");
    for (const panel of [
      ...["Inputs", "Outputs", "Added vectors", "Read vectors"],
      ...["Write weights", "Read weights"],
    ]) {
      assert.ok(said.includes(panel), panel);
    }
    const chosen = page.locator(".picture .mark.chosen");
    assert.equal(await chosen.count(), 0, "no step is looked at");
    const steps = (await page.locator(".picture .mark").count()) / 6;
    await page
      .locator(".picture .mark")
      .nth(steps - 1)
      .hover();
    assert.equal(await chosen.count(), 6, "in every panel");
    const weights = await page.$$eval(
      ".steps[data-axis=memory] rect.weight[data-weight]",
      (all) => all.map((one) => Number(one.dataset.weight)),
    );
    assert.equal(weights.length, 128, "each slot has a weight of the last step");
    assert.ok(Math.abs(weights.reduce((sum, one) => sum + one, 0) - 1) < 1e-3);
    await screenshot(page, "memory");
    // Weights have a scale of their own, which is said.
    for (const [scale, said] of [
      ["absolute", "weights up to 1"],
      ["row", "weights up to the largest of each step"],
    ]) {
      await page.selectOption("#scale", scale);
      await page.waitForSelector(`.picture text:text("${said}")`);
    }
  });
});

test("a sequence is drawn anew at a click, as long as the one before", async () => {
  await withPage(browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector("#model:not([disabled])");
    await page.fill("#text", "random 4");
    await page.click("text=Draw one");
    await page.waitForSelector(".steps[data-axis=source] svg");
    assert.match(await page.inputValue("#text"), /^random 4 \d+$/);
  });
});

test("a machine without a memory says so, and a mistake is named", async () => {
  await withPage(browser, url, { expectErrors: true }, async (page) => {
    await page.goto(url);
    await page.waitForSelector("#model:not([disabled])");
    await page.selectOption("#model", "lstm");
    await page.fill("#text", "1010 0110");
    await page.click("#run");
    await page.waitForSelector(".steps[data-axis=source] svg");
    const tabs = await page.$$eval("[role=tab]", (all) =>
      all.map((one) => one.textContent),
    );
    assert.ok(!tabs.includes("Memory"), tabs.join());
    await page.fill("#text", "10102");
    await page.click("#run");
    await page.waitForSelector("text=/is not a row of 0 and 1/");
  });
});
