import { fileURLToPath } from "node:url";

import { defineConfig } from "vite";

// Where `./dev page` finds the API: a running heed serve.
const server = process.env.HEED_SERVER ?? "http://127.0.0.1:5000";
const routes = ["/models", "/translate", "/predict", "/explain", "/docs", "/health"];

export default defineConfig({
  resolve: {
    // What an entry of another folder imports; see build.js.
    alias: { "heed-page": fileURLToPath(new URL("src", import.meta.url)) },
  },
  base: "./", // so that a proxy may serve it below a path
  build: {
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 4096,
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(routes.map((route) => [route, server])),
  },
});
