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

const panels = (page) =>
  page.$$eval(".memory-panels svg", (all) =>
    all.map((one) => one.getAttribute("aria-label")),
  );

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
    await page.waitForSelector(".memory-panels svg"); // shown first
    assert.deepEqual(await panels(page), [
      ...["Inputs", "Outputs", "Added vectors", "Read vectors"],
      ...["Write weights", "Read weights"],
    ]);
    assert.equal(
      await page.locator(".step-frame[visibility=visible]").count(),
      0,
      "no step is looked at",
    );
    const box = await page.locator(".memory-panels svg").first().boundingBox();
    await page.mouse.move(box.x + box.width - 8, box.y + 30);
    await page.waitForSelector(".step-frame[visibility=visible]");
    assert.equal(await page.locator(".step-frame[visibility=visible]").count(), 6);
    const weights = await page.$$eval(
      ".steps[data-axis=memory] rect.weight[data-weight]",
      (all) => all.map((one) => Number(one.dataset.weight)),
    );
    assert.equal(weights.length, 128, "each slot has a weight of the last step");
    assert.ok(Math.abs(weights.reduce((sum, one) => sum + one, 0) - 1) < 1e-3);
    await screenshot(page, "memory");
    // Weights have a scale of their own, which is said.
    const legend = () =>
      page.textContent(".memory-panels svg[aria-label='Write weights']");
    for (const [scale, said] of [
      ["absolute", "weight, 0 to 1"],
      ["row", "of the step's largest"],
      ["picture", "up to this picture's"],
    ]) {
      await page.selectOption("#scale", scale);
      assert.ok((await legend()).includes(said), await legend());
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
