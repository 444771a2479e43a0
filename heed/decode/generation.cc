#include "heed/decode/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "heed/base/errors.h"
#include "heed/data/vocabulary.h"
#include "heed/kernels/rowwise.h"

namespace heed {
namespace {

// Rows of finished sentences leave the batch once they are one in so many:
// closing up moves all that the model derived from the remaining sources.
constexpr int64_t kIdleShare = 8;

void CheckSource(const Tensor& source, const Tensor& lengths) {
  if (source.rank() != 2 || source.dtype() != DType::kI32 ||
      lengths.dtype() != DType::kI32 ||
      lengths.shape() != Shape{source.dim(1)}) {
    throw ShapeError(fmt::format(
        "decode: source {} and lengths {}; i32 [S, B] and i32 [B] are needed",
        source.shape().ToString(), lengths.shape().ToString()));
  }
  const int32_t* length = lengths.data<int32_t>();
  for (int64_t b = 0; b < lengths.numel(); ++b) {
    if (length[b] < 1 || length[b] > source.dim(0)) {
      throw ShapeError(
          fmt::format("decode: sentence {} has length {}; 1 to {} are possible",
                      b, length[b], source.dim(0)));
    }
  }
}

Tensor AsFloats(const Tensor& x) {
  return x.dtype() == DType::kF32 ? x.Contiguous() : x.To(DType::kF32);
}

Tensor Ids(const std::vector<int32_t>& ids) {
  return Tensor::Of(ids, {static_cast<int64_t>(ids.size())});
}

}  // namespace

Generation::Generation(const SequenceModel& model, const Tensor& source,
                       const Tensor& lengths, const DecodeOptions& options,
                       int partials)
    : model_(model), options_(options) {
  CheckOptions(options);
  CheckSource(source, lengths);
  const int64_t B = source.dim(1);
  if (B == 0) return;
  state_ = model.Start(Context{}, source, lengths);
  tokens_ = Tensor::Full({B}, kBos, DType::kI32);
  sentences_.resize(static_cast<size_t>(B));
  for (int64_t b = 0; b < B; ++b) {
    Sentence& sentence = sentences_[static_cast<size_t>(b)];
    sentence.column = b;
    sentence.source_length = lengths.data<int32_t>()[b];
    sentence.max_length = options.MaxLength(sentence.source_length);
    sentence.first_row = b;
    for (int i = 0; i < partials; ++i) {
      Partial& partial = sentence.live.emplace_back();
      partial.row = b;
      partial.draw = i;
      if (options.coverage_penalty > 0) {
        partial.coverage.resize(static_cast<size_t>(sentence.source_length));
      }
    }
  }
}

bool Generation::MayFollow(int32_t token) {
  return token != kPad && token != kBos;
}

std::vector<std::vector<Hypothesis>> Generation::Run() {
  std::vector<std::vector<Hypothesis>> results(sentences_.size());
  for (bool more = !sentences_.empty(); more; ++step_) {
    Step();
    for (Sentence& sentence : sentences_) {
      Advance(sentence);
      if (!sentence.live.empty()) continue;
      auto& result = results[static_cast<size_t>(sentence.column)];
      for (const Sentence::Ended& ended : sentence.ended) {
        result.push_back(Finish(sentence, ended));
      }
    }
    std::erase_if(sentences_, [](const Sentence& s) { return s.live.empty(); });
    more = Rearrange();
  }
  return results;
}

void Generation::Step() {
  const Tensor logits =
      AsFloats(model_.Step(Context{}, tokens_, *state_).value());
  log_probabilities_ = kernels::LogSoftmax(logits);
  const bool needs_attention =
      options_.NeedsAttention() || options_.coverage_penalty > 0;
  attention_ = needs_attention && state_->weights().defined()
                   ? AsFloats(state_->weights())
                   : Tensor();
  if (!attention_.defined() &&
      (options_.replace_unknown || options_.coverage_penalty > 0)) {
    throw ConfigError(
        "replace_unknown and coverage_penalty need a model with attention; "
        "this one has none");
  }
  Prepare(log_probabilities_);
}

void Generation::Advance(Sentence& sentence) {
  for (const Partial& partial : sentence.live) {
    // One NaN or infinite logit makes the whole row NaN.
    if (std::isnan(log_probabilities_.row<float>(partial.row)[kEos])) {
      throw NumericError(fmt::format(
          "decode: the model's scores for target token {} are not finite; "
          "its parameters may be damaged",
          step_ + 1));
    }
  }
  std::vector<Partial> next;
  for (const Continuation& continuation :
       step_ == sentence.max_length ? ForcedEnds(sentence) : Choose(sentence)) {
    Partial partial = Extend(sentence, continuation);
    if (continuation.token == kEos) {
      End(sentence, std::move(partial));
    } else {
      next.push_back(std::move(partial));
    }
  }
  for (const Partial& partial : sentence.live) {
    sentence.prefixes.Release(partial.prefix);
  }
  sentence.live = std::move(next);
  if (Decided(sentence)) sentence.live.clear();
}

std::vector<Continuation> Generation::ForcedEnds(
    const Sentence& sentence) const {
  std::vector<Continuation> ends;
  for (const Partial& partial : sentence.live) {
    ends.push_back({ends.size(), kEos,
                    partial.log_probability +
                        log_probabilities_.row<float>(partial.row)[kEos]});
  }
  return ends;
}

Partial Generation::Extend(Sentence& sentence,
                           const Continuation& continuation) const {
  const Partial& parent = sentence.live[continuation.parent];
  std::span<const float> attention;
  if (attention_.defined()) {
    attention = {attention_.row<float>(parent.row),
                 static_cast<size_t>(sentence.source_length)};
  }
  Partial partial = parent;
  partial.log_probability = continuation.log_probability;
  for (size_t s = 0; s < partial.coverage.size(); ++s) {
    partial.coverage[s] += attention[s];
  }
  if (!options_.NeedsAttention()) attention = {};
  partial.prefix =
      sentence.prefixes.Extend(parent.prefix, continuation.token, attention);
  return partial;
}

void Generation::End(Sentence& sentence, Partial partial) const {
  const double score =
      partial.log_probability /
          LengthPenalty(step_ + 1, options_.length_penalty) +
      CoveragePenalty(partial.coverage, options_.coverage_penalty);
  auto& ended = sentence.ended;
  const auto place =
      std::find_if(ended.begin(), ended.end(),
                   [&](const auto& other) { return other.score < score; });
  ended.insert(place, {score, std::move(partial)});
  if (std::ssize(ended) > options_.nbest) {
    sentence.prefixes.Release(ended.back().partial.prefix);
    ended.pop_back();
  }
}

// Whether nothing that is live can still come among the nbest. A step more
// never raises log p, which is at most 0, so that the longest end is the most
// lenient one; the coverage penalty is 0 at best.
bool Generation::Decided(const Sentence& sentence) const {
  if (sentence.live.empty()) return true;
  if (std::ssize(sentence.ended) < options_.nbest) return false;
  const auto best =
      std::max_element(sentence.live.begin(), sentence.live.end(),
                       [](const Partial& a, const Partial& b) {
                         return a.log_probability < b.log_probability;
                       });
  const double bound =
      best->log_probability /
      LengthPenalty(sentence.max_length + 1, options_.length_penalty);
  return bound <= sentence.ended.back().score;
}

// Brings the model's rows to where the live partials want them; false if there
// are none left. A sentence keeps its rows for as long as it has enough of
// them and few rows are idle: what was derived from the source then stays.
bool Generation::Rearrange() {
  if (sentences_.empty()) return false;
  int64_t used = 0;
  bool fits = true;
  for (Sentence& sentence : sentences_) {
    const int64_t wanted = std::ssize(sentence.live);
    fits = fits && wanted <= sentence.slots;
    sentence.slots = std::max(sentence.slots, wanted);
    used += sentence.slots;
  }
  const int64_t present = tokens_.numel();
  const bool stay = fits && (present - used) * kIdleShare < present;

  const size_t size = static_cast<size_t>(stay ? present : used);
  std::vector<int32_t> rows(size);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<int32_t> tokens(size, kEos);
  int64_t next_row = 0;
  for (Sentence& sentence : sentences_) {
    if (!stay) sentence.first_row = next_row;
    next_row += sentence.slots;
    for (int64_t i = 0; i < sentence.slots; ++i) {
      // A spare row does what the last one does.
      const auto live = static_cast<size_t>(
          std::min<int64_t>(i, std::ssize(sentence.live) - 1));
      const size_t row = static_cast<size_t>(sentence.first_row + i);
      rows[row] = static_cast<int32_t>(sentence.live[live].row);
      tokens[row] = sentence.prefixes.Token(sentence.live[live].prefix);
    }
    for (int64_t i = 0; i < std::ssize(sentence.live); ++i) {
      sentence.live[static_cast<size_t>(i)].row = sentence.first_row + i;
    }
  }
  // Greedy search moves nothing: rows 0, 1, 2 and so on.
  const bool unmoved =
      stay && std::adjacent_find(rows.begin(), rows.end(),
                                 std::greater_equal<>()) == rows.end();
  if (!unmoved) state_->Reorder(Ids(rows), stay);
  tokens_ = Ids(tokens);
  return true;
}

Hypothesis Generation::Finish(const Sentence& sentence,
                              const Sentence::Ended& ended) const {
  const Partial& partial = ended.partial;
  Hypothesis hypothesis;
  hypothesis.tokens = sentence.prefixes.Tokens(partial.prefix);
  hypothesis.tokens.pop_back();  // </s>
  hypothesis.score = ended.score;
  hypothesis.log_probability = partial.log_probability;
  hypothesis.attention = sentence.prefixes.Attention(partial.prefix);
  hypothesis.source_length = sentence.source_length;
  return hypothesis;
}

}  // namespace heed
