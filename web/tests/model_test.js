// The page over models that draw themselves: their parts, one step in numbers and the
// vectors that they begin with. HEED_COMMAND is the command.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { launch, place, screenshot, withPage } from "./chromium.js";

const command = process.env.HEED_COMMAND;
const work = mkdtempSync(join(tmpdir(), "heed-model-"));
let server;
let url;
let browser;

function train(out, options) {
  const all = ["train", "--quiet", "--epochs", "1", "--out", join(work, out), ...options];
  const done = spawnSync(command, all, { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return join(work, out);
}

before(async () => {
  mkdirSync(place, { recursive: true });
  const text = join(work, "text.txt");
  const pairs = join(work, "pairs.tsv");
  writeFileSync(text, "the cat drinks milk\nthe dog eats bread\n\n".repeat(30));
  writeFileSync(pairs, "a b c\tc b a\nb c d\td c b\n".repeat(30));
  const sizes = ["--layers", "1", "--width", "16", "--ff", "16", "--heads", "2"];
  const small = ["--vocabulary", "words", "--units", "8", "--embedding", "8"];
  const models = [
    train("writer", ["--tsv", pairs, "--valid-tsv", pairs, "--metric", "loss", ...small]),
    train("bert", ["--task", "pretrain", "--texts", text, ...sizes]),
  ];
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

/** The names of the pictures of the tab, once they are drawn. */
async function pictures(page) {
  await page.waitForSelector(".made img");
  return page.$$eval(".made img", async (all) => {
    await Promise.all(all.map((one) => one.decode()));
    return all.map((one) => [one.naturalWidth > 200, decodeURIComponent(one.src)]);
  });
}

async function show(page, model, text) {
  await page.goto(`${url}#${new URLSearchParams({ model, text, view: "model" })}`);
  return pictures(page);
}

test("a recurrent decoder shows its parts and one step in numbers", async () => {
  await withPage(browser, url, {}, async (page) => {
    const all = await show(page, "writer", "a b c");
    assert.equal(all.length, 2);
    assert.ok(all.every(([isDrawn]) => isDrawn));
    assert.match(all[0][1], /z = tanh/);
    assert.match(all[1][1], /step i = \d/);
    await screenshot(page, "model");
  });
});

test("a BERT shows its parts and the vectors that it begins with", async () => {
  await withPage(browser, url, { dark: true }, async (page) => {
    const all = await show(page, "bert", "the [MASK] drinks milk");
    assert.equal(all.length, 2);
    assert.match(all[0][1], /self-attention/);
    assert.match(all[1][1], /mean length/);
    await screenshot(page, "model-bert-dark");
  });
});

/** The name and the bytes of a file that a button saves. */
async function saved(page, id) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(id)]);
  return [download.suggestedFilename(), readFileSync(await download.path())];
}

test("the pictures are saved as they are, on one sheet", async () => {
  for (const dark of [false, true]) {
    await withPage(browser, url, { dark }, async (page) => {
      await show(page, "writer", "a b c");
      const [name, bytes] = await saved(page, "#save-svg");
      assert.equal(name, "heed-writer-a-b-c-model.svg");
      const svg = bytes.toString();
      assert.match(svg, /z = tanh/);
      assert.match(svg, /step i = \d/);
      assert.ok(!svg.includes("<style"), "colours are those of the sheet");
      assert.ok(!svg.includes("class="), "nothing depends on the page");
      assert.ok(
        svg.includes(dark ? 'stroke="rgb(140, 203, 255)"' : 'stroke="rgb(11, 74, 148)"'),
      );
      const shown = await page.evaluate(async (text) => {
        const image = new Image();
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
        await image.decode();
        return image.naturalWidth;
      }, svg);
      assert.ok(shown > 600);
      const [picture, pixels] = await saved(page, "#save-png");
      assert.equal(picture, "heed-writer-a-b-c-model.png");
      assert.equal(pixels.readUInt32BE(16), 2 * shown);
    });
  }
});

test("a page in a file holds the pictures", async () => {
  const file = join(work, "look.html");
  const options = ["explain", join(work, "writer"), "--text", "a b c", "--out", file];
  const done = spawnSync(command, options, { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  await withPage(browser, `file://${file}`, {}, async (page) => {
    await page.goto(`file://${file}`);
    await page.click("[data-view=model], [role=tab]:has-text('Model')");
    assert.equal((await pictures(page)).length, 2);
  });
});
