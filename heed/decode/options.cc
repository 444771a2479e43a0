#include "heed/decode/options.h"

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"

namespace heed {
void DecodeRules::Visit(FieldList& v) {
  v("beam", beam, Range(1, kWidestBeam),
    "beam size: hypotheses kept at each step; 1: greedy")
      .Alias("beam_size")
      .Alias("num_beams")
      .ServedUpTo(kServedBeam);
  v("max_length_factor", max_length_factor, Range(0, 1000),
    "maximum target tokens per source token; 0: no such limit (needs "
    "max_length)")
      .ServedUpTo(10);
  // Short sources may need more than the multiple: "Mittwoch" as characters.
  v("max_length_extra", max_length_extra, Range(0, 1000000),
    "target tokens allowed in addition to max_length_factor")
      .ServedUpTo(kServedTokens);
  v("suppress", suppress, Any{"TOKEN"},
    "tokens that are never generated, such as <unk>");
}

void DecodeOptions::Visit(FieldList& v) {
  v.Section("Search");
  DecodeRules::Visit(v);
  v("nbest", nbest, Range(1, 1000),
    "translations of each sentence; at most the beam size, unless sampled")
      .Alias("n_best")
      .Alias("num_return_sequences");
  v("length_penalty", length_penalty, Range(0, 10),
    "length normalisation: divide log p by ((5 + length) / 6) to this power; "
    "0: off (favours short output)")
      .Alias("lenpen");
  v("coverage_penalty", coverage_penalty, Range(0, 100),
    "weight of the penalty for source words with little attention; 0: off");
  v("max_length", max_length, Range(0, 1000000),
    "maximum of target tokens; 0: only the limit by the source's length")
      .Alias("max_len")
      .ServedUpTo(kServedTokens);
  v("replace_unknown", replace_unknown,
    "replace each unknown word by the source word with the highest attention "
    "weight");
  v("shortlist", shortlist, Any{"FILE"},
    "score only likely translations of the source's tokens, for speed: 'model' "
    "(the shortlist in the model's folder), a file of target, source, "
    "probability, or 'none'");
  v("ensemble", ensemble, Any{"DIR,DIR"},
    "further models with the same vocabularies, to average probabilities with");
  v.Section("Sampling");
  v("sample", sample, "sample instead of beam search");
  v("temperature", temperature, Range(0.01, 100),
    "sampling temperature: above 1 more varied, below 1 closer to greedy");
  v("top_k", top_k, Range(0, 1000000),
    "sample from this many of the most probable tokens; 0: all");
  v("top_p", top_p, Range(0, 1),
    "sample from the most probable tokens that together reach this "
    "probability");
  v("seed", seed, "random seed");
  v.Section("Batches");
  v("batch_tokens", batch_tokens, AtLeast(1),
    "source tokens translated at once, padding included");
  v("batch_sentences", batch_sentences, AtLeast(1),
    "sentences translated at once");
}

int64_t DecodeOptions::MaxLength(int64_t source_length) const {
  if (exact_length > 0) return exact_length - 1;
  if (max_length_factor == 0 && max_length > 0) return max_length;
  const auto by_source =
      static_cast<int64_t>(
          std::ceil(max_length_factor * static_cast<double>(source_length))) +
      max_length_extra;
  return max_length == 0 ? by_source : std::min<int64_t>(by_source, max_length);
}

void CheckOptions(const DecodeOptions& options) {
  Check(options);
  if (!options.sample && options.nbest > options.beam) {
    throw ConfigError(
        "nbest is {} but beam is {}; a beam search gives at most as many "
        "translations as its beam is wide",
        options.nbest, options.beam);
  }
}

}  // namespace heed
