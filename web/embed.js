// The built page as C++.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Paths of all files below a folder, from it, with "/" between folders. */
function filesOf(folder, prefix = "") {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesOf(folder, `${prefix}${entry.name}/`)
      : [prefix + entry.name],
  );
}

/** Writes the files of `dist` as the source of heed::PageFiles(), compressed. A page in a
 * file has them inline. */
export function embed(dist, out) {
  const arrays = [];
  const rows = [];
  for (const [i, path] of filesOf(dist).sort().entries()) {
    const type = types[extname(path)];
    if (!type) throw new Error(`${path}: no content type is known for it`);
    const content = readFileSync(join(dist, path));
    if (path.endsWith(".js") && /<\/script|<!--/i.test(content.toString())) {
      throw new Error(`${path}: cannot stand inside a page, it holds </script or <!--`);
    }
    const bytes = gzipSync(content, { level: 9 });
    const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    const lines = [...bytes].join(",").replace(/(.{90}\d*,)/g, "$1\n");
    arrays.push(`constexpr unsigned char kBytes${i}[] = {\n${lines}};\n`);
    rows.push(`    {"${path}", "${type}", "\\"${etag}\\"", Text(kBytes${i})},\n`);
  }
  writeFileSync(
    out,
    `// Written by web/embed.js.
#include "heed/page/page_files.h"

namespace heed {
namespace {

template <std::size_t N>
std::string_view Text(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

${arrays.join("\n")}
}  // namespace

std::span<const PageFile> PageFiles() {
  static const PageFile files[] = {
${rows.join("")}  };
  return files;
}

}  // namespace heed
`,
  );
}
