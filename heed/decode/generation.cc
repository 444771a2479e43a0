#include "heed/decode/generation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/decode/penalties.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

// Finished sentences leave the batch once they are 1 / kIdleShare of it,
// because removal copies the encoder states of the remaining sources.
constexpr int64_t kIdleShare = 8;

// The scores of these first columns are kept for each row. The special tokens
// of vocabularies that Heed trains are there.
constexpr int64_t kKeptColumns = kSpecialTokens;

/// Throws: ShapeError unless there is a valid list for each of B sentences.
void CheckOutputs(const OutputLists& lists, int64_t B, int32_t eos) {
  bool good = std::ssize(lists) == B;
  for (const std::vector<int32_t>& list : lists) {
    good = good && std::ssize(list) > kKeptColumns && list.front() >= 0 &&
           std::ranges::adjacent_find(list, std::greater_equal<>()) ==
               list.end() &&
           (eos < 0 || std::ranges::binary_search(list, eos));
  }
  if (good) return;
  throw ShapeError(
      "decode: {} lists of outputs for {} sentences must be ascending ids that "
      "include the end token {}",
      lists.size(), B, eos);
}

Tensor AsFloats(const Tensor& x) {
  return x.dtype() == DType::kF32 ? x.Contiguous() : x.To(DType::kF32);
}

Tensor Ids(const std::vector<int32_t>& ids) {
  return Tensor::Of(ids, {static_cast<int64_t>(ids.size())});
}

}  // namespace

Generation::Generation(const Decoder& model, const Inputs& inputs,
                       const DecodeOptions& options, const OutputLists& outputs,
                       const SearchHooks& hooks, int partials, int top_k)
    : model_(model),
      options_(options),
      hooks_(hooks),
      cancelled_(hooks.cancellations),
      wanted_(top_k),
      end_column_(options.special.eos) {
  CheckOptions(options);
  inputs.Check("decode");
  const int64_t B = inputs.size();
  if (!hooks.cancellations.empty()) {
    if (std::ssize(hooks.cancellations) != B) {
      throw ShapeError("decode: {} cancellations for {} sentences",
                       hooks.cancellations.size(), B);
    }
    ctx_.cancellation = &cancelled_;
  }
  if (B == 0) return;
  const int32_t start = options.start < 0 ? options.special.bos : options.start;
  if (start < 0) {
    throw ConfigError("decode: the vocabulary has no token that starts a text");
  }
  tokens_ = Tensor::Full({B}, start, DType::kI32);
  sentences_.resize(static_cast<size_t>(B));
  for (int64_t b = 0; b < B; ++b) {
    Sentence& sentence = At(sentences_, b);
    sentence.column = b;
    sentence.source_length = inputs.lengths.data<int32_t>()[b];
    SetLimit(sentence, inputs);
    for (int i = 0; i < partials; ++i) {
      Partial& partial = sentence.live.emplace_back();
      partial.row = b;
      partial.draw = i;
      if (options.coverage_penalty > 0) {
        partial.coverage.resize(static_cast<size_t>(sentence.source_length));
      }
    }
  }
  state_ = model.Start(ctx_, model.Encode(ctx_, inputs));
  state_.wants_weights =
      options.NeedsAttention() || options.coverage_penalty > 0;
  if (options.Penalizes()) {
    if (!outputs.empty()) {
      throw ConfigError(
          "repetition_penalty, no_repeat_ngrams and min_length need the scores "
          "of all tokens, not a shortlist");
    }
    read_.assign(static_cast<size_t>(B), {});
    for (int64_t b = 0; b < B && !model.reads_source(); ++b) {
      At(read_, b) = {start};
      for (int64_t s = 0; s < inputs.ids.dim(0); ++s) {
        At(read_, b).push_back(inputs.ids.row<int32_t>(s)[b]);
      }
    }
  }
  SetOutputs(outputs);
}

void Generation::SetOutputs(const OutputLists& lists) {
  if (lists.empty()) return;
  CheckOutputs(lists, std::ssize(sentences_), options_.special.eos);
  std::vector<int32_t> all;
  for (const std::vector<int32_t>& list : lists) {
    std::vector<int32_t> joined;
    std::ranges::set_union(all, list, std::back_inserter(joined));
    all.swap(joined);
  }
  for (const std::vector<int32_t>& list : lists) {
    std::vector<int32_t>& columns = unlisted_.emplace_back();
    size_t next = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool listed = next < list.size() && list[next] == all[i];
      if (listed) ++next;
      if (!listed) columns.push_back(static_cast<int32_t>(i));
    }
  }
  if (std::ranges::all_of(unlisted_, &std::vector<int32_t>::empty)) {
    unlisted_.clear();
  }
  if (end_column_ >= 0) {
    end_column_ =
        std::ranges::lower_bound(all, options_.special.eos) - all.begin();
  }
  outputs_ = Ids(all);
  restricted_ = model_.output().Restricted(outputs_);
}

void Generation::SetLimit(Sentence& sentence, const Inputs& inputs) const {
  sentence.max_length = options_.MaxLength(sentence.source_length);
  const int64_t positions = model_.positions();
  if (positions == 0) return;
  // <s> takes the first position; a prompt precedes the generated tokens.
  const bool prompted = !model_.reads_source() && inputs.ids.defined();
  const int64_t room =
      std::max<int64_t>(0, positions - 1 - (prompted ? inputs.ids.dim(0) : 0));
  if (room >= sentence.max_length) return;
  sentence.max_length = room;
  sentence.limited_by_positions = true;
}

double Generation::LogProbability(int64_t row, float score) const {
  if (!top_k_.log_sums.defined()) return score;
  return std::min(
      0.0, static_cast<double>(score) - top_k_.log_sums.data<double>()[row]);
}

int32_t Generation::TokenOf(int64_t column) const {
  return outputs_.defined() ? outputs_.data<int32_t>()[column]
                            : static_cast<int32_t>(column);
}

bool Generation::IsUnlisted(float score) const {
  return (model_.copies() || !unlisted_.empty()) && score <= kExcluded;
}

bool Generation::MayFollow(int32_t token) const {
  const SpecialIds& special = options_.special;
  if (std::ranges::count(options_.suppressed_ids, token) > 0) return false;
  if (special.IsEnd(token)) return options_.exact_length == 0;
  return token != special.pad && token != special.bos;
}

std::vector<std::vector<Hypothesis>> Generation::Run() {
  std::vector<std::vector<Hypothesis>> results(sentences_.size());
  for (bool more = !sentences_.empty(); more; ++step_) {
    Step();
    for (Sentence& sentence : sentences_) {
      if (sentence.live.empty()) continue;
      if (IsCancelled(sentence)) {
        sentence.live.clear();
        continue;
      }
      Advance(sentence);
      if (hooks_.observer) Report(sentence);
      if (!sentence.live.empty()) continue;
      auto& result = At(results, sentence.column);
      for (const Sentence::Ended& ended : sentence.ended) {
        result.push_back(Finish(sentence, ended));
      }
    }
    more = Rearrange();
  }
  ctx_.CheckCancelled();
  return results;
}

bool Generation::IsCancelled(const Sentence& sentence) const {
  if (hooks_.cancellations.empty()) return false;
  const Cancellation* own = At(hooks_.cancellations, sentence.column);
  return own != nullptr && own->cancelled();
}

void Generation::Step() {
  ctx_.CheckCancelled();
  const Var features = model_.Next(ctx_, tokens_, state_);
  const OutputLayer& output = restricted_ ? *restricted_ : model_.output();
  const bool changes = options_.Penalizes() || !unlisted_.empty();
  if (wanted_ > 0 && end_column_ < kKeptColumns && !changes) {
    top_k_ = output.TopK(ctx_, features.value(), wanted_, kKeptColumns,
                         options_.NeedsScores());
  } else {
    scores_ = AsFloats(output.Scores(ctx_, features).value());
    if (changes) scores_ = scores_.Clone();
    if (options_.Penalizes()) PenalizeRows();
    ExcludeUnlisted();
    top_k_ = kernels::FindTopK(
        scores_, std::clamp(wanted_, 1, static_cast<int>(scores_.cols())), 0,
        options_.NeedsScores());
  }
  Prepare();
  attention_ = state_.weights.defined() ? AsFloats(state_.weights) : Tensor();
  if (!attention_.defined() &&
      (options_.replace_unknown || options_.coverage_penalty > 0)) {
    throw ConfigError(
        "replace_unknown and coverage_penalty need a model with attention; "
        "this one has none");
  }
}

void Generation::ExcludeUnlisted() {
  if (unlisted_.empty()) return;
  const int64_t rows = scores_.rows() / std::ssize(sentences_);
  int64_t row = 0;
  for (const Sentence& sentence : sentences_) {
    for (const int64_t end = row + rows; row < end; ++row) {
      float* scores = scores_.row<float>(row);
      for (const int32_t column : At(unlisted_, sentence.column)) {
        scores[column] = kExcluded;
      }
    }
  }
}

void Generation::PenalizeRows() {
  for (const Sentence& sentence : sentences_) {
    for (const Partial& partial : sentence.live) {
      std::vector<int32_t> tokens = At(read_, sentence.column);
      const std::vector<int32_t> written =
          sentence.prefixes.Tokens(partial.prefix);
      tokens.insert(tokens.end(), written.begin(), written.end());
      Penalize(options_, tokens, std::ssize(written),
               {scores_.row<float>(partial.row),
                static_cast<size_t>(scores_.cols())});
    }
  }
}

void Generation::Advance(Sentence& sentence) {
  for (const Partial& partial : sentence.live) {
    const double of_all = top_k_.log_sums.defined()
                              ? top_k_.log_sums.data<double>()[partial.row]
                              : top_k_.values.row<float>(partial.row)[0];
    if (!std::isfinite(of_all)) {
      throw NumericError(
          "decode: the model's scores for target token {} are not finite; "
          "its parameters may be damaged",
          step_ + 1);
    }
  }
  std::vector<Partial> next;
  for (const Continuation& continuation :
       step_ == sentence.max_length ? ForcedEnds(sentence) : Choose(sentence)) {
    Partial partial = Extend(sentence, continuation);
    if (step_ == sentence.max_length ||
        options_.special.IsEnd(continuation.token)) {
      partial.at_last_position =
          sentence.limited_by_positions && step_ == sentence.max_length;
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

float Generation::EndScore(int64_t row) const {
  return (scores_.defined() ? scores_ : top_k_.first)
      .row<float>(row)[end_column_];
}

std::vector<Continuation> Generation::ForcedEnds(
    const Sentence& sentence) const {
  std::vector<Continuation> ends;
  for (const Partial& partial : sentence.live) {
    const double end = end_column_ < 0
                           ? 0
                           : LogProbability(partial.row, EndScore(partial.row));
    ends.push_back(
        {ends.size(), options_.special.eos, partial.log_probability + end});
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
  partial.prefix = sentence.prefixes.Extend(
      parent.prefix, continuation.token,
      static_cast<float>(continuation.log_probability - parent.log_probability),
      attention);
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

// Upper bound of the score of a partial. Further steps never raise log p, which
// is at most 0, so the bound assumes the maximum length. The coverage penalty
// is at most 0.
double Generation::Bound(const Sentence& sentence,
                         const Partial& partial) const {
  return partial.log_probability /
         LengthPenalty(sentence.max_length + 1, options_.length_penalty);
}

// True if no live hypothesis can still enter the nbest.
bool Generation::Decided(const Sentence& sentence) const {
  if (sentence.live.empty()) return true;
  if (std::ssize(sentence.ended) < options_.nbest) return false;
  const auto best =
      std::max_element(sentence.live.begin(), sentence.live.end(),
                       [](const Partial& a, const Partial& b) {
                         return a.log_probability < b.log_probability;
                       });
  return Bound(sentence, *best) <= sentence.ended.back().score;
}

// Reports the common prefix of all hypotheses that can still become the best:
// the best finished one (it precedes equal scores), and live ones that can beat
// it.
void Generation::Report(Sentence& sentence) const {
  std::vector<int32_t> common;
  bool first = true;
  const auto meet = [&](const Partial& partial) {
    std::vector<int32_t> tokens = sentence.prefixes.Tokens(partial.prefix);
    if (!tokens.empty() && options_.special.IsEnd(tokens.back())) {
      tokens.pop_back();
    }
    if (first) common = tokens;
    first = false;
    const auto end = std::ranges::mismatch(common, tokens).in1;
    common.erase(end, common.end());
  };
  const auto& ended = sentence.ended;
  if (!ended.empty()) meet(ended.front().partial);
  for (const Partial& partial : sentence.live) {
    if (ended.empty() || Bound(sentence, partial) > ended.front().score) {
      meet(partial);
    }
  }
  const bool whole = sentence.live.empty();
  if (common.size() <= sentence.settled && !whole) return;
  sentence.settled = common.size();
  hooks_.observer(sentence.column, common, whole);
}

// Removes the finished sentences. Returns the indices of the remaining sources.
std::vector<int32_t> Generation::CloseUp() {
  std::vector<int32_t> remaining;
  for (size_t j = 0; j < sentences_.size(); ++j) {
    if (!sentences_[j].live.empty()) {
      remaining.push_back(static_cast<int32_t>(j));
    }
  }
  std::erase_if(sentences_, [](const Sentence& s) { return s.live.empty(); });
  return remaining;
}

// Reorders the model's rows for the live partials; false if none are left.
bool Generation::Rearrange() {
  const auto present = std::ssize(sentences_);
  const auto idle = std::ranges::count_if(
      sentences_, [](const Sentence& s) { return s.live.empty(); });
  if (idle == present) return false;
  const int64_t before = tokens_.numel() / present;  // rows per source
  const bool close_up = idle * kIdleShare >= present;
  const std::vector<int32_t> sources =
      close_up ? CloseUp() : std::vector<int32_t>();
  int64_t after = before;
  for (const Sentence& sentence : sentences_) {
    after = std::max(after, std::ssize(sentence.live));
  }

  std::vector<int32_t> rows;
  std::vector<int32_t> tokens;
  for (size_t j = 0; j < sentences_.size(); ++j) {
    Sentence& sentence = sentences_[j];
    for (int64_t i = 0; i < after; ++i) {
      if (sentence.live.empty()) {
        const auto first = static_cast<int64_t>(j) * before;
        rows.push_back(static_cast<int32_t>(first + std::min(i, before - 1)));
        tokens.push_back(0);  // any token
        continue;
      }
      // A spare row copies the last one.
      const Partial& partial = At(
          sentence.live, std::min<int64_t>(i, std::ssize(sentence.live) - 1));
      rows.push_back(static_cast<int32_t>(partial.row));
      tokens.push_back(sentence.prefixes.Token(partial.prefix));
    }
    for (size_t i = 0; i < sentence.live.size(); ++i) {
      sentence.live[i].row =
          static_cast<int64_t>(j) * after + static_cast<int64_t>(i);
    }
  }
  // Greedy search reorders nothing: rows are 0, 1, 2 and so on.
  const bool unmoved =
      !close_up && after == before &&
      std::ranges::adjacent_find(rows, std::greater_equal<>()) == rows.end();
  if (!unmoved) state_.Reorder(Ids(rows), close_up ? Ids(sources) : Tensor());
  tokens_ = Ids(tokens);
  return true;
}

Hypothesis Generation::Finish(const Sentence& sentence,
                              const Sentence::Ended& ended) const {
  const Partial& partial = ended.partial;
  Hypothesis hypothesis;
  hypothesis.tokens = sentence.prefixes.Tokens(partial.prefix);
  hypothesis.tokens.pop_back();  // the end token
  if (options_.NeedsScores()) {
    hypothesis.score = ended.score;
    hypothesis.log_probability = partial.log_probability;
    hypothesis.log_probabilities =
        sentence.prefixes.LogProbabilities(partial.prefix);
  }
  hypothesis.attention = sentence.prefixes.Attention(partial.prefix);
  hypothesis.source_length = sentence.source_length;
  hypothesis.at_last_position = partial.at_last_position;
  return hypothesis;
}

}  // namespace heed
