// Single-file page with the explanations embedded.
#ifndef HEED_PAGE_STATIC_PAGE_H_
#define HEED_PAGE_STATIC_PAGE_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/page/page_files.h"

namespace heed {

/// "index.html" of `files` with its scripts, style sheets and `json` embedded.
/// `json` is the script element "heed-explanations" of type application/json.
/// The page makes no outside requests.
/// Throws: ConfigError if there are no files; its message says what a build
/// needs.
std::string StaticPage(std::span<const PageFile> files, std::string_view json);

}  // namespace heed

#endif  // HEED_PAGE_STATIC_PAGE_H_
