// Clients of LibreTranslate, by others, ask heed serve. HEED_COMMAND is the command,
// HEED_PAGE_TEST the folder for models.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import libretranslate from "libretranslate-ts";
import translate from "translate";

import { place } from "./chromium.js";
import { startServer } from "./server.js";

const text = "heute schläft der kleine hund";
const translation = "the small dog sleeps today";
let server;

before(async () => {
  server = await startServer(process.env.HEED_COMMAND, join(place, "models"));
});

after(async () => {
  await server?.stop();
});

test("libretranslate-ts lists languages, detects and translates", async () => {
  const client = libretranslate.libreTranslate;
  client.setApiEndpoint(server.url.replace(/\/$/, ""));
  client.setApiKey("any");
  const languages = await client.listLanguages();
  const german = languages.find(({ code }) => code === "de");
  assert.equal(german.name, "German");
  assert.ok(german.targets.includes("en"));
  const detected = await client.detect(text);
  assert.equal(detected.status, 200);
  assert.equal(detected.language, "de");
  assert.ok(detected.confidence > 50 && detected.confidence <= 100);
  const answer = await client.translate(text, "de", "en", 2);
  assert.equal(answer.status, 200);
  assert.equal(answer.translatedText, translation);
  assert.equal(answer.alternatives.length, 2);
});

test("libretranslate-ts passes on in words why a text is refused", async () => {
  const client = libretranslate.libreTranslate;
  client.setApiEndpoint(server.url.replace(/\/$/, ""));
  const refusal = await client.translate(text, "de", "fr");
  assert.equal(refusal.translatedText, "");
  assert.match(refusal.error, /fr is not supported/);
});

test("translate, a client of several services, translates one after another", async () => {
  const client = translate.Translate({
    engine: "libre",
    url: `${server.url}translate`,
    from: "de",
    to: "en",
  });
  assert.equal(await client(text), translation);
  const answers = ["der mann läuft hier", "heute liest die frau", text].map((line) =>
    client(line),
  );
  assert.equal((await Promise.all(answers)).at(-1), translation);
});
