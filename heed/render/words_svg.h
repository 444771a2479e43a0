// Text with shaded words, in SVG.
#ifndef HEED_RENDER_WORDS_SVG_H_
#define HEED_RENDER_WORDS_SVG_H_

#include <cstdint>
#include <span>
#include <string>

#include "heed/render/drawing.h"

namespace heed {

/// Axis items of shaded words; the first word is item `first`. Without an axis,
/// words are not interactive.
struct WordItems {
  std::string axis = {};
  int64_t first = 0;
};

/// Draws `tokens` in lines at most `width` wide. The background is darker for
/// larger values, −1 to 1 (below zero: the other hue). Values of at least
/// `min_number` are printed below their word. Of more than `max` tokens only
/// those with the largest values are shown, in order, with … between them.
/// Throws: ShapeError unless there is one value per token.
Drawing DrawShadedWords(std::span<const std::string> tokens,
                        std::span<const float> values, double width,
                        double min_number, size_t max, float factor = 1,
                        const WordItems& items = {});

}  // namespace heed

#endif  // HEED_RENDER_WORDS_SVG_H_
