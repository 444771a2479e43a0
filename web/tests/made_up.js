// The built page on explanations that are made up (fixtures.js), in Chromium: what the
// tests of it share. Begins and ends with the tests of the file that imports it.
import { mkdirSync } from "node:fs";
import { after, before } from "node:test";

import * as browsing from "./chromium.js";
import { launch, place } from "./chromium.js";
import { buildPage, serveFixtures } from "./fixture_server.js";

/** The text of several parts. */
export const lines = "Ein Mann liest.\nHeute schläft der Hund.\nEin Mann liest.";
export const made = { server: null, browser: null, dist: "" };

before(async () => {
  mkdirSync(place, { recursive: true });
  made.dist = buildPage(place);
  made.server = await serveFixtures(made.dist);
  made.browser = await launch();
});

after(async () => {
  await made.browser?.close();
  await made.server?.stop();
});

export const withPage = (options, work) =>
  browsing.withPage(made.browser, made.server.url, options, work);
export const open = (page, wanted) => browsing.open(page, made.server.url, wanted);
export const text = (page, selector) => page.textContent(selector);
export const labels = (page, axis) =>
  page.$$eval(`.line[data-axis="${axis}"] bdi`, (all) =>
    all.map((one) => one.textContent),
  );
