// Where sentences end.
#ifndef HEED_TEXT_SENTENCES_H_
#define HEED_TEXT_SENTENCES_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace heed {

/// How long a sentence may be before it is cut at a comma or a space.
/// Units: code points
inline constexpr int64_t kLongestSentence = 600;

/// A UTF-8 line in sentences by Unicode's rules (UAX 29), which together are
/// the line; a longer one than kLongestSentence in parts: cut behind its last
/// comma or the like, else before a space, else at the limit.
std::vector<std::string_view> SplitSentences(std::string_view line);

}  // namespace heed

#endif  // HEED_TEXT_SENTENCES_H_
