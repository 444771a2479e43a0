#include "heed/tasks/input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"

namespace heed {
namespace {

std::string_view WithoutParameters(std::string_view media_type) {
  return TrimBlanks(media_type.substr(0, media_type.find(';')));
}

/// "csv" of "text/csv", "wav" of "audio/x-wav".
std::string_view SubtypeOf(std::string_view media_type) {
  constexpr std::string_view kUnregistered = "x-";
  media_type.remove_prefix(media_type.find('/') + 1);
  if (media_type.starts_with(kUnregistered)) {
    media_type.remove_prefix(kUnregistered.size());
  }
  return media_type;
}

/// ".wav" of "audio/x-wav".
std::string EndingOf(std::string_view media_type) {
  return fmt::format(".{}", SubtypeOf(media_type));
}

/// Reads the file that a line names. Throws: FormatError also if the file
/// cannot be read, as for other lines that cannot be answered.
Input InputNamedBy(const InputKind& kind, const std::string& line) {
  try {
    return ReadInput(kind, line);
  } catch (const IoError& error) {
    throw FormatError(error.what());
  }
}

/// Checks the size of a file. Throws: IoError; FormatError if it is too large.
void CheckSize(const InputKind& kind, const std::string& path) {
  if (kind.max_bytes == 0) return;
  const uint64_t size = InputFile(path).size();
  if (size <= static_cast<uint64_t>(kind.max_bytes)) return;
  throw FormatError("{}: {:.0f} MB; at most {:.0f} MB of {} are read", path,
                    static_cast<double>(size) / 1e6,
                    static_cast<double>(kind.max_bytes) / 1e6, kind.name);
}

}  // namespace

std::string Input::Text() const {
  if (const auto* text = std::get_if<std::string>(&content)) return *text;
  if (const auto* file = std::get_if<NamedBytes>(&content)) return file->bytes;
  return fmt::format(
      "{}", fmt::join(std::get<std::vector<std::string>>(content), "\t"));
}

std::string Input::Shown() const {
  const auto* file = std::get_if<NamedBytes>(&content);
  const bool binary = file && !file->media_type.starts_with("text/");
  return binary ? file->name : Text();
}

bool InputKind::Reads(std::string_view media_type) const {
  const std::string wanted = Lowercase(WithoutParameters(media_type));
  return std::ranges::find(media_types, wanted) != media_types.end();
}

std::string InputKind::TypeOfName(std::string_view file) const {
  const std::string ending =
      Lowercase(std::filesystem::path(file).extension().string());
  for (const std::string& type : media_types) {
    if (ending == EndingOf(type)) return type;
  }
  return "";
}

std::vector<Input> InputsOf(const InputKind& kind,
                            const std::vector<std::string>& lines,
                            int64_t first, std::string_view source) {
  std::vector<Input> inputs;
  for (const std::string& line : lines) {
    const int64_t number = first + std::ssize(inputs);
    if (kind.line == InputKind::Line::kPath) {
      inputs.push_back(InputNamedBy(kind, line));
    } else {
      inputs.push_back({line, InputPlace(number, source)});
    }
    inputs.back().number = number;
  }
  return inputs;
}

Input ReadInput(const InputKind& kind, const std::string& path) {
  const std::string known = kind.TypeOfName(path);
  if (!known.empty()) {
    CheckSize(kind, path);
    return {NamedBytes{path, known, ReadFile(path)}, path};
  }
  std::vector<std::string> endings;
  for (const std::string& type : kind.media_types) {
    std::string one = EndingOf(type);
    if (std::ranges::find(endings, one) == endings.end()) {
      endings.push_back(std::move(one));
    }
  }
  std::error_code unknown;
  throw FormatError(
      "{}: is {}no {} (read are: {})", path,
      std::filesystem::is_directory(path, unknown) ? "a folder, " : "",
      kind.name, fmt::join(endings, ", "));
}

}  // namespace heed
