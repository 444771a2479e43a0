#include "heed/tasks/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

std::string_view WithoutParameters(std::string_view media_type) {
  return TrimBlanks(media_type.substr(0, media_type.find(';')));
}

/// "csv" of "text/csv", "png" of "image/png".
std::string_view SubtypeOf(std::string_view media_type) {
  return media_type.substr(media_type.find('/') + 1);
}

}  // namespace

std::string Input::Text() const {
  if (const auto* text = std::get_if<std::string>(&content)) return *text;
  if (const auto* file = std::get_if<NamedBytes>(&content)) return file->bytes;
  return fmt::format(
      "{}", fmt::join(std::get<std::vector<std::string>>(content), "\t"));
}

bool InputKind::Reads(std::string_view media_type) const {
  const std::string wanted = Lowercase(WithoutParameters(media_type));
  return std::ranges::find(media_types, wanted) != media_types.end();
}

Input ReadInput(const InputKind& kind, const std::string& path) {
  const std::string ending =
      Lowercase(std::filesystem::path(path).extension().string());
  std::vector<std::string> endings;
  for (const std::string& type : kind.media_types) {
    endings.push_back(fmt::format(".{}", SubtypeOf(type)));
    if (endings.back() != ending) continue;
    return {NamedBytes{path, type, ReadFile(path)}, path};
  }
  throw FormatError(fmt::format("{}: is no {} (read are: {})", path, kind.name,
                                fmt::join(endings, ", ")));
}

}  // namespace heed
