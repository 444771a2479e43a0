// Prefix tree of the partial hypotheses of one sentence.
#ifndef HEED_DECODE_PREFIXES_H_
#define HEED_DECODE_PREFIXES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Prefix tree of hypotheses. Common prefixes are shared, so that extending by
/// one token costs the same at any length. A prefix is identified by the node
/// of its last token.
class Prefixes {
 public:
  static constexpr int32_t kRoot = -1;  // the empty prefix

  /// Extends `parent` by `token` with its log-probability and attention. The
  /// caller holds the result until Release.
  int32_t Extend(int32_t parent, int32_t token, float log_probability,
                 std::span<const float> attention);
  /// Releases a prefix and frees the attention of tokens that no held prefix
  /// contains.
  void Release(int32_t prefix);

  int32_t Token(int32_t prefix) const { return At(nodes_, prefix).token; }
  /// All tokens, first to last.
  std::vector<int32_t> Tokens(int32_t prefix) const;
  /// The log-probability of each token.
  std::vector<float> LogProbabilities(int32_t prefix) const;
  /// The attention of all tokens, concatenated.
  std::vector<float> Attention(int32_t prefix) const;

 private:
  struct Node {
    int32_t parent;
    int32_t token;
    int32_t uses;  // children, plus one while held
    float log_probability;
    std::vector<float> attention;
  };
  std::vector<int32_t> Path(int32_t prefix) const;

  std::vector<Node> nodes_;
};

}  // namespace heed

#endif  // HEED_DECODE_PREFIXES_H_
