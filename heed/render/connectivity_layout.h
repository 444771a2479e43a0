// Line layout of typed text, shared by the pictures of connectivity.
#ifndef HEED_RENDER_CONNECTIVITY_LAYOUT_H_
#define HEED_RENDER_CONNECTIVITY_LAYOUT_H_

#include <string>
#include <vector>

#include "heed/render/connectivity.h"

namespace heed {

/// Characters [begin, end) of a line.
struct TypedLine {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Splits the text into lines of at most `max` characters, before spaces where
/// possible. Range: 1 <= most.
std::vector<TypedLine> TypedLines(const Connectivity& c, int64_t max);

/// The word predicted after character t, with | after its typed part: "an|na".
/// Without |, if nothing of it is typed.
std::string GuessLabel(const Connectivity& c, int64_t t);

}  // namespace heed

#endif  // HEED_RENDER_CONNECTIVITY_LAYOUT_H_
