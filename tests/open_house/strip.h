// A strip of coloured cells: a kind of input that Heed does not know.
#ifndef HEED_TESTS_OPEN_HOUSE_STRIP_H_
#define HEED_TESTS_OPEN_HOUSE_STRIP_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/models/classifier.h"

namespace heed::strips {

inline constexpr const char* kMediaType = "application/x-strip";
inline constexpr const char* kKind = "strip";

/// Names of colours, by the id of a cell: red, green, blue, yellow.
inline constexpr std::array<const char*, 4> kColours = {"red", "green", "blue",
                                                        "yellow"};
inline constexpr int64_t kColourCount = std::ssize(kColours);

/// The ids of the cells.
using Strip = std::vector<int32_t>;

/// A file of the letters r, g, b and y, one for each cell; blanks and ends of
/// lines do not count. Throws: FormatError, which begins with `place`, for
/// another letter or none.
Strip ParseStrip(std::string_view bytes, const std::string& place);

/// The id of a colour. Throws: FormatError, which begins with `place`.
int32_t ColourNamed(const std::string& name, const std::string& place);

/// Strips and the colour that each has most of.
struct LabelledStrips {
  std::vector<Strip> strips;
  std::vector<int32_t> colours;

  int64_t size() const { return std::ssize(strips); }
};

/// A list: on each line a path, which starts at the list's folder, a tab and a
/// colour. Throws: IoError; FormatError that names list and line.
LabelledStrips ReadList(const std::string& path);

/// Strips side by side, as an encoder reads them.
TextInput BatchOf(const std::vector<Strip>& strips,
                  std::span<const int64_t> indices);

}  // namespace heed::strips

#endif  // HEED_TESTS_OPEN_HOUSE_STRIP_H_
