// The partial hypotheses of one sentence that a search goes through, as a tree.
#ifndef HEED_DECODE_PREFIXES_H_
#define HEED_DECODE_PREFIXES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Hypotheses share what they have in common, so that one more token costs the
/// same at any length. A prefix is named by its last token's node.
class Prefixes {
 public:
  static constexpr int32_t kRoot = -1;  // the empty prefix

  /// The prefix `parent`, then `token`, which looked at `attention`. Whoever
  /// calls this holds the result until Release.
  int32_t Extend(int32_t parent, int32_t token,
                 std::span<const float> attention);
  /// Gives back the attention of all tokens that no held prefix has any more.
  void Release(int32_t prefix);

  int32_t Token(int32_t prefix) const { return At(nodes_, prefix).token; }
  /// All tokens, first to last.
  std::vector<int32_t> Tokens(int32_t prefix) const;
  /// The attention of all tokens, one after the other.
  std::vector<float> Attention(int32_t prefix) const;

 private:
  struct Node {
    int32_t parent;
    int32_t token;
    int32_t uses;  // nodes that continue it, and one while it is held
    std::vector<float> attention;
  };
  std::vector<int32_t> Path(int32_t prefix) const;

  std::vector<Node> nodes_;
};

}  // namespace heed

#endif  // HEED_DECODE_PREFIXES_H_
