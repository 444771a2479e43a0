#pragma once

#include <span>
#include <string_view>

namespace heed {

// A file of the page that the server shows at `/`. The build packs what web/
// makes into the library; PageFiles() is the source that it generates.
struct PageFile {
  std::string_view path;   // from the root of the server: "index.html", "assets/page-1f3.js"
  std::string_view type;   // value of Content-Type, with the charset
  std::string_view etag;   // with its quotes; changes whenever `bytes` do
  std::string_view bytes;  // gzip
};

// The files sorted by path. "index.html" is the one that is shown at `/`; with no
// page in the build there are none, and the server says so there.
// Files below "assets/" carry a hash of their content in the name, so that browsers
// may keep them for ever; all others are asked for anew with their etag.
std::span<const PageFile> PageFiles();

}  // namespace heed
