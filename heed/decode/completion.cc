#include "heed/decode/completion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/decode/penalties.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/text/subwords.h"

namespace heed {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// The search ends when the live prefixes hold less than this share of the
// probability mass.
constexpr double kNegligible = 1e-5;

/// log(e^a + e^b).
double LogAdd(double a, double b) {
  const auto [low, high] = std::minmax(a, b);
  return low == kNever ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace

size_t LastWord(std::string_view text) {
  const size_t space = text.find_last_of(" \t\n\v\f\r");
  return space == text.npos ? 0 : space + 1;
}

void CompletionOptions::Visit(FieldList& v) {
  v("completions", completions, Range(1, 1000), "words to suggest")
      .ServedUpTo(100);
  v("beam", beam, Range(1, 10000), "hypotheses kept at each step")
      .ServedUpTo(kServedBeam);
  v("max_tokens", max_tokens, Range(1, 1000), "maximum tokens of a word")
      .ServedUpTo(kServedTokens);
  v("context", context, AtLeast(0),
    "maximum tokens that the model reads before the word; 0: all")
      .ServedUpTo(4096);
}

/// A partial word.
struct Completer::Partial {
  int32_t row = 0;  // in the model's batch
  int32_t token = 0;
  double log_probability = 0;
  std::string text;  // including start_
  bool covers = false;
};

/// Beam search for the completions of one word.
class Completer::Search {
 public:
  Search(const Completer& completer, std::string_view typed,
         const Cancellation* cancellation)
      : completer_(completer),
        vocabulary_(completer.vocabulary_),
        special_(vocabulary_.special()),
        typed_(std::string(completer.start_) + std::string(typed)) {
    live_.emplace_back().token = special_.bos;
    ctx_.cancellation = cancellation;
  }

  void Run(const std::vector<int32_t>& prompt);
  std::vector<Completion> Best() const;

 private:
  struct Continuation {
    size_t parent;
    int32_t token;
    double log_probability;
    bool covers;
  };

  void Step();
  void Finish(const Partial& partial);
  void Continue(size_t parent);
  void Keep();
  /// True if `token` may follow `text`, which does not cover typed_ yet.
  bool Agrees(const std::string& text, int32_t token) const;
  bool Covers(const Partial& partial, int32_t token) const;
  std::string Word(const std::string& text) const {
    return text.substr(completer_.start_.size());
  }

  const Completer& completer_;
  const Vocabulary& vocabulary_;
  const SpecialIds& special_;
  const std::string typed_;  // including start_
  Context ctx_;
  DecoderState state_;
  std::vector<Partial> live_;
  std::vector<Continuation> continuations_;
  Tensor log_probabilities_;  // next tokens [rows, V]
  Tensor probabilities_;
  std::map<std::string, double> words_;  // log-probability of each word
  double log_mass_ = kNever;             // all prefixes that cover typed_
};

bool Completer::Search::Agrees(const std::string& text, int32_t token) const {
  const bool may_begin = text.empty() && completer_.begins_words_;
  if (special_.IsSpecial(token) || (completer_.Ends(token) && !may_begin)) {
    return false;
  }
  const std::string_view piece = vocabulary_.Piece(token);
  const std::string_view rest = std::string_view(typed_).substr(text.size());
  return piece.starts_with(rest) || rest.starts_with(piece);
}

/// True if the prefix with `token` covers typed_ and is not empty.
bool Completer::Search::Covers(const Partial& partial, int32_t token) const {
  const size_t size = partial.text.size() + vocabulary_.Piece(token).size();
  return size >= std::max(typed_.size(), completer_.start_.size() + 1);
}

void Completer::Search::Run(const std::vector<int32_t>& prompt) {
  const int64_t S = std::ssize(prompt);
  const Tensor length = Tensor::Full({1}, static_cast<double>(S), DType::kI32);
  state_ = completer_.model_.Start(
      ctx_,
      completer_.model_.Encode(ctx_, {Tensor::Of(prompt, {S, 1}), length}));
  state_.wants_weights = false;
  const int steps = completer_.options_.max_tokens;
  for (int step = 0; step <= steps && !live_.empty(); ++step) {
    Step();
    continuations_.clear();
    for (size_t i = 0; i < live_.size(); ++i) {
      if (live_[i].covers) Finish(live_[i]);
      if (step < steps) Continue(i);
    }
    Keep();
  }
}

void Completer::Search::Step() {
  ctx_.CheckCancelled();
  std::vector<int32_t> tokens;
  for (const Partial& partial : live_) tokens.push_back(partial.token);
  Tensor scores =
      completer_.model_
          .Step(ctx_, Tensor::Of(tokens, {std::ssize(tokens)}), state_)
          .value()
          .To(DType::kF32);
  for (int64_t r = 0; r < scores.rows(); ++r) {
    for (const int32_t token : {special_.pad, special_.unk, special_.bos}) {
      scores.row<float>(r)[token] = kExcluded;
    }
  }
  log_probabilities_ = kernels::LogSoftmax(scores);
  for (int64_t r = 0; r < scores.rows(); ++r) {
    if (std::isnan(log_probabilities_.row<float>(r)[special_.eos])) {
      throw NumericError(
          "completion: the model's scores are not finite; its parameters may "
          "be damaged");
    }
  }
  probabilities_ = kernels::Exp(log_probabilities_);
}

/// Adds the probability that the word ends here.
void Completer::Search::Finish(const Partial& partial) {
  const float* p = probabilities_.row<float>(partial.row);
  double end = 0;
  for (int32_t token = 0; token < vocabulary_.size(); ++token) {
    if (completer_.Ends(token)) end += p[token];
  }
  if (end == 0) return;
  double& word = words_.try_emplace(Word(partial.text), kNever).first->second;
  word = LogAdd(word, partial.log_probability + std::log(end));
}

void Completer::Search::Continue(size_t parent) {
  const Partial& partial = live_[parent];
  const float* log_p = log_probabilities_.row<float>(partial.row);
  for (int32_t token = 0; token < vocabulary_.size(); ++token) {
    if (partial.covers ? completer_.Ends(token) || special_.IsSpecial(token)
                       : !Agrees(partial.text, token)) {
      continue;
    }
    const double log_probability = partial.log_probability + log_p[token];
    const bool covers = partial.covers || Covers(partial, token);
    if (covers && !partial.covers) {
      log_mass_ = LogAdd(log_mass_, log_probability);
    }
    continuations_.push_back({parent, token, log_probability, covers});
  }
}

/// Keeps the most probable continuations.
void Completer::Search::Keep() {
  const size_t kept = std::min(continuations_.size(),
                               static_cast<size_t>(completer_.options_.beam));
  std::partial_sort(
      continuations_.begin(), continuations_.begin() + static_cast<long>(kept),
      continuations_.end(), [](const Continuation& a, const Continuation& b) {
        return std::tuple(-a.log_probability, a.parent, a.token) <
               std::tuple(-b.log_probability, b.parent, b.token);
      });
  continuations_.resize(kept);
  std::vector<Partial> next;
  std::vector<int32_t> rows;
  double left = kNever;
  for (const Continuation& c : continuations_) {
    const Partial& parent = live_[c.parent];
    rows.push_back(parent.row);
    next.push_back({static_cast<int32_t>(next.size()), c.token,
                    c.log_probability, parent.text + vocabulary_.Piece(c.token),
                    c.covers});
    left = LogAdd(left, c.log_probability);
  }
  live_ = std::move(next);
  if (left < log_mass_ + std::log(kNegligible)) live_.clear();
  if (live_.empty()) return;
  state_.Reorder(Tensor::Of(rows, {std::ssize(rows)}), {});
}

std::vector<Completion> Completer::Search::Best() const {
  std::vector<Completion> all;
  for (const auto& [word, log_probability] : words_) {
    all.push_back({word, std::exp(log_probability - log_mass_)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Completion& a, const Completion& b) {
                     return a.probability > b.probability;
                   });
  all.resize(std::min(all.size(),
                      static_cast<size_t>(completer_.options_.completions)));
  return all;
}

Completer::Completer(const Decoder& model, Vocabulary vocabulary,
                     const CompletionOptions& options)
    : model_(model),
      vocabulary_(std::move(vocabulary)),
      options_(options),
      begins_words_(vocabulary_.kind() != VocabularyKind::kCharacters) {
  Check(options);
  const VocabularyKind kind = vocabulary_.kind();
  if (IsSubword(kind)) {
    start_ = kSpaceMark;
  } else if (kind != VocabularyKind::kWords &&
             kind != VocabularyKind::kCharacters) {
    throw ConfigError(
        "completion needs a vocabulary that says where words end: unigram, "
        "bpe, words or characters, not {}",
        Name(kind));
  }
  const SpecialIds& special = vocabulary_.special();
  for (int32_t token = 0; token < vocabulary_.size(); ++token) {
    const std::string& piece = vocabulary_.Piece(token);
    ends_.push_back(special.IsEnd(token) ||
                    (!special.IsSpecial(token) &&
                     (kind == VocabularyKind::kWords ||
                      (IsSubword(kind) ? piece.starts_with(start_)
                                       : SplitWhitespace(piece).empty()))));
  }
}

std::vector<Completion> Completer::Complete(
    std::string_view text, const Cancellation* cancellation) const {
  if (!IsValidUtf8(text)) {
    throw FormatError("completion: the text is not valid UTF-8");
  }
  const std::string normal = vocabulary_.Normalized(text);
  text = normal;
  const size_t begin = LastWord(text);
  std::vector<int32_t> prompt = vocabulary_.Encode(text.substr(0, begin));
  const size_t context = static_cast<size_t>(options_.context);
  if (context > 0 && prompt.size() > context) {
    prompt.erase(prompt.begin(), prompt.end() - options_.context);
  }
  Search search(*this, text.substr(begin), cancellation);
  search.Run(prompt);
  return search.Best();
}

}  // namespace heed
