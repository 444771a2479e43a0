// How a model writes: the search, its penalties and limits.
#ifndef HEED_DECODE_OPTIONS_H_
#define HEED_DECODE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Limits of requests to a server. A server's own limit of alternatives is that
/// of fields named nbest, and its beam limit may be above this one.
inline constexpr int kServedBeam = 32;
inline constexpr int kServedTokens = 1024;

/// Rules of a model's translations, which its folder may hold and options may
/// replace.
struct DecodeRules {
  /// Tokens that are never written: "<unk>".
  std::vector<std::string> suppress;
  /// The limit of target tokens is factor · source tokens + extra.
  double max_length_factor = 2;
  int max_length_extra = 10;

  void Visit(FieldList& v);
};

struct DecodeOptions : DecodeRules {
  DecodeOptions() = default;
  explicit DecodeOptions(DecodeRules rules) : DecodeRules(std::move(rules)) {}

  // Beam search
  int beam = 5;
  int nbest = 1;
  double length_penalty = 0.6;  // Vaswani 2017, 1706.03762, section 6.1
  double coverage_penalty = 0;

  // Limits. Units: target tokens without </s>
  int max_length = 0;

  // Sampling
  bool sample = false;
  double temperature = 1;
  int top_k = 0;
  double top_p = 1;
  uint64_t seed = 1;

  bool replace_unknown = false;

  std::string shortlist = "none";

  /// Folders of further models, whose probabilities are averaged with the
  /// first one's.
  std::vector<std::string> ensemble;

  // Batches
  int batch_tokens = 4096;
  int batch_sentences = 64;

  /// Whether Hypothesis::attention is filled. Set by the program that shows it,
  /// not an option of its own; replace_unknown implies it.
  bool keep_attention = false;

  /// Whether Hypothesis::score and log_probability are filled. Set by the
  /// program that shows them; a beam of one finds its words sooner without.
  bool keep_scores = true;

  /// Exactly so many tokens, </s> among them, however unlikely; 0: the model
  /// decides. For benchmarks, whose weights may be random; not an option.
  int exact_length = 0;

  /// Ids of `suppress`, which only a vocabulary knows; not an option.
  std::vector<int32_t> suppressed_ids;

  void Visit(FieldList& v);

  bool NeedsScores() const { return keep_scores || beam > 1 || sample; }
  bool NeedsAttention() const { return keep_attention || replace_unknown; }
  /// Maximum of tokens without </s>, for a source of `source_length` tokens
  /// with
  /// </s>.
  int64_t MaxLength(int64_t source_length) const;
};

/// Throws: ConfigError if a member is out of its range, or nbest above beam.
void CheckOptions(const DecodeOptions& options);

}  // namespace heed

#endif  // HEED_DECODE_OPTIONS_H_
