// The page of the open house in Chromium: its kind of input is entered, sent, predicted
// and shown, by a server and in a file. HEED_BUILD: build folder. HEED_PAGE_TEST:
// folder for screenshots.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launch, place, screenshot, withPage } from "../../web/tests/chromium.js";

const program = join(process.env.HEED_BUILD, "tests/open_house/open_house");
const colours = { r: "red", g: "green", b: "blue", y: "yellow" };
const cells = "ggbgrgg";
let work;
let model;
let server;
let url;
let browser;

function run(...options) {
  const done = spawnSync(program, options, { encoding: "utf8", cwd: work });
  assert.equal(done.status, 0, done.stderr);
}

/** A list of strips, of which the letters of each are mostly one. */
function writeStrips() {
  const lines = Object.entries(colours).flatMap(([letter, colour]) =>
    Object.keys(colours).map((other) => {
      const name = `${letter}${other}.strip`;
      writeFileSync(join(work, name), `${letter}${other}${letter}${letter}${other}`);
      return `${name}\t${colour}\n`;
    }),
  );
  writeFileSync(join(work, "strips.list"), lines.join(""));
  writeFileSync(join(work, "of.strip"), cells);
}

before(async () => {
  mkdirSync(place, { recursive: true });
  work = mkdtempSync(join(tmpdir(), "heed-open-house-"));
  model = join(work, "strips");
  writeStrips();
  run(
    ...["train", "--task", "colours", "--examples", "strips.list", "--out", model],
    ...["--epochs", "60", "--learning-rate", "0.01", "--model", "rnn", "--units", "16"],
    "--quiet",
  );
  server = spawn(program, ["serve", model, "--port", "0"]);
  const [line] = await createInterface({ input: server.stdout })
    [Symbol.asyncIterator]()
    .next()
    .then(({ value }) => [value]);
  url = /http:\/\/\S+/.exec(line)[0];
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.kill("SIGTERM");
  rmSync(work, { recursive: true, force: true });
});

const namesOf = (letters) => [...letters].map((letter) => colours[letter]);
const shownCells = (page) =>
  page.$$eval(".strip-cell", (all) => all.map((cell) => cell.dataset.colour));
const shownWeights = (page) =>
  page.$$eval(".strip-cell", (all) => all.map((cell) => Number(cell.dataset.weight)));

/** What /explain says of the cells. */
async function explained() {
  const file = { base64: btoa(cells), media_type: "application/x-strip", name: cells };
  const response = await fetch(`${url}explain`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "strips", file }),
  });
  assert.equal(response.status, 200);
  return response.json();
}

/** The cells have their colours, and the colour that was answered weighs them. */
async function checkShown(page, { maps, targets, answer }) {
  assert.deepEqual(await shownCells(page), namesOf(cells));
  assert.equal(answer, "green");
  await page.hover(`.line[data-axis=answer] .word:has-text("${answer}")`);
  const [{ map, row }] = targets;
  const shown = await shownWeights(page);
  maps[map].weights[0][row].forEach((weight, i) =>
    assert.ok(Math.abs(weight - shown[i]) < 1e-6, `${weight} is shown as ${shown[i]}`),
  );
}

test("strips are typed as cells, sent as bytes, and shown in their colours", async () => {
  const said = await explained();
  await withPage(browser, url, {}, async (page) => {
    const sent = [];
    page.on("request", (request) => sent.push(request.postDataJSON()));
    await page.goto(url);
    await page.fill("input[placeholder='Type cells, as rrgby']", cells);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".strip-cell");
    const files = sent.filter(Boolean).map(({ file }) => atob(file.base64));
    assert.deepEqual(new Set(files), new Set([cells]));
    await checkShown(page, said);
    await screenshot(page, "open-house");
  });
});

test("a view of its own sums the attention of each colour", async () => {
  const { maps, targets } = await explained();
  const sums = { green: 0, blue: 0, red: 0 };
  maps[targets[0].map].weights[0][0].forEach((weight, i) => {
    sums[colours[cells[i]]] += weight;
  });
  await withPage(browser, url, {}, async (page) => {
    await page.goto(`${url}#${new URLSearchParams({ text: cells, view: "colours" })}`);
    await page.waitForSelector(".picture svg");
    const shown = await page.textContent(".picture svg");
    for (const [colour, sum] of Object.entries(sums)) {
      assert.ok(shown.includes(`${colour} ${sum.toFixed(2)}`), shown);
    }
  });
});

test("an example of the task's row and a link fill the form", async () => {
  await withPage(browser, url, {}, async (page) => {
    await page.goto(url);
    await page.click("#examples button");
    await page.waitForSelector(".strip-cell");
    assert.deepEqual(await shownCells(page), namesOf("rrgrb"));
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.waitForSelector(".strip-cell");
    assert.deepEqual(await shownCells(page), namesOf("rrgrb"));
  });
});

test("what cannot be read is said in the server's words", async () => {
  await withPage(browser, url, { expectErrors: true }, async (page) => {
    await page.goto(url);
    await page.fill("#text", "rgx");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=cell 3 is none of the colours r, g, b, y");
  });
});

test("the page in a file shows strips as well", async () => {
  const path = join(work, "of.html");
  run("explain", model, "--text", "of.strip", "--out", path);
  const address = pathToFileURL(path).href;
  const said = await explained();
  await withPage(browser, address, {}, async (page) => {
    await page.goto(address);
    await page.waitForSelector(".strip-cell");
    await checkShown(page, said);
    await screenshot(page, "open-house-file");
  });
});
