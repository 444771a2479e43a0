// The browser of the tests, and pages that fail a test if a script fails or somebody but
// the server is asked.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

/** Where screenshots, models and built pages go. */
export const place =
  process.env.HEED_PAGE_TEST ??
  fileURLToPath(new URL("../../build/page-test", import.meta.url));

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat(
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ),
  });
}

export async function withPage(browser, url, options, work) {
  const { width = 1280, height = 900, dark = false, expectErrors = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !expectErrors) faults.push(message.text());
  });
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(data|blob):/.test(asked))
      faults.push(`asked ${asked}`);
  });
  try {
    await work(page);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

/** Opens a link to a view and waits for its answer. */
export async function open(page, url, { model, view = "heatmap", head, other, of }) {
  const values = new URLSearchParams({ model, text: of, view });
  if (head) values.set("head", head);
  if (other) values.set("model2", other);
  await page.goto(`${url}#${values}`);
  await page.waitForSelector(".answer[aria-busy=false]");
  await page.waitForFunction(() => !document.querySelector(".answer[aria-busy=true]"));
}

export const screenshot = (page, name) =>
  page.screenshot({ path: join(place, `${name}.png`), fullPage: true });

/** The weights that the words of an axis show. */
export const shownWeights = (page, axis) =>
  page.$$eval(`.line[data-axis="${axis}"] .word`, (words) =>
    words.map((word) => Number(word.dataset.weight)),
  );

export function assertClose(shown, said) {
  assert.equal(shown.length, said.length);
  shown.forEach((weight, i) => {
    assert.ok(
      Math.abs(weight - said[i]) < 1e-6,
      `${weight} is shown, the API says ${said[i]}`,
    );
  });
}

/** Of all texts that can be seen, the worst contrast and where it is. */
export const worstContrast = (page) =>
  page.evaluate(() => {
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const context = pen.getContext("2d", { willReadFrequently: true });
    /** Red, green, blue, and opacity 0 to 1. */
    const rgba = (colour) => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = (below, [r, g, b, a]) =>
      [r, g, b].map((value, c) => below[c] + (value - below[c]) * a);
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
      const [x, y] = [luminance(a), luminance(b)].sort((one, two) => two - one);
      return (x + 0.05) / (y + 0.05);
    };
    /** What lies below a point of an element, from the page up to it. */
    const ground = (x, y, element) => {
      let colour = rgba(getComputedStyle(document.documentElement).backgroundColor).slice(
        0,
        3,
      );
      colour = over(
        [255, 255, 255],
        rgba(getComputedStyle(document.body).backgroundColor),
      );
      const stack = document.elementsFromPoint(x, y);
      for (const one of stack
        .slice(stack.indexOf(element) < 0 ? 0 : stack.indexOf(element))
        .reverse()) {
        const style = getComputedStyle(one);
        if (one instanceof SVGGraphicsElement) {
          if (one.tagName === "text" || style.fill === "none" || one.tagName === "svg")
            continue;
          const [r, g, b, a] = rgba(style.fill);
          colour = over(colour, [r, g, b, a * Number(style.fillOpacity)]);
        } else colour = over(colour, rgba(style.backgroundColor));
      }
      return colour;
    };
    let worst = { contrast: 21, text: "" };
    const look = (element, box, fill) => {
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || box.width === 0)
        return;
      const hit = document.elementsFromPoint(x, y);
      const own = element instanceof SVGElement ? element.ownerSVGElement : element;
      if (!hit.includes(element) && !hit.includes(own)) return; // hidden by something
      const below = ground(x, y, element);
      const found = contrast(over(below, rgba(fill)), below);
      if (found < worst.contrast)
        worst = { contrast: found, text: element.textContent.slice(0, 40) };
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || element.closest("option,script,[hidden]")) continue;
      const style = getComputedStyle(element);
      if (style.visibility === "hidden") continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const fill = element instanceof SVGElement ? style.fill : style.color;
      for (const box of range.getClientRects()) look(element, box, fill);
    }
    return worst;
  });
