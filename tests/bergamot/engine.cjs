// Translates with the engine of Firefox, the npm package @browsermt/bergamot-translator.
// Usage: node engine.cjs PACKAGE < JOB, where JOB is {"model", "vocabs", "shortlist" ("" for none),
// "lines"}; prints a list of {"text", "words": [log p of each word], or null}. With "timed": true,
// the engine translates all lines in one call, and {"seconds", "texts"} are printed.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {Worker} = require('node:worker_threads');

// The package calls itself a module, but its worker is none: it runs in a copy.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bergamot-'));
fs.cpSync(path.join(process.argv[2], 'worker'), folder, {recursive: true});
const worker = new Worker(path.join(folder, 'translator-worker.js'), {stderr: true});
let calls = 0;

/// Calls one function of the worker at a time.
function call(name, ...args) {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (message) => {
      worker.off('error', reject);
      if (message.error) reject(new Error(message.error.message));
      else resolve(message.result);
    });
    worker.postMessage({id: ++calls, name, args});
  });
}

function bytes(file) {
  const data = file ? fs.readFileSync(file) : Buffer.alloc(0);
  return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
}

/// Returns when all is written, as exiting would cut it.
function print(result) {
  return new Promise((resolve) => process.stdout.write(JSON.stringify(result), resolve));
}

async function main() {
  const job = JSON.parse(fs.readFileSync(0, 'utf8'));
  const models = [{from: 'en', to: 'de'}];
  await call('initialize', {cacheSize: 0});
  await call('loadTranslationModel', models[0], {
    model: bytes(job.model),
    shortlist: bytes(job.shortlist),
    vocabs: job.vocabs.map(bytes),
    qualityModel: null,
    config: {'skip-cost': String(Boolean(job.timed))},
  });
  if (job.timed) {
    const start = performance.now();
    const answers = await call('translate', {
      models, texts: job.lines.map((text) => ({text, html: false, qualityScores: false}))});
    const seconds = (performance.now() - start) / 1e3;
    const texts = answers.map((answer) => answer.target.text);
    await print({seconds, texts});
    return;
  }
  const results = [];
  for (const text of job.lines) {
    const one = (qualityScores) => call('translate', {
      models, texts: [{text, html: qualityScores, qualityScores}]});
    const [plain] = await one(false);
    // The engine cannot write some translations as HTML, such as one of spaces only.
    const [scored] = await one(true).catch(() => [null]);
    const words = scored && [...scored.target.text.matchAll(/x-bergamot-word-score="?([-\d.e]+)/g)];
    results.push({text: plain.target.text, words: words && words.map((word) => Number(word[1]))});
  }
  await print(results);
}

main().then(() => 0, (error) => { console.error(error.message); return 1; }).then((code) => {
  fs.rmSync(folder, {recursive: true});
  process.exit(code);
});
