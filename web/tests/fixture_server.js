// A server of the built page and of the models of fixtures.js.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { explain, models, predict } from "./fixtures.js";

const types = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
};
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'self'";
const web = fileURLToPath(new URL("..", import.meta.url));

/** Builds the page below `place`; returns its folder. */
export function buildPage(place) {
  const dist = join(place, "dist");
  const done = spawnSync(process.execPath, [join(web, "build.js"), "--dist", dist], {
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(done.stderr);
  return dist;
}

/** The built page as one file with explanations inside, as `heed explain` writes it. */
export function writeFilePage(dist, explanations, path) {
  const inside = (name) => readFileSync(join(dist, name), "utf8");
  const data = JSON.stringify(explanations).replaceAll("<", "\\u003c");
  const html = inside("index.html")
    .replace(/<script type="module"[^>]* src="\.\/([^"]+)"><\/script>/, (_, name) => {
      return `<script type="module">${inside(name)}</script>`;
    })
    .replace(/<link rel="stylesheet"[^>]* href="\.\/([^"]+)">/, (_, name) => {
      return `<style>${inside(name)}</style>`;
    })
    .replace("</body>", () => {
      return `<script type="application/json" id="heed-explanations">${data}</script></body>`;
    });
  writeFileSync(path, html);
}

/** `requests` are those that were asked: [path, body]. */
export async function serveFixtures(dist) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = request.url.slice(1);
    const answer = (type, body, status = 200) => {
      response.writeHead(status, {
        "Content-Type": type,
        "Content-Security-Policy": policy,
      });
      response.end(body);
    };
    const json = (value, status) =>
      answer("application/json", JSON.stringify(value), status);
    if (request.method === "GET") {
      if (path === "models") return json({ models });
      const file = path || "index.html";
      return answer(types[file.split(".").pop()], readFileSync(join(dist, file)));
    }
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      const body = JSON.parse(text);
      requests.push([path, body]);
      try {
        json(path === "explain" ? explain(body) : predict(body));
      } catch (error) {
        json({ error: String(error) }, 500);
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    requests,
    stop: () => new Promise((done) => server.close(done)),
  };
}
