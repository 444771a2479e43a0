// Drives the page over every task that heed lists: its sample of tests/samples is trained,
// served, typed in and shown, and shown by a page in a file. HEED_COMMAND is the command;
// HEED_SAMPLES another folder of samples, for the tasks that have one there.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { launch, place, screenshot, withPage } from "./chromium.js";

const command = process.env.HEED_COMMAND;
const own = process.env.HEED_SAMPLES;
const sampleFolder =
  own ?? fileURLToPath(new URL("../../tests/samples", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "heed-tasks-"));
const tasks = JSON.parse(run(["list", "tasks", "--json"]))
  .tasks.map(({ task }) => task)
  .filter((task) => !own || existsSync(join(sampleFolder, `${task}.json`)));
let server;
let url;
let browser;

function run(options, input = "") {
  const done = spawnSync(command, options, { encoding: "utf8", input });
  assert.equal(done.status, 0, `heed ${options.join(" ")}:\n${done.stderr}`);
  return done.stdout;
}

const sampleOf = (task) =>
  JSON.parse(readFileSync(join(sampleFolder, `${task}.json`), "utf8"));

/** A file that is an input, of a task that reads files. */
const inputFileOf = (task) => {
  const { input_file: name } = sampleOf(task);
  return name && join(work, `files-${task}`, name);
};

/** Writes the files of a task's sample and trains it; returns the model's folder. */
function train(task) {
  const { files, train: options } = sampleOf(task);
  const folder = join(work, `files-${task}`);
  for (const [name, content] of Object.entries(files)) {
    const bytes = Array.isArray(content)
      ? content.map((line) => `${line}\n`).join("")
      : Buffer.from(content.base64, "base64");
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const model = join(work, task);
  const filled = options.map((option) => option.replaceAll("{}", folder));
  run(["train", "--task", task, "--out", model, "--steps", "20", "--quiet", ...filled]);
  return model;
}

before(async () => {
  mkdirSync(place, { recursive: true });
  server = spawn(command, ["serve", ...tasks.map(train), "--port", "0"]);
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

/** The first axes are on show but for those that cover others (patches of a series), and
 * each view draws or says why it does not. */
async function checkShown(page, { axes, segments }) {
  assert.equal(await page.locator(".answer :is(.problem, .unexplained)").count(), 0);
  const shown = await page.textContent(".answer");
  for (const id of segments[0].axes.slice(0, 2).filter((id) => !axes[id].of)) {
    assert.ok(shown.includes(axes[id].label), `${axes[id].label} is named in ${shown}`);
  }
  for (const tab of await page.locator("[role=tab]").all()) {
    await tab.click();
    assert.notEqual((await page.textContent("#stages")).trim(), "");
  }
}

/** Chooses another column of a series, which is then explained. */
async function checkColumns(page, { axes }) {
  const choice = page.locator(".series-head select");
  if ((await choice.count()) === 0) return;
  const { columns } = axes.window.payload;
  assert.deepEqual(await choice.locator("option").allTextContents(), columns);
  assert.equal(await choice.inputValue(), columns.at(-1));
  await choice.selectOption(columns[0]);
  await page.waitForFunction(
    (head) => document.querySelector(".series-head .label")?.textContent.startsWith(head),
    `${columns[0]}: `,
  );
  assert.match(page.url(), new RegExp(`answer=${columns[0]}`));
  assert.equal(await choice.inputValue(), columns[0]);
}

for (const task of tasks) {
  test(`${task}: what is typed is answered and explained`, async () => {
    const { input, typed } = sampleOf(task); // `typed`: where a page has a field for files
    const file = typed ? undefined : inputFileOf(task);
    await withPage(browser, url, {}, async (page) => {
      await page.goto(url);
      await page.waitForSelector("#model:not([disabled])");
      await page.selectOption("#model", task);
      const explained = page.waitForResponse((one) => one.url().endsWith("/explain"));
      if (file && (await page.locator("#examples img").count()) > 0) {
        await page.locator("#examples button").first().click(); // which asks at once
      } else if (file) {
        await page.setInputFiles("#text", file); // which asks at once
      } else {
        await page.fill("#text", typed ?? input);
        await page.click("#run");
      }
      const said = await (await explained).json();
      assert.equal(said.task, task);
      await page.waitForSelector(".answer[aria-busy=false]");
      await checkShown(page, said);
      await screenshot(page, `task-${task}`);
      await checkColumns(page, said);
      const whyNot = page.locator('.prediction button:has-text("why not?")');
      if ((await whyNot.count()) === 0) return;
      await whyNot.first().click();
      await page.waitForSelector(".contrast, #stages .problem");
      assert.deepEqual(await page.locator("#stages .problem").allTextContents(), []);
    });
  });

  test(`${task}: a page in a file shows the same`, async () => {
    const file = join(work, `${task}.html`);
    const input = inputFileOf(task) ?? sampleOf(task).input;
    run(["explain", join(work, task), "--out", file], `${input}\n`);
    const said = JSON.parse(
      /id="heed-explanations">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))[1],
    );
    const address = pathToFileURL(file).href;
    await withPage(browser, address, {}, async (page) => {
      await page.goto(address);
      await page.waitForSelector(".answer[aria-busy=false]");
      await checkShown(page, said[0]);
    });
  });
}
