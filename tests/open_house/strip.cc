#include "tests/open_house/strip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed::strips {
namespace {

constexpr std::string_view kLetters = "rgby";
constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

Strip ParseStrip(std::string_view bytes, const std::string& place) {
  Strip strip;
  for (const char letter : bytes) {
    if (kBlanks.find(letter) != kBlanks.npos) continue;
    const size_t colour = kLetters.find(letter);
    if (colour == kLetters.npos) {
      throw FormatError(
          fmt::format("{}: cell {} is none of the colours r, g, b, y", place,
                      strip.size() + 1));
    }
    strip.push_back(static_cast<int32_t>(colour));
  }
  if (strip.empty()) throw FormatError(place + ": a strip without cells");
  return strip;
}

int32_t ColourNamed(const std::string& name, const std::string& place) {
  const auto found = std::ranges::find(kColours, name);
  if (found == kColours.end()) {
    throw FormatError(fmt::format("{}: '{}' is no colour (valid: {})", place,
                                  name, fmt::join(kColours, ", ")));
  }
  return static_cast<int32_t>(found - kColours.begin());
}

LabelledStrips ReadList(const std::string& path) {
  LabelledStrips all;
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    const std::string place = fmt::format("{}:{}", path, number);
    const size_t tab = line.find('\t');
    if (tab == line.npos) {
      throw FormatError(place + ": no tab between a path and a colour");
    }
    const std::string file = (folder / line.substr(0, tab)).string();
    all.strips.push_back(ParseStrip(ReadFile(file), file));
    all.colours.push_back(
        ColourNamed(std::string(line.substr(tab + 1)), place));
    return true;
  });
  return all;
}

TextInput BatchOf(const std::vector<Strip>& strips,
                  std::span<const int64_t> indices) {
  size_t longest = 0;
  for (const int64_t i : indices) {
    longest = std::max(longest, strips.at(static_cast<size_t>(i)).size());
  }
  const int64_t rows = std::ssize(indices);
  TextInput input = {
      Tensor::Zeros({rows, static_cast<int64_t>(longest)}, DType::kI32),
      Tensor::Zeros({rows}, DType::kI32),
      {}};
  for (int64_t b = 0; b < rows; ++b) {
    const Strip& strip =
        strips[static_cast<size_t>(indices[static_cast<size_t>(b)])];
    std::ranges::copy(strip, input.ids.row<int32_t>(b));
    input.lengths.data<int32_t>()[b] = static_cast<int32_t>(strip.size());
  }
  return input;
}

}  // namespace heed::strips
