#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/labelled.h"
#include "heed/data/numbers.h"
#include "heed/explain/observed_inputs.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/normalizers.h"
#include "heed/kernels/topk.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/choice.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/train/progress.h"

namespace heed::pretrain {
namespace {

using Json = nlohmann::ordered_json;

BertText TextOf(const MarkedText& text) {
  const int64_t S = std::ssize(text.ids);
  Tensor segments = Tensor::Zeros({1, S}, DType::kI32);
  std::fill(segments.data<int32_t>() + text.first, segments.data<int32_t>() + S,
            1);
  return {Tensor::Of(text.ids, {1, S}),
          Tensor::Full({1}, static_cast<double>(S), DType::kI32), segments};
}

/// Repeats row 0 of every tensor `copies` times.
BertText RepeatedText(const BertText& text, int64_t copies) {
  const Tensor rows = Tensor::Zeros({copies}, DType::kI32);
  return {kernels::Gather(text.ids, rows), kernels::Gather(text.lengths, rows),
          kernels::Gather(text.segments, rows)};
}

/// Index of each mark in each copy of a text of S tokens.
Tensor PlacesOf(const std::vector<int32_t>& marks, int64_t S, int64_t copies) {
  std::vector<int32_t> places;
  for (int64_t i = 0; i < copies; ++i) {
    for (const int32_t mark : marks) {
      places.push_back(mark + static_cast<int32_t>(i * S));
    }
  }
  return Tensor::Of(places, {std::ssize(places)});
}

class PretrainPredictor : public PredictorWith<Prediction> {
 public:
  PretrainPredictor(const Model& model, Prediction options)
      : PredictorWith(options), model_(model) {}

 protected:
  /// Mode words: predicts the most probable words for each [MASK] of a line.
  /// Mode next: predicts, for a line "text, tab, text", the probability that
  /// the second text follows the first.
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const Prediction& options,
                              const PredictCall& call) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& given, const ExplainInput& input,
      const Prediction& options) const override;

 private:
  std::vector<int32_t> WordsNamed(const std::string& line,
                                  const AnswerSlots& slots, size_t marks) const;
  RunOfCopies LogP(const std::shared_ptr<BertText>& text,
                   const std::vector<int32_t>& marks) const;
  MarkedText Read(const std::string& line, bool pair,
                  const std::string& place) const;
  /// Positions of masked words.
  std::vector<int32_t> MaskPositions(const BertText& text) const;
  Answer Words(const Context& ctx, const BertText& text, int candidates) const;
  Answer Next(const Context& ctx, const BertText& text) const;
  const Vocabulary& vocabulary() const { return model_.vocabulary; }
  const Bert& network() const { return model_.network(); }

  const Model& model_;
};

MarkedText PretrainPredictor::Read(const std::string& line, bool pair,
                                   const std::string& place) const {
  const size_t tab = pair ? line.find('\t') : line.npos;
  if (pair && tab == line.npos) {
    throw FormatError(place + ": no tab between the two texts");
  }
  const std::string second = pair ? line.substr(tab + 1) : "";
  return MarkText(vocabulary(), line.substr(0, tab), pair ? &second : nullptr,
                  {model_.config.model->positions(),
                   model_.config.data.vocabulary.lowercase});
}

std::vector<int32_t> PretrainPredictor::MaskPositions(
    const BertText& text) const {
  std::vector<int32_t> marks;
  for (int32_t s = 0; s < text.ids.numel(); ++s) {
    if (text.ids.data<int32_t>()[s] == vocabulary().special().mask) {
      marks.push_back(s);
    }
  }
  return marks;
}

Answer PretrainPredictor::Words(const Context& ctx, const BertText& text,
                                int candidates) const {
  const std::vector<int32_t> marks = MaskPositions(text);
  Answer answer;
  answer.parts["masks"] = Json::array();
  if (marks.empty()) return answer;
  const Tensor p =
      kernels::Softmax(network()
                           .TokenLogits(ctx, network().States(ctx, text),
                                        PlacesOf(marks, text.ids.dim(1), 1))
                           .value());
  Tensor probabilities;
  Tensor ids;
  kernels::TopK(p, static_cast<int>(std::min<int64_t>(candidates, p.dim(1))),
                probabilities, ids, nullptr);
  std::vector<std::string> of_mask;
  for (int64_t r = 0; r < ids.rows(); ++r) {
    std::vector<std::string> words;
    Json& best = answer.parts["masks"].emplace_back(Json::array());
    for (int64_t i = 0; i < ids.cols(); ++i) {
      const int32_t id = ids.row<int32_t>(r)[i];
      const std::string word = ShownToken(vocabulary(), id);
      const float probability = probabilities.row<float>(r)[i];
      words.push_back(fmt::format("{}\t{}", word, ExactNumber(probability)));
      best.push_back({{"word", word},
                      {"token", vocabulary().Piece(id)},
                      {"probability", probability}});
    }
    of_mask.push_back(fmt::format("{}", fmt::join(words, "\t")));
  }
  answer.line = fmt::format("{}", fmt::join(of_mask, " ||| "));
  return answer;
}

Answer PretrainPredictor::Next(const Context& ctx, const BertText& text) const {
  const Tensor p = kernels::Softmax(
      network().NextScores(ctx, network().States(ctx, text)).value());
  const float probability = p.data<float>()[0];
  return {ExactNumber(probability), {{"probability", probability}}};
}

std::vector<Answer> PretrainPredictor::Predict(std::span<const Input> inputs,
                                               const Prediction& options,
                                               const PredictCall& call) const {
  const Context ctx = call.context();
  const bool next = options.mode == Mode::kNext;
  if (next && !network().has_next_sentence()) {
    throw ConfigError(
        "mode next: the model was not made to compare two texts; it predicts "
        "masked words (--mode words)");
  }
  std::vector<Answer> answers;
  for (const Input& input : inputs) {
    ctx.CheckCancelled();
    const BertText text = TextOf(Read(input.Text(), next, input.place));
    answers.push_back(next ? Next(ctx, text)
                           : Words(ctx, text, options.candidates));
  }
  return answers;
}

/// Returns a token for each mark, or none for an empty line. A word stands for
/// any token with this display form, "##s" as well as "s".
std::vector<int32_t> PretrainPredictor::WordsNamed(const std::string& line,
                                                   const AnswerSlots& slots,
                                                   size_t marks) const {
  std::vector<int32_t> words;
  if (line.empty()) return words;
  for (const std::string_view word : SplitWhitespace(line)) {
    const std::optional<int32_t> shown =
        words.size() < marks
            ? TokenShownAs(vocabulary(), word, slots.RowOf(words.size()))
            : std::nullopt;
    const std::vector<int32_t> tokens =
        shown ? std::vector{*shown} : vocabulary().Encode(word);
    words.insert(words.end(), tokens.begin(), tokens.end());
  }
  if (words.size() != marks) {
    throw FormatError("explain: '{}' is {} for {}; give one token for each",
                      line, Counted(std::ssize(words), "token"),
                      Counted(static_cast<int64_t>(marks), "mask"));
  }
  return words;
}

/// log p of each token of the vocabulary at each mark [copies, marks, V].
RunOfCopies PretrainPredictor::LogP(const std::shared_ptr<BertText>& text,
                                    const std::vector<int32_t>& marks) const {
  return [this, text, marks](const Context& c, int64_t copies) {
    const Tensor places = PlacesOf(marks, text->ids.dim(1), copies);
    const Var y = LogSoftmax(network().TokenLogits(
        c, network().States(c, RepeatedText(*text, copies)), places));
    return Reshape(y, {copies, std::ssize(marks), y.value().cols()});
  };
}

ExplainablePrediction PretrainPredictor::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    const Prediction& /*options*/) const {
  const bool pair = input.Text().find('\t') != std::string::npos;
  MarkedText read = Read(input.Text(), pair, "explain");
  const auto text = std::make_shared<BertText>(TextOf(read));
  const std::vector<int32_t> marks = MaskPositions(*text);
  const RunOfCopies log_p = LogP(text, marks);
  InputWatch watch(input.watch, input.inputs);
  const Context ctx = ObservedBy(watch, given);
  AnswerSlots slots = {
      "target",
      {},
      [this](int32_t id) { return ShownToken(vocabulary(), id); },
      log_p,
      {}};
  if (marks.empty()) {
    network().States(ctx, *text);
  } else {
    slots.rows = log_p(ctx, 1).value();
  }
  slots.chosen = WordsNamed(input.answer, slots, marks.size());
  for (size_t m = slots.chosen.size(); m < marks.size(); ++m) {
    slots.chosen.push_back(LargestOf(slots.RowOf(m)));
  }
  slots.queries = "source";
  slots.map_rows.assign(marks.begin(), marks.end());
  Axis hidden = TokenAxis("target", "Hidden words", vocabulary(), slots.chosen);
  std::string answer = fmt::format("{}", fmt::join(hidden.shown(), " "));
  ExplainableSegment result =
      ExplainSlots(input,
                   {InputTokenAxis("source", "Text", vocabulary(), read.ids,
                                   std::move(read.pieces)),
                    std::move(hidden)},
                   answer, watch, slots);
  result.segment.inputs = watch.Vectors();
  if (!input.contrast.empty()) {
    ContrastSlots(slots, WordsNamed(input.contrast, slots, marks.size()),
                  result);
  }
  return {std::move(answer), {std::move(result)}};
}

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& model,
                                                   Prediction options) const {
  return std::make_unique<PretrainPredictor>(model, options);
}

}  // namespace heed::pretrain
