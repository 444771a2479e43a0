// Colours and markers of series, classes and the like.
#ifndef HEED_RENDER_SERIES_MARKS_H_
#define HEED_RENDER_SERIES_MARKS_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace heed {

struct SeriesColour {
  std::string_view light;
  std::string_view dark;
};

/// Distinct also with the common forms of colour blindness (after Okabe and
/// Ito), with enough contrast for text.
inline constexpr std::array<SeriesColour, 7> kSeriesColours = {
    {{"#0067a8", "#5ab4f0"},
     {"#c74e06", "#ff9a57"},
     {"#007d5a", "#3fcf9f"},
     {"#a8327e", "#f08cc4"},
     {"#7d6100", "#e3c34a"},
     {"#5b6570", "#a9b4c2"},
     {"#6247ad", "#b6a2ff"}}};

/// Codes of the 256-colour palette for the colours of kSeriesColours, of medium
/// lightness for dark and light terminals.
inline constexpr std::array<int, 7> kSeriesCodes = {32,  166, 36, 169,
                                                    136, 244, 98};

/// Marker shapes, in a terminal and around the origin of an SVG.
inline constexpr std::array<std::string_view, 5> kMarkers = {"●", "■", "▲", "◆",
                                                             "▼"};
inline constexpr std::array<std::string_view, 5> kMarkerPaths = {
    "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0z",  // circle
    "M-4.2 -4.2h8.4v8.4h-8.4z",                           // square
    "M0 -5.4L5.2 3.8H-5.2z",                              // triangle
    "M0 -5.8L5.8 0L0 5.8L-5.8 0z",                        // diamond
    "M0 5.4L5.2 -3.8H-5.2z",                              // triangle downwards
};

/// Colour or marker of series i; they repeat after the last.
constexpr const SeriesColour& SeriesColourOf(size_t i) {
  return kSeriesColours[i % kSeriesColours.size()];
}
constexpr int SeriesCodeOf(size_t i) {
  return kSeriesCodes[i % kSeriesCodes.size()];
}
constexpr std::string_view MarkerOf(size_t i) {
  return kMarkers[i % kMarkers.size()];
}
constexpr std::string_view MarkerPathOf(size_t i) {
  return kMarkerPaths[i % kMarkerPaths.size()];
}

}  // namespace heed

#endif  // HEED_RENDER_SERIES_MARKS_H_
