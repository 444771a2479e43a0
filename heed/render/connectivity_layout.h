// Typed text in lines, as the pictures of connectivity share it.
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

/// Lines of at most `most` characters that break before a space where one
/// stands. Range: 1 <= most.
std::vector<TypedLine> TypedLines(const Connectivity& c, int64_t most);

/// What has been typed of the word that is guessed after character t, then |,
/// then the rest of the word: "an|na". The word alone if nothing was.
std::string GuessLabel(const Connectivity& c, int64_t t);

}  // namespace heed

#endif  // HEED_RENDER_CONNECTIVITY_LAYOUT_H_
