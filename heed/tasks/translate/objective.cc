#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/metrics/text_measures.h"
#include "heed/ops/elementwise.h"
#include "heed/tasks/target_loss.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/training_pairs.h"
#include "heed/tasks/translate/coverage.h"
#include "heed/tasks/translate/guided_alignment.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/tasks/written_text.h"
#include "heed/text/bpe_dropout.h"
#include "heed/text/word_tokens.h"
#include "heed/train/progress.h"

namespace heed::translate {
namespace {

/// The word of each token of a line; −1 if the vocabulary tokenises the line
/// differently from its words.
std::vector<int32_t> TokenWords(const Vocabulary& vocabulary,
                                const std::string& line,
                                const std::vector<int32_t>& ids) {
  WordTokens tokens = EncodeWordTokens(vocabulary, line);
  const auto equal = [&](int32_t own, int32_t id) {
    const bool copied = id >= vocabulary.size();
    return own == (copied ? vocabulary.special().unk : id);
  };
  if (!std::ranges::equal(tokens.ids, ids, equal)) {
    return std::vector<int32_t>(ids.size(), -1);
  }
  return std::move(tokens.words);
}

/// Cross entropy of target tokens, optionally with guided attention.
class TranslationObjective : public ObjectiveOf<Model> {
 public:
  TranslationObjective(const Settings& settings, Data read, Model& model);

  std::string Summary() const override;
  std::string Checksum() const override;
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return train_.Plan(data().large, Batches(), seed, epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    return train_.TargetTokens(examples);
  }
  int64_t Parts(std::span<const int64_t> examples) const override {
    return PartsOf(*model_.model, std::ssize(examples), Units(examples));
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  void Updated(const Metrics& parts) override { choices_.Updated(parts); }
  std::vector<NamedTensor> State() const override {
    return chooses() ? choices_.State() : std::vector<NamedTensor>();
  }
  void Restore(const std::vector<NamedTensor>& state) override {
    choices_.Restore(state);
  }
  bool has_valid() const override { return read_.text.has_valid(); }
  Metrics Validate(const std::string& measure) const override;

 private:
  const DataConfig& data() const { return model_.data; }
  BatchOptions Batches() const {
    return {data().batch_tokens, data().batch_sentences};
  }
  /// Maximum number of tokens, without </s>, on each side of a pair, by the
  /// settings and the model's positions; 0: no limit.
  int longest() const {
    return static_cast<int>(TokensWithin(*model_.model, data().max_length));
  }
  bool guided() const { return !data().guided_alignment.empty(); }
  bool chooses() const { return model_.model->hard_choices(); }
  /// A batch; with guided alignment also the words of its tokens and the lines
  /// of its pairs in the text.
  struct Examples {
    Batch batch;
    std::vector<WordTokens> source;
    std::vector<WordTokens> target;
    std::vector<int64_t> lines;
  };
  TrainingPairs EncodeTraining();
  WordTokens WithNoise(WordTokens usual, int64_t line, Rng& rng) const;
  Examples TrainingExamples(const Context& ctx,
                            std::span<const int64_t> examples) const;
  Tensor Links(const Examples& in) const;

  Data read_;
  ParallelText aligned_;  // the pairs of valid_gold, long ones empty
  int64_t linked_pairs_ = 0;
  TrainingPairs train_;
  // With guided alignment: words of the tokens of each pair of train_.
  std::vector<std::vector<int32_t>> source_words_;
  std::vector<std::vector<int32_t>> target_words_;
  Corpus valid_;
  HardChoices choices_;
  BleuTokenizer tokenizer_;
  std::optional<BpeDropout> source_dropout_;
  std::optional<BpeDropout> target_dropout_;
};

TranslationObjective::TranslationObjective(const Settings& settings, Data read,
                                           Model& model)
    : ObjectiveOf(model, settings.Measures(read)),
      read_(std::move(read)),
      choices_(settings.data.hard),
      tokenizer_(BleuTokenizerFor(data().tokenize, read_.text.valid.target)) {
  if ((guided() || data().coverage_loss > 0) && chooses()) {
    throw ConfigError(
        "{} supervises weights, and the model's attention makes choices that "
        "learn by reward; choose another normalizer",
        guided() ? "guided_alignment" : "coverage_loss");
  }
  const Vocabularies& v = model_.vocabularies;
  train_ = EncodeTraining();
  if (train_.size() == 0) {
    throw ConfigError(
        "no training pair is left: {} are longer than {} tokens, {} have an "
        "empty side",
        train_.dropped_long(), longest(), train_.dropped_empty());
  }
  if (read_.text.store) read_.text.train = {};  // only a sample
  valid_ = EncodeMeasured(read_.text.valid, v.source, v.target,
                          TokensWithin(*model_.model, kMaxMeasuredTokens),
                          data().copy);
  if (!data().valid_alignment.empty()) {
    aligned_ = read_.text.valid;
    EmptyLongPairs(aligned_, model_);
  }
  linked_pairs_ = 0;
  for (int64_t i = 0; guided() && i < train_.size(); ++i) {
    const Corpus pair = train_.Read(std::span(&i, 1));
    const auto line = static_cast<size_t>(pair.lines[0]);
    source_words_.push_back(
        TokenWords(v.source, read_.text.train.source[line], pair.source[0]));
    target_words_.push_back(
        TokenWords(v.target, read_.text.train.target[line], pair.target[0]));
    linked_pairs_ += read_.links[line].empty() ? 0 : 1;
  }
  if (data().bpe_dropout == 0) return;
  if (data().source_kind() == VocabularyKind::kBpe) {
    source_dropout_.emplace(v.source, data().bpe_dropout);
  }
  if (data().target_kind() == VocabularyKind::kBpe) {
    target_dropout_.emplace(v.target, data().bpe_dropout);
  }
}

TrainingPairs TranslationObjective::EncodeTraining() {
  const Vocabularies& v = model_.vocabularies;
  CorpusOptions options;
  options.max_length = longest();
  options.copies = data().copy;
  if (read_.text.store) {
    const nlohmann::ordered_json made_of = {
        {"source",
         ComputeChecksum(std::vector<std::string>{v.source.Serialize()})},
        {"target",
         ComputeChecksum(std::vector<std::string>{v.target.Serialize()})},
        {"max_length", options.max_length}};
    const TextStore& store = *read_.text.store;
    return {store.Tokens(made_of,
                         {.source_vocabulary = v.source.size(),
                          .target_vocabulary = v.target.size()},
                         [&](const TextColumns& rows) {
                           return EncodeCorpus({rows[0], rows[1]}, v.source,
                                               v.target, options);
                         }),
            store.corpora(), v.target.special().bos};
  }
  Corpus pairs = EncodeCorpus(read_.text.train, v.source, v.target, options);
  std::vector<int64_t> lines;
  for (const TextOrigin& file : read_.text.train.origins) {
    lines.push_back(file.lines);
  }
  if (lines.empty()) lines = {std::ssize(read_.text.train.source)};
  std::vector<int64_t> ends = EndsOfFiles(pairs, lines);
  return {std::move(pairs), std::move(ends)};
}

std::string TranslationObjective::Checksum() const {
  std::vector<std::string> lines;
  for (const AlignmentLinks& links : read_.links) {
    lines.push_back(FormatAlignment(links));
  }
  return read_.text.Checksum() + (guided() ? ComputeChecksum(lines) : "");
}

std::string TranslationObjective::Summary() const {
  const Vocabularies& v = model_.vocabularies;
  return fmt::format(
      "{} (dropped: {} longer than {} tokens, {} with an empty side), {} for "
      "validation; vocabularies of {}{} and {}{} tokens{}{}",
      Counted(train_.size(), "pair"), train_.dropped_long(), longest(),
      train_.dropped_empty(), valid_.size(), v.source.size(),
      VocabularySizeNote(v.source.size(), data().source_vocabulary_size),
      v.target.size(),
      VocabularySizeNote(v.target.size(), data().target_vocabulary_size),
      guided() ? "; links of " + Counted(linked_pairs_, "pair") : "",
      model_.config->PrecisionNote());
}

/// Tokens of a source line with random changes, which keep its target mark;
/// `usual` if they are too many.
WordTokens TranslationObjective::WithNoise(WordTokens usual, int64_t line,
                                           Rng& rng) const {
  const std::string& source = At(read_.text.train.source, line);
  const MarkAndText taken = TakeMark(*model_.marks, source);
  const std::string text = AddNoise(taken.text, data().noise, rng);
  if (text == taken.text) return usual;
  const std::string noisy = WithMark(*model_.marks, text, taken.mark);
  const Vocabulary& vocabulary = model_.vocabularies.source;
  std::vector<int32_t> ids = EncodeSentence(vocabulary, noisy, false).ids;
  if (longest() > 0 && std::ssize(ids) - 1 > longest()) return usual;
  std::vector<int32_t> words;
  if (guided()) words = TokenWords(vocabulary, noisy, ids);
  return {std::move(ids), std::move(words)};
}

TranslationObjective::Examples TranslationObjective::TrainingExamples(
    const Context& ctx, std::span<const int64_t> examples) const {
  const bool drops = ctx.rng != nullptr && (source_dropout_ || target_dropout_);
  const bool noisy = ctx.rng != nullptr && data().noise.any();
  if (!drops && !noisy && !guided())
    return {train_.BatchOf(examples), {}, {}, {}};
  // Keep the usual segmentation if BPE dropout exceeds the maximum length, or
  // if links need words that it makes indistinguishable.
  const auto segment = [&](const std::optional<BpeDropout>& dropout,
                           const Vocabulary& vocabulary, WordTokens usual) {
    if (!drops || !dropout) return usual;
    std::vector<int32_t> segmented = dropout->Segment(usual.ids, *ctx.rng);
    const int64_t tokens = std::ssize(segmented) - 1;  // without </s>
    if (longest() > 0 && tokens > longest()) return usual;
    if (!guided()) return WordTokens{std::move(segmented), {}};
    return FindWords(vocabulary, segmented, usual.word_count()).value_or(usual);
  };
  Examples result;
  Corpus pairs = train_.Read(examples);
  Corpus corpus;
  corpus.start = model_.vocabularies.target.special().bos;
  std::vector<int64_t> places;
  const auto words = [&](const auto& all, size_t i) {
    return guided() ? all[i] : std::vector<int32_t>();
  };
  for (size_t b = 0; b < examples.size(); ++b) {
    const auto i = static_cast<size_t>(examples[b]);
    places.push_back(corpus.size());
    WordTokens source = {std::move(pairs.source[b]), words(source_words_, i)};
    if (noisy) source = WithNoise(std::move(source), pairs.lines[b], *ctx.rng);
    result.source.push_back(segment(source_dropout_, model_.vocabularies.source,
                                    std::move(source)));
    result.target.push_back(
        segment(target_dropout_, model_.vocabularies.target,
                {std::move(pairs.target[b]), words(target_words_, i)}));
    corpus.source.push_back(result.source.back().ids);
    corpus.target.push_back(result.target.back().ids);
  }
  result.batch = MakeBatch(corpus, places);
  result.lines = std::move(pairs.lines);
  return result;
}

Tensor TranslationObjective::Links(const Examples& in) const {
  std::vector<LinkedPair> pairs;
  for (size_t b = 0; b < in.lines.size(); ++b) {
    const auto line = static_cast<size_t>(in.lines[b]);
    pairs.push_back(
        {&read_.links[line], in.source[b].words, in.target[b].words});
  }
  return LinkTargets(pairs, in.batch.T, in.batch.S,
                     data().guided_alignment_shift);
}

BatchLoss TranslationObjective::Loss(const Context& ctx,
                                     std::span<const int64_t> examples,
                                     const LossOptions& options) const {
  const CrossEntropyOptions entropy = EntropyOf(options);
  const Examples in = TrainingExamples(ctx, examples);
  if (chooses()) {
    return choices_.Loss(*model_.model, ctx, ExamplesOf(in.batch), options);
  }
  if (!guided() && data().coverage_loss == 0) {
    CrossEntropyLoss loss = TargetLoss(*model_.model, ctx, in.batch, entropy);
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  AttentionWatch watch =
      AttentionWatch::WithGradient(model_.model->alignment_attention());
  Context watched = ctx;
  watched.observer = &watch;
  const CrossEntropyLoss loss =
      TargetLoss(*model_.model, watched, in.batch, entropy);
  std::vector<Var> weights;
  for (const auto& seen : watch.seen) weights.push_back(seen.weights);
  const int64_t head = model_.model->alignment_head();
  BatchLoss result = {loss.loss, loss.nll * options.scale, {}};
  const auto add = [&](const char* name, const Var& part, double weight) {
    result.loss = Add(result.loss, Scale(part, weight));
    result.parts.emplace_back(name, part.value().item());
  };
  if (guided()) {
    add("alignment_loss",
        AlignmentCrossEntropy(weights, Links(in), head, options.scale),
        data().guided_alignment_weight);
  }
  if (data().coverage_loss > 0) {
    add("coverage_loss",
        CoverageLoss(weights, in.batch.target_lengths, head, options.scale),
        data().coverage_loss);
  }
  return result;
}

Metrics TranslationObjective::Validate(const std::string& measure) const {
  const double loss = CorpusLoss({}, *model_.model, valid_, Batches()).mean();
  Metrics metrics = {{"loss", loss}, {"perplexity", std::exp(loss)}};
  if (!std::isfinite(loss)) return metrics;
  if (!data().valid_alignment.empty()) {
    const auto links = AlignWords(model_, aligned_);
    metrics.emplace_back(
        "aer", 100 * ScoreAlignments(links, read_.valid_gold).error_rate);
  }
  if (measure == "loss" || measure == "aer") return metrics;
  Prediction decode(data().rules);
  decode.beam = data().valid_beam;
  const bool alternatives =
      measure == "exact_match" || measure == "word_error_rate";
  if (!alternatives) {
    const auto hypotheses =
        TranslateLines(model_, read_.text.valid.source, decode);
    metrics.emplace_back(
        measure, MeasureTexts(measure, hypotheses, read_.text.valid.target,
                              {.tokenizer = tokenizer_}));
    return metrics;
  }
  const ReferencedText items = ReferencesOf(read_.text.valid, true);
  const auto hypotheses = TranslateLines(model_, items.source, decode);
  metrics.emplace_back("exact_match",
                       100 * ExactMatchRate(hypotheses, items.references));
  metrics.emplace_back("word_error_rate",
                       100 * WordErrorRate(hypotheses, items.references));
  return metrics;
}

}  // namespace

std::vector<MeasureInfo> Settings::Measures(const Data& /*read*/) const {
  std::vector<MeasureInfo> measures;
  for (const TextMeasure& measure : TextMeasures()) {
    measures.push_back({std::string(measure.name), measure.greater_is_better});
  }
  measures.push_back({"loss", false});
  if (!data.valid_alignment.empty()) measures.push_back({"aer", false});
  return measures;
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& translator,
                                                   uint64_t) const {
  return std::make_unique<TranslationObjective>(*this, std::move(read),
                                                translator);
}

}  // namespace heed::translate
