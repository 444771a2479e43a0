// Text whose words are shaded, in SVG.
#ifndef HEED_RENDER_WORDS_SVG_H_
#define HEED_RENDER_WORDS_SVG_H_

#include <cstdint>
#include <span>
#include <string>

#include "heed/render/drawing.h"

namespace heed {

/// The items of an axis that shaded words are: the first of them is item
/// `first`. No axis: words cannot be pointed at.
struct WordItems {
  std::string axis = {};
  int64_t first = 0;
};

/// `tokens` in lines at most `width` wide, each with a ground as dark as its
/// value, −1 to 1 (below zero: the other hue), and the value below it where it
/// is at least `least_number`. Of more than `most` tokens those with the
/// largest values stand, in their order, with … between them.
/// Throws: ShapeError unless there is one value per token.
Drawing DrawShadedWords(std::span<const std::string> tokens,
                        std::span<const float> values, double width,
                        double least_number, size_t most, float factor = 1,
                        const WordItems& items = {});

}  // namespace heed

#endif  // HEED_RENDER_WORDS_SVG_H_
