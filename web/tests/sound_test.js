// A sound on an explanation that is made up, and the field of sounds.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import * as browsing from "./chromium.js";
import { assertClose, place, screenshot } from "./chromium.js";
import { writeFilePage } from "./fixture_server.js";
import { made, withPage } from "./made_up.js";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNgCGBY8B8AA4UB8MTd5F4AAAAASUVORK5CYII=";

/** A quarter of a second of a tone as a WAV file in base64. */
function tone() {
  const samples = 2000;
  const file = Buffer.alloc(44 + 2 * samples);
  file.write("RIFF", 0);
  file.writeUInt32LE(36 + 2 * samples, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(16000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(2 * samples, 40);
  for (let t = 0; t < samples; ++t) {
    const value = Math.round(8000 * Math.sin((2 * Math.PI * 440 * t) / 8000));
    file.writeInt16LE(value, 44 + 2 * t);
  }
  return file.toString("base64");
}

const weights = [
  [0.1, 0.72, 0.14, 0.03, 0.01],
  [0, 0.02, 0.08, 0.1, 0.8],
];
const explanation = {
  ...{ version: 3, task: "speech", model: "arsg", text: "a.wav", answer: "one two" },
  axes: {
    source: {
      ...{ kind: "audio", label: "Sound" },
      items: ["0.00 s", "0.05 s", "0.10 s", "0.15 s", "0.20 s"],
      payload: {
        ...{ seconds: 0.25, step: 0.05, spectrogram_seconds: 0.25, rate: 8000, png },
        wav: tone(),
        grey: [[0, 80]],
      },
    },
    target: { kind: "text", label: "Text", items: ["one", "two"] },
  },
  maps: [
    {
      ...{ name: "decoder.attention", title: "Decoder attention" },
      ...{ query: "target", key: "source", heads: 1 },
      weights: [weights],
      mean: weights,
      info: { score: "location_aware", normalizer: "smoothed_sigmoid" },
      statistics: { entropy: [1.4], distance: [0.2], unit: "share" },
    },
  ],
  segments: [
    {
      ...{ text: "a.wav", answer: "one two", axes: ["source", "target"], maps: [0] },
      targets: [0, 1],
      attributions: [],
      agreements: [],
      panels: [],
    },
  ],
  targets: [0, 1].map((item) => ({
    ...{ axis: "target", item, probability: 0.9, map: 0, head: null, row: item },
  })),
  attributions: [],
  agreements: [],
  panels: [],
};

/** Rows as heed/render draws them: a name, and cells that the page fills. */
const rows = explanation.axes.target.items.map(
  (word, row) =>
    `<g data-axis="target" data-item="${row}" transform="translate(0 ${24 * row})">` +
    `<text class="token" y="14">${word}</text><rect class="field" x="40" width="200" ` +
    `height="18"/><g class="cell" transform="translate(40 0)" data-cells="200 18" ` +
    `data-map="decoder.attention" data-row="${row}"></g></g>`,
);
explanation.segments[0].views = ["input"];
explanation.pictures = [
  {
    ...{ view: "input", segment: 0 },
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" class="heed" width="240" height="48">` +
      `<style>.heed .cell{fill:#0b4a94}.heed .field{fill:#edf1f6}</style>${rows.join("")}</svg>`,
  },
];

test("rows of a sound stand below its time, and a click plays what a word attended to", async () => {
  const path = join(place, "sound.html");
  writeFilePage(made.dist, [explanation], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.addInitScript(() => {
      const start = AudioBufferSourceNode.prototype.start;
      window.played = [];
      AudioBufferSourceNode.prototype.start = function (...times) {
        window.played.push(times);
        return start.apply(this, times);
      };
    });
    await page.goto(url);
    await page.waitForSelector(".picture .mark"); // shown first
    assert.equal(await page.locator(".picture .mark").count(), 2);
    const drawn = await page.$$eval(
      ".picture .mark:nth-of-type(2) [data-weight]",
      (all) => all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(drawn, weights[1].slice(1));
    await page.locator(".picture .mark").nth(0).click();
    await page.waitForFunction(() => window.played.length === 1);
    const [[, begin, length]] = await page.evaluate(() => window.played);
    assertClose([begin, length], [0, 0.2]);
    await page.focus(".picture svg");
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await page.waitForFunction(() => window.played.length === 2);
    const [, second] = await page.evaluate(() => window.played);
    assertClose(second.slice(1), [0.05, 0.25]);
    await screenshot(page, "sound");
  });
});

test("what is pointed at is shown below the spectrogram, and the whole can be heard", async () => {
  const path = join(place, "sound_above.html");
  writeFilePage(made.dist, [explanation], path);
  const url = pathToFileURL(path).href;
  await browsing.withPage(made.browser, url, {}, async (page) => {
    await page.goto(url);
    await page.waitForSelector(".figure.sound svg");
    await page
      .locator(".words-row", { hasText: "Text" })
      .locator("button")
      .first()
      .hover();
    const shown = await page.$$eval(".figure.sound .weight", (all) =>
      all.map((one) => Number(one.dataset.weight)),
    );
    assertClose(shown, weights[0]);
    await page.locator(".figure.sound").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(
      await page.getByRole("button", { name: "Play", exact: true }).count(),
      1,
    );
  });
});

test("a recording of a minute is sent as one channel of 16 kHz, which fits a request", async () => {
  await withPage({ expectErrors: true }, async (page) => {
    const input = { kind: "audio", prompt: "Record", media_types: ["audio/wav"] };
    const models = [{ name: "speech", task: "speech", input, examples: [] }];
    const sent = [];
    await page.route("**/models", (route) => route.fulfill({ json: { models } }));
    await page.route(/\/(predict|explain)$/, (route) => {
      sent.push(route.request().postData());
      return route.fulfill({ status: 400, json: { error: "heard" } });
    });
    await page.addInitScript(() => {
      const rate = 48000;
      const seconds = 60;
      navigator.mediaDevices.getUserMedia = async () => ({ getTracks: () => [] });
      window.MediaRecorder = class {
        start() {}
        stop() {
          const bytes = new DataView(new ArrayBuffer(44 + 4 * rate * seconds));
          const header = "RIFF....WAVEfmt ....................data....";
          [...header].forEach((c, i) => bytes.setUint8(i, c.charCodeAt(0)));
          bytes.setUint32(4, bytes.byteLength - 8, true);
          bytes.setUint32(16, 16, true);
          bytes.setUint32(20, (2 << 16) | 1, true); // two channels
          bytes.setUint32(24, rate, true);
          bytes.setUint32(28, 4 * rate, true);
          bytes.setUint32(32, (16 << 16) | 4, true);
          bytes.setUint32(40, bytes.byteLength - 44, true);
          for (let t = 0; t < rate * seconds; ++t) {
            const value = Math.round(8000 * Math.sin((2 * Math.PI * 440 * t) / rate));
            bytes.setInt16(44 + 4 * t, value, true);
            bytes.setInt16(46 + 4 * t, value, true);
          }
          this.ondataavailable({ data: new Blob([bytes]) });
          this.onstop();
        }
      };
    });
    await page.goto(made.server.url);
    await page.getByRole("button", { name: "Record" }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.waitForFunction(() => document.body.textContent.includes("heard"));
    assert.ok(sent[0].length < 4 << 20, `${sent[0].length} bytes`); // --max-body-bytes
    const wav = Buffer.from(JSON.parse(sent[0]).file.base64, "base64");
    assert.equal(wav.readUInt16LE(22), 1);
    assert.equal(wav.readUInt32LE(24), 16000);
    assert.equal(wav.length, 44 + 2 * 60 * 16000);
    let largest = 0;
    for (let t = 8000; t < 16000; ++t) {
      largest = Math.max(largest, Math.abs(wav.readInt16LE(44 + 2 * t)));
    }
    assert.ok(largest > 7500 && largest < 8500, `${largest}`);
  });
});
