// node build.js [--entry FILE.ts] [--dist FOLDER] [--out FILE.cc]: builds the page with
// Vite into FOLDER (dist), and packs it as the source of heed::PageFiles() if FILE.cc is
// named. An entry of another folder registers kinds and views of its own and then starts
// the page:
//   import { registerKind } from "heed-page/core";
//   import { start } from "heed-page/shell";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build } from "vite";

import { embed } from "./embed.js";

const { values } = parseArgs({
  options: {
    entry: { type: "string" },
    dist: { type: "string", default: "dist" },
    out: { type: "string" },
  },
});
const root = fileURLToPath(new URL(".", import.meta.url));
const outDir = resolve(values.dist);
const alias = values.entry
  ? [{ find: "/src/main.ts", replacement: resolve(values.entry) }]
  : [];
await build({
  root,
  logLevel: "warn",
  resolve: { alias },
  build: { outDir, emptyOutDir: true },
});
if (values.out) embed(outDir, values.out);
