// Options of decoding: search, penalties and limits.
#ifndef HEED_DECODE_OPTIONS_H_
#define HEED_DECODE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/config.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Limits of server requests. A server's own limit of alternatives is the limit
/// of fields named nbest, and its beam limit may be above kServedBeam.
inline constexpr int kServedBeam = 32;
inline constexpr int kServedTokens = 1024;
inline constexpr int kWidestBeam = 1000;

/// Decoding defaults that a model folder may contain and options may override.
struct DecodeRules {
  int beam = 5;
  /// Tokens that are never generated, such as "<unk>".
  std::vector<std::string> suppress;
  /// Maximum number of target tokens: factor · source tokens + extra.
  double max_length_factor = 2;
  int max_length_extra = 10;

  void Visit(FieldList& v);
};

struct DecodeOptions : DecodeRules {
  DecodeOptions() = default;
  explicit DecodeOptions(DecodeRules rules) : DecodeRules(std::move(rules)) {}

  // Beam search
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

  // Rules for next tokens: see Penalize
  double repetition_penalty = 1;
  int no_repeat_ngrams = 0;
  int min_length = 0;

  bool replace_unknown = false;

  std::string shortlist = "none";

  /// Model folders of an ensemble, whose probabilities are averaged with those
  /// of the main model.
  std::vector<std::string> ensemble;

  // Batches
  int batch_tokens = 4096;
  int batch_sentences = 64;

  /// Fill Hypothesis::attention. Set by the program that shows attention, not a
  /// user option; replace_unknown implies it.
  bool keep_attention = false;

  /// Fill Hypothesis::score and log_probability. Set by the program that shows
  /// them; greedy search is faster without.
  bool keep_scores = true;

  /// Number of tokens to generate, including </s>, regardless of probability;
  /// 0: the model decides. For benchmarks with random weights; not a user
  /// option.
  int exact_length = 0;

  /// Ids of `suppress`, resolved by the vocabulary; not a user option.
  std::vector<int32_t> suppressed_ids;

  /// Special tokens of the target vocabulary; not a user option.
  SpecialIds special = {};
  /// First token that the model reads; −1: special.bos. Not a user option.
  int32_t start = -1;

  void Visit(FieldList& v);

  bool NeedsScores() const { return keep_scores || beam > 1 || sample; }
  bool Penalizes() const {
    return repetition_penalty != 1 || no_repeat_ngrams > 0 || min_length > 0;
  }
  bool NeedsAttention() const { return keep_attention || replace_unknown; }
  /// Maximum number of tokens without </s>, for `source_length` tokens with
  /// </s>.
  int64_t MaxLength(int64_t source_length) const;
};

/// Validates options. Throws: ConfigError if a member is out of its range, or
/// nbest above beam.
void CheckOptions(const DecodeOptions& options);

}  // namespace heed

#endif  // HEED_DECODE_OPTIONS_H_
