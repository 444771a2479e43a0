#include "heed/tasks/translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/metrics/bleu.h"
#include "heed/models/encoder_decoder.h"
#include "heed/models/ensemble.h"
#include "heed/models/transformer.h"
#include "heed/ops/elementwise.h"
#include "heed/tasks/guided_alignment.h"
#include "heed/tasks/translation_loss.h"
#include "heed/tasks/word_alignment.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

std::string VocabularyFile(const char* side, VocabularyKind kind) {
  return std::string(side) + ".vocabulary" + FileExtension(kind);
}

Vocabulary VocabularyOf(const ModelFiles& files, const std::string& folder,
                        const char* side, VocabularyKind kind) {
  const std::string name = VocabularyFile(side, kind);
  const auto file = files.find(name);
  if (file == files.end()) {
    throw FormatError(PathIn(folder, name) + ": missing");
  }
  return Vocabulary::Parse(file->second, kind, PathIn(folder, name));
}

std::vector<Figure> FiguresOf(const Evaluation& e, bool alternatives) {
  const char* first = alternatives ? " (the first reference of each)" : "";
  std::vector<Figure> figures = {
      {"bleu", "BLEU", e.bleu, 2, "", e.signature + first},
      {"chrf", "chrF2", e.chrf, 2, "", e.chrf_signature + first}};
  if (e.loss) {
    figures.push_back(
        {"loss", "loss", *e.loss, 3, "", "per token, teacher forcing"});
    figures.push_back(
        {"perplexity", "perplexity", std::exp(*e.loss), 2, "", ""});
  }
  const char* words = alternatives ? "edits per word of the nearest reference"
                                   : "edits per word of the reference";
  figures.push_back({"exact_match", "exact match", e.exact_match, 2, "%", ""});
  figures.push_back({"sentence_error", "sentence error", 100 - e.exact_match, 2,
                     "%", "100 - exact match"});
  figures.push_back(
      {"word_error_rate", "word error rate", e.word_error_rate, 2, "%", words});
  if (e.copy) {
    const char* copied = "of the source as its own answer";
    figures.push_back({"copy_bleu", "copy: BLEU", e.copy->bleu, 2, "", copied});
    figures.push_back({"copy_exact_match", "copy: exact match",
                       e.copy->exact_match, 2, "%", copied});
    figures.push_back({"copy_word_error_rate", "copy: word error rate",
                       e.copy->word_error_rate, 2, "%", copied});
  }
  if (e.aer) figures.push_back({"aer", "AER", *e.aer, 2, "%", ""});
  return figures;
}

/// Throws: ConfigError if the models do not read and write the same tokens.
void CheckSameTokens(const TranslationModel& a, const TranslationModel& b) {
  const auto check = [&](const char* what, bool same) {
    if (same) return;
    throw ConfigError(fmt::format(
        "{}: its {} is another than that of {}; the models of an ensemble are "
        "trained on the same text with the same options of text and vocabulary",
        b.folder, what, a.folder));
  };
  const Vocabularies& x = a.vocabularies;
  const Vocabularies& y = b.vocabularies;
  check("source vocabulary", x.source.Serialize() == y.source.Serialize());
  check("target vocabulary", x.target.Serialize() == y.target.Serialize());
  check("lowercase", a.data.lowercase == b.data.lowercase);
}

/// Which attention is taught, and that there is one.
void ResolveGuided(const DataConfig& data,
                   ModelChoice<TranslatorSettings>& model) {
  if (!data.valid_alignment.empty() && data.valid.empty()) {
    throw ConfigError(
        "valid_alignment holds links of validation pairs; name these with "
        "--valid-source and --valid-target, or --valid-tsv");
  }
  const bool guided = !data.guided_alignment.empty();
  if ((guided || !data.valid_alignment.empty()) && !model->attends()) {
    throw ConfigError(fmt::format(
        "{}: model '{}' has no attention to align words with",
        guided ? "guided_alignment" : "valid_alignment", model.name()));
  }
  if (guided) model->GuideAlignment();
}

/// The words of a pair's tokens; of none if the vocabulary reads the line in
/// other tokens than its words have each.
std::vector<int32_t> TokenWords(const Vocabulary& vocabulary,
                                const std::string& line,
                                const std::vector<int32_t>& ids) {
  WordTokens tokens = EncodeWordTokens(vocabulary, line);
  if (tokens.ids != ids) return std::vector<int32_t>(ids.size(), -1);
  return std::move(tokens.words);
}

}  // namespace

void TranslationConfig::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
  optimizer.Visit(v);
  run.Visit(v);
}

void TranslationConfig::Resolve() {
  data.Resolve();
  model->Fill();
  ResolveGuided(data, model);
  TrainingConfig training = {optimizer, run};
  training.Resolve();
  optimizer = training.optimizer;
  run = training.run;
}

void TranslationTask::Visit(FieldList& v) {
  data.Visit(v);
  model.Visit(v);
}

void TranslationTask::Resolve() {
  data.Resolve();
  model->Fill();
  ResolveGuided(data, model);
}

void TranslationTask::SetText(TrainingText text) {
  text_ = std::move(text);
  links_.clear();
  if (guided()) {
    for (GoldAlignment& gold :
         ReadAlignments(data.guided_alignment, text_.train)) {
      links_.push_back(std::move(gold.sure));
    }
  }
  if (!data.valid_alignment.empty()) {
    valid_gold_ = ReadAlignments(data.valid_alignment, text_.valid);
  }
}

std::string TranslationTask::CheckSum() const {
  std::string sum = text_.CheckSum();
  if (!guided()) return sum;
  std::string all;
  for (const AlignmentLinks& links : links_)
    all += FormatAlignment(links) + '\n';
  return sum + fmt::format("{:08x}", Crc32(all));
}

bool TranslationTask::in_files() const { return !data.train.empty(); }

void TranslationTask::LearnVocabularies() {
  vocabularies_ = TrainVocabularies(text_.train, data);
}

ModelFiles TranslationTask::Files() const {
  return {{VocabularyFile("source", data.source_kind()),
           vocabularies_->source.Serialize()},
          {VocabularyFile("target", data.target_kind()),
           vocabularies_->target.Serialize()}};
}

void TranslationTask::SetFiles(const ModelFiles& files,
                               const std::string& folder) {
  folder_ = folder;
  vocabularies_ = {VocabularyOf(files, folder, "source", data.source_kind()),
                   VocabularyOf(files, folder, "target", data.target_kind())};
}

void TranslationTask::MakeModel(uint64_t seed) {
  model_ = TranslationModel{folder_,
                            model,
                            data,
                            *vocabularies_,
                            MakeTranslator(*model, *vocabularies_, seed),
                            {}};
}

void TranslationTask::EncodeExamples() {
  CorpusOptions options;
  options.max_length = data.max_length;
  const Vocabularies& v = *vocabularies_;
  train_ = EncodeCorpus(text_.train, v.source, v.target, options);
  if (train_.size() == 0) {
    throw ConfigError(fmt::format(
        "no training pair is left: {} are longer than max_length {}, {} have "
        "an empty side",
        train_.dropped_long, options.max_length, train_.dropped_empty));
  }
  valid_ = EncodeMeasured(text_.valid, v.source, v.target);
  if (!data.valid_alignment.empty()) {
    aligned_ = text_.valid;
    EmptyLongPairs(aligned_, v);
  }
  linked_pairs_ = 0;
  for (size_t i = 0; guided() && i < train_.source.size(); ++i) {
    const auto line = static_cast<size_t>(train_.lines[i]);
    source_words_.push_back(
        TokenWords(v.source, text_.train.source[line], train_.source[i]));
    target_words_.push_back(
        TokenWords(v.target, text_.train.target[line], train_.target[i]));
    linked_pairs_ += links_[line].empty() ? 0 : 1;
  }
  if (data.bpe_dropout == 0) return;
  if (data.source_kind() == VocabularyKind::kBpe) {
    source_dropout_.emplace(v.source, data.bpe_dropout);
  }
  if (data.target_kind() == VocabularyKind::kBpe) {
    target_dropout_.emplace(v.target, data.bpe_dropout);
  }
}

std::string TranslationTask::Summary() const {
  const Vocabularies& v = *vocabularies_;
  return fmt::format(
      "{} (dropped: {} longer than {} tokens, {} with an empty side), {} for "
      "validation; vocabularies of {}{} and {}{} tokens{}{}",
      Counted(train_.size(), "pair"), train_.dropped_long, data.max_length,
      train_.dropped_empty, valid_.size(), v.source.size(),
      LearntSizeNote(v.source.size(), data.source_vocabulary_size),
      v.target.size(),
      LearntSizeNote(v.target.size(), data.target_vocabulary_size),
      guided() ? "; links of " + Counted(linked_pairs_, "pair") : "",
      model->PrecisionNote());
}

BatchOptions TranslationTask::Batches() const {
  return {data.batch_tokens, data.batch_sentences};
}

std::vector<std::vector<int64_t>> TranslationTask::PlanEpoch(uint64_t seed,
                                                             int epoch) const {
  return PlanBatches(train_, Batches(), seed, epoch);
}

int64_t TranslationTask::Units(std::span<const int64_t> examples) const {
  int64_t tokens = 0;
  for (const int64_t i : examples) {
    tokens += std::ssize(train_.target[static_cast<size_t>(i)]);
  }
  return tokens;
}

TranslationTask::Examples TranslationTask::TrainingExamples(
    const Context& ctx, std::span<const int64_t> examples) const {
  const bool drops = ctx.rng != nullptr && (source_dropout_ || target_dropout_);
  if (!drops && !guided()) return {MakeBatch(train_, examples), {}, {}};
  // Models may have no positions beyond max_length; and links are lost with
  // words that can no longer be told apart.
  const auto segment = [&](const std::optional<BpeDropout>& dropout,
                           const Vocabulary& vocabulary, WordTokens usual) {
    if (!drops || !dropout) return usual;
    std::vector<int32_t> segmented = dropout->Segment(usual.ids, *ctx.rng);
    const int64_t tokens = std::ssize(segmented) - 1;  // without </s>
    if (data.max_length > 0 && tokens > data.max_length) return usual;
    if (!guided()) return WordTokens{std::move(segmented), {}};
    return FindWords(vocabulary, segmented, usual.word_count()).value_or(usual);
  };
  Examples result;
  Corpus corpus;
  std::vector<int64_t> places;
  const auto words = [&](const auto& all, size_t i) {
    return guided() ? all[i] : std::vector<int32_t>();
  };
  for (const int64_t example : examples) {
    const auto i = static_cast<size_t>(example);
    places.push_back(corpus.size());
    result.source.push_back(
        segment(source_dropout_, vocabularies_->source,
                {train_.source[i], words(source_words_, i)}));
    result.target.push_back(
        segment(target_dropout_, vocabularies_->target,
                {train_.target[i], words(target_words_, i)}));
    corpus.source.push_back(result.source.back().ids);
    corpus.target.push_back(result.target.back().ids);
  }
  result.batch = MakeBatch(corpus, places);
  return result;
}

Tensor TranslationTask::Links(std::span<const int64_t> examples,
                              const Examples& in) const {
  std::vector<LinkedPair> pairs;
  for (size_t b = 0; b < examples.size(); ++b) {
    const auto line =
        static_cast<size_t>(train_.lines[static_cast<size_t>(examples[b])]);
    pairs.push_back({&links_[line], in.source[b].words, in.target[b].words});
  }
  return LinkTargets(pairs, in.batch.T, in.batch.S,
                     data.guided_alignment_shift);
}

BatchLoss TranslationTask::Loss(const Context& ctx,
                                std::span<const int64_t> examples,
                                const LossOptions& options) const {
  CrossEntropyOptions entropy;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  const Examples in = TrainingExamples(ctx, examples);
  if (!guided()) {
    CrossEntropyLoss loss =
        TranslationLoss(*model_->model, ctx, in.batch, entropy);
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  AttentionWatch watch =
      AttentionWatch::WithGradient(model_->model->alignment_attention());
  Context watched = ctx;
  watched.observer = &watch;
  const CrossEntropyLoss loss =
      TranslationLoss(*model_->model, watched, in.batch, entropy);
  std::vector<Var> weights;
  for (const auto& seen : watch.seen) weights.push_back(seen.weights);
  const Var links =
      AlignmentCrossEntropy(weights, Links(examples, in),
                            model_->model->alignment_head(), options.scale);
  return {Add(loss.loss, Scale(links, data.guided_alignment_weight)),
          loss.nll * options.scale,
          {{"alignment_loss", links.value().item()}}};
}

std::vector<MeasureInfo> TranslationTask::Measures() const {
  std::vector<MeasureInfo> measures = {{"bleu", true},
                                       {"loss", false},
                                       {"exact_match", true},
                                       {"word_error_rate", false}};
  if (!data.valid_alignment.empty()) measures.push_back({"aer", false});
  return measures;
}

Metrics TranslationTask::Validate(const std::string& measure) const {
  const double loss = CorpusLoss({}, *model_->model, valid_, Batches()).mean();
  Metrics metrics = {{"loss", loss}, {"perplexity", std::exp(loss)}};
  if (!std::isfinite(loss)) return metrics;
  if (!data.valid_alignment.empty()) {
    const auto links = AlignWords(*model_, aligned_);
    metrics.emplace_back("aer",
                         100 * ScoreAlignments(links, valid_gold_).error_rate);
  }
  if (measure == "loss" || measure == "aer") return metrics;
  DecodeOptions decode;
  decode.beam = data.valid_beam;
  if (measure == "bleu") {
    const auto hypotheses = TranslateLines(*model_, text_.valid.source, decode);
    metrics.emplace_back("bleu",
                         CorpusBleu(hypotheses, text_.valid.target).score);
    return metrics;
  }
  const ReferencedText items = ReferencesOf(text_.valid, true);
  const auto hypotheses = TranslateLines(*model_, items.source, decode);
  metrics.emplace_back("exact_match",
                       100 * ExactMatchRate(hypotheses, items.references));
  metrics.emplace_back("word_error_rate",
                       100 * WordErrorRate(hypotheses, items.references));
  return metrics;
}

InputReading TranslationTask::reading() const {
  InputReading reading;
  reading.window = kTranslatedTogether;
  reading.defaults.long_lines = LongLines::kWhole;
  reading.defaults.max_line = kLongestLine;
  reading.defaults.columns = {"source"};
  return reading;
}

Predictor TranslationTask::MakePredictor(const Context& ctx, bool with_parts,
                                         const InputOptions& options) const {
  // What the predictor needs besides the task.
  struct Parts {
    TranslationModel model;
    Translator translator;
  };
  TranslationModel joined = WithEnsemble(*model_, decode_.ensemble);
  DecodeOptions decode = decode_;
  decode.keep_scores = with_parts || decode.nbest > 1;
  Translator translator(*joined.model, vocabularies_->source,
                        vocabularies_->target, data.lowercase, decode,
                        ReadShortlist(decode, folder_, vocabularies_->source,
                                      vocabularies_->target));
  const auto parts =
      std::make_shared<Parts>(Parts{std::move(joined), std::move(translator)});
  return [this, ctx, parts, with_parts, max_line = options.max_line](
             std::span<const std::string> lines, int64_t first) {
    const std::vector<Translations> all = TranslateDivided(
        parts->translator, lines, first, max_line, ctx.cancellation);
    std::vector<ModelAnswer> answers;
    for (size_t i = 0; i < all.size(); ++i) {
      ModelAnswer& answer = answers.emplace_back();
      answer.line =
          LinesOf(first + static_cast<int64_t>(i), all[i], decode_.nbest > 1);
      if (answer.line.ends_with('\n')) answer.line.pop_back();
      if (!with_parts) continue;
      answer.parts =
          TranslationParts(ctx, parts->model, lines[i], all[i],
                           /*align=*/!IsLongerThan(lines[i], max_line));
    }
    return answers;
  };
}

void TranslationTask::VisitEvaluate(FieldList& v) {
  v.Section("Data");
  compared_.Visit(v, "", "text to translate");
  v("alternatives", evaluation_.alternatives,
    "lines of equal source are one example with several references: exact "
    "match takes any, the word error rate the nearest (of those the shortest), "
    "BLEU and chrF the first");
  v("translations", evaluation_.translations, Any{"FILE"},
    "measure these translations instead of the model's; without loss");
  v("alignment_gold", evaluation_.alignment_gold, Any{"FILE"},
    "links i-j (sure) or i?j (possible) per line, positions of white-space "
    "words from 0: adds the alignment error rate");
  v.Section("Measures");
  v("lowercase", evaluation_.lowercase, "compare lower-cased text");
  v("copy_baseline", evaluation_.copy_baseline,
    "measure the source as its own answer too");
  v("by_length", plot_file_, Any{"FILE.svg"}, "plot BLEU by source length");
  evaluation_.decode.Visit(v);
  v.Section("Input");
  v("max_line", evaluation_.max_line, Range(0, 1e9),
    "characters of a line above which its sentences are translated one by one; "
    "0: no limit");
}

Report TranslationTask::Evaluate() const {
  ParallelText text = compared_.Read("");
  const Evaluation e = heed::Evaluate(
      WithEnsemble(*model_, evaluation_.decode.ensemble), text, evaluation_);
  Report report;
  report.heading = Counted(e.sentences, "sentence");
  if (evaluation_.alternatives) {
    report.heading += " with " + Counted(e.references, "reference");
  }
  if (evaluation_.translations.empty()) {
    report.heading += fmt::format(" in {:.1f} s", e.seconds);
  }
  report.figures = FiguresOf(e, evaluation_.alternatives);
  report.details = {{"sentences", e.sentences},
                    {"references", e.references},
                    {"seconds", e.seconds},
                    {"signature", e.signature}};
  if (!e.aer) report.details["aer"] = nullptr;
  if (!plot_file_.empty()) {
    if (data.lowercase) LowercaseText(text);
    const ReferencedText items = ReferencesOf(text, evaluation_.alternatives);
    report.curve =
        BleuByLength("", items.First(), e.translations, evaluation_.lowercase);
    report.axes = {"Quality by sentence length", "source words", "BLEU"};
  }
  return report;
}

std::unique_ptr<Decoder> MakeTranslator(const TranslatorSettings& settings,
                                        const Vocabularies& vocabularies,
                                        uint64_t seed) {
  return settings.Make(vocabularies.source.size(), vocabularies.target.size(),
                       seed);
}

TranslationModel ReadTranslationModel(const std::string& folder,
                                      const std::string& dtype) {
  LoadedTask loaded = ReadTask(folder, dtype);
  auto* task = dynamic_cast<TranslationTask*>(loaded.task.get());
  if (task == nullptr) {
    throw FormatError(fmt::format(
        "{}: holds a model for task '{}', not a translator; use heed predict",
        folder, loaded.task->name()));
  }
  TranslationModel model = task->TakeModel();
  model.folder = folder;
  model.metadata = std::move(loaded.metadata);
  return model;
}

TranslationModel WithEnsemble(TranslationModel model,
                              const std::vector<std::string>& folders) {
  if (folders.empty()) return model;
  std::vector<std::shared_ptr<const Decoder>> members = {model.model};
  for (const std::string& folder : folders) {
    const TranslationModel other = ReadTranslationModel(folder);
    CheckSameTokens(model, other);
    other.model->parameters().SetPrecision(
        model.model->parameters().precision());
    members.push_back(other.model);
  }
  model.model = std::make_shared<Ensemble>(std::move(members));
  return model;
}

TrainResult TrainTranslation(const TranslationConfig& config) {
  TranslationTask task(config.model, config.data);
  return Train(task, {config.optimizer, config.run});
}

TrainResult TrainTranslation(const TranslationConfig& config,
                             TrainingText text) {
  TranslationTask task(config.model, config.data);
  task.SetText(std::move(text));
  return TrainOnExamples(task, {config.optimizer, config.run});
}

}  // namespace heed
