#include "heed/page/static_page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;

std::string Unpacked(const PageFile& file) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzip) != Z_OK) throw IoError("zlib: no memory");
  // zlib does not write to it.
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(file.bytes.data()));
  stream.avail_in = static_cast<uInt>(file.bytes.size());
  std::string text;
  char block[1 << 14];
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof(block);
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(block, sizeof(block) - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END) {
    throw FormatError("{}: damaged in this build", file.path);
  }
  return text;
}

/// `text` with every `from` replaced.
std::string Replaced(std::string text, std::string_view from,
                     std::string_view to) {
  for (size_t at = text.find(from); at != text.npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The value of an attribute of a tag; empty if it has none.
std::string_view AttributeOf(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format(" {}=\"", name);
  const size_t begin = tag.find(start);
  if (begin == tag.npos) return "";
  const std::string_view rest = tag.substr(begin + start.size());
  return rest.substr(0, rest.find('"'));
}

/// Embedded file at `path`; null if the page has no such file.
const PageFile* FileAt(std::span<const PageFile> files, std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  const auto found = std::ranges::find(files, path, &PageFile::path);
  return found == files.end() ? nullptr : &*found;
}

/// Inline replacement for a tag that references a file of the page; empty if it
/// references none.
std::string Inlined(std::span<const PageFile> files, std::string_view tag) {
  if (tag.starts_with("<link")) {
    const PageFile* file = FileAt(files, AttributeOf(tag, "href"));
    if (file == nullptr) return "";
    return fmt::format("<style>{}</style>", Unpacked(*file));
  }
  if (!tag.starts_with("<script")) return "";
  const PageFile* file = FileAt(files, AttributeOf(tag, "src"));
  if (file == nullptr) return "";
  return fmt::format("<script type=\"module\">{}",
                     Replaced(Unpacked(*file), "</script", "<\\/script"));
}

}  // namespace

std::string StaticPage(std::span<const PageFile> files, std::string_view json) {
  const PageFile* index = FileAt(files, "index.html");
  if (index == nullptr) {
    throw ConfigError(
        "this build has no page: install Node 18 or later and npm, configure "
        "with HEED_PAGE=ON and build again; or write .svg, .png or .json");
  }
  const std::string html = Unpacked(*index);
  std::string page;
  size_t done = 0;
  for (size_t at = html.find('<'); at != html.npos; at = html.find('<', at)) {
    const size_t end = html.find('>', at);
    if (end == html.npos) break;
    const auto tag = std::string_view(html).substr(at, end + 1 - at);
    const std::string inlined = Inlined(files, tag);
    page += html.substr(done, at - done);
    if (tag == "</head>") {
      page += fmt::format(
          "<script type=\"application/json\" id=\"heed-explanations\">{}"
          "</script>\n",
          Replaced(std::string(json), "<", "\\u003c"));
    }
    page += inlined.empty() ? std::string(tag) : inlined;
    done = at = end + 1;
  }
  return page + html.substr(done);
}

}  // namespace heed
