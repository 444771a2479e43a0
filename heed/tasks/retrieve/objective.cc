#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/shuffle.h"
#include "heed/tasks/retrieve/retrieve.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed::retrieve {
namespace {

/// Ranking metrics. Units: per cent
Metrics RankingMetrics(const std::vector<Ranking>& rankings) {
  const RankingScores scores = ScoreRankings(rankings, kRankingCutoffs);
  return {{"mrr", 100 * scores.mrr},
          {"map", 100 * scores.map},
          {"p1", 100 * scores.precision.at(1)},
          {"p5", 100 * scores.precision.at(5)}};
}

/// Contrastive loss of queries and their answers, against the other texts of a
/// batch.
class RetrievalObjective : public ObjectiveOf<Model> {
 public:
  RetrievalObjective(const Settings& settings, Data texts, Model& model);

  std::string unit() const override { return "query"; }
  std::string Summary() const override;
  std::string Checksum() const override;
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(std::ssize(examples_),
                           model_.config.data.batch_queries, seed, epoch);
  }
  int64_t Parts(std::span<const int64_t> /*examples*/) const override {
    return 1;  // all documents of a batch compete
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  bool has_valid() const override { return !texts_.valid.empty(); }
  bool validates_start() const override {
    return has_valid() && model_.learned.statistics.has_value();
  }
  Metrics Validate(const std::string& measure) const override;

 private:
  struct Example {
    int64_t query;  // index in texts_.train
    int64_t answer;
  };
  /// Candidate texts of a batch: the answers of its queries, and random
  /// negatives.
  std::vector<int64_t> DocumentsOf(const Context& ctx,
                                   std::span<const int64_t> examples) const;

  Data texts_;
  ReadableCorpus corpus_;
  ReadableCorpus queries_;
  std::vector<Example> examples_;
  int64_t without_answer_ = 0;
  Metrics bm25_;  // validation metrics of BM25
};

RetrievalObjective::RetrievalObjective(const Settings& settings, Data texts,
                                       Model& model)
    : ObjectiveOf(model, settings.Measures(texts)),
      texts_(std::move(texts)),
      corpus_(model.Encode({}, texts_.corpus.texts(), TextSide::kText)),
      queries_(
          model.Encode({}, texts_.query_texts().texts(), TextSide::kQuery)) {
  for (size_t i = 0; i < texts_.train.size(); ++i) {
    const RetrievalQuery& query = texts_.train[i];
    if (query.positives.empty()) ++without_answer_;
    for (const int64_t answer : query.positives) {
      examples_.push_back({static_cast<int64_t>(i), answer});
    }
  }
  if (examples_.empty()) {
    throw ConfigError("no query for training has a relevant text");
  }
  if (has_valid()) bm25_ = RankingMetrics(RankByBm25(texts_, texts_.valid));
}

std::string RetrievalObjective::Summary() const {
  return fmt::format(
      "texts: {}; queries: {}, with {} (without any, left out: {}), for "
      "validation: {}; a {}",
      texts_.corpus.size(), std::ssize(texts_.train) - without_answer_,
      Counted(std::ssize(examples_), "answer"), without_answer_,
      texts_.valid.size(),
      model_.config.data.vocabulary.Note(model_.vocabulary));
}

std::string RetrievalObjective::Checksum() const {
  std::vector<std::string> lines = texts_.corpus.texts();
  const std::vector<std::string>& query_lines = texts_.query_texts().texts();
  lines.insert(lines.end(), query_lines.begin(), query_lines.end());
  for (const auto* part : {&texts_.train, &texts_.valid}) {
    for (const RetrievalQuery& query : *part) {
      lines.push_back(fmt::format("{} {} {}", query.query,
                                  fmt::join(query.positives, ","),
                                  fmt::join(query.candidates, ",")));
    }
  }
  return ComputeChecksum(lines);
}

std::vector<int64_t> RetrievalObjective::DocumentsOf(
    const Context& ctx, std::span<const int64_t> examples) const {
  std::vector<int64_t> documents;
  const auto add = [&documents](int64_t text) {
    if (!Contains(documents, text)) documents.push_back(text);
  };
  for (const int64_t i : examples) {
    add(At(examples_, i).answer);
  }
  if (ctx.rng == nullptr) return documents;
  // Negatives come from the candidates of each query in turn, or from the
  // corpus.
  for (int64_t n = 0; n < model_.config.data.negatives; ++n) {
    const int64_t i = At(examples, n % std::ssize(examples));
    const RetrievalQuery& query = At(texts_.train, At(examples_, i).query);
    const auto& c = query.candidates;
    add(c.empty() ? static_cast<int64_t>(ctx.rng->Below(
                        static_cast<uint64_t>(texts_.corpus.size())))
                  : c[ctx.rng->Below(c.size())]);
  }
  return documents;
}

BatchLoss RetrievalObjective::Loss(const Context& ctx,
                                   std::span<const int64_t> examples,
                                   const LossOptions& options) const {
  const std::vector<int64_t> documents = DocumentsOf(ctx, examples);
  std::vector<int64_t> query_ids;
  Tensor answers({std::ssize(examples)}, DType::kI32);
  Tensor relevant =
      Tensor::Zeros({std::ssize(examples), std::ssize(documents)}, DType::kI32);
  for (int64_t b = 0; b < std::ssize(examples); ++b) {
    const Example& example = At(examples_, At(examples, b));
    const RetrievalQuery& query = At(texts_.train, example.query);
    query_ids.push_back(query.query);
    for (int64_t n = 0; n < std::ssize(documents); ++n) {
      const int64_t text = At(documents, n);
      const bool itself = !texts_.queries && text == query.query;
      if (itself || Contains(query.positives, text)) {
        relevant.row<int32_t>(b)[n] = 1;
      }
      if (text == example.answer) {
        answers.data<int32_t>()[b] = static_cast<int32_t>(n);
      }
    }
  }
  const Var scores =
      model_.Scores(ctx, model_.ReadBlock(ctx, queries_, query_ids),
                    model_.ReadBlock(ctx, corpus_, documents));
  const Var loss = MatchLoss(model_.config.bi_encoder, scores, answers,
                             relevant, options.scale);
  return {loss, loss.value().item()};
}

/// Metrics of the model, each followed by BM25's value of the metric that
/// selects the weights (mrr if that is the loss).
Metrics RetrievalObjective::Validate(const std::string& measure) const {
  const Model::Compared compared = model_.Compare(texts_, texts_.valid);
  const std::string beside = measure == "loss" ? "mrr" : measure;
  Metrics metrics = {{"loss", compared.loss}};
  for (const auto& [name, value] : RankingMetrics(compared.rankings)) {
    metrics.emplace_back(name, value);
    if (name != beside) continue;
    const auto bm25 =
        std::ranges::find(bm25_, name, &Metrics::value_type::first);
    metrics.emplace_back("bm25_" + name, bm25->second);
  }
  return metrics;
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(Data texts, Model& retriever,
                                                   uint64_t) const {
  return std::make_unique<RetrievalObjective>(*this, std::move(texts),
                                              retriever);
}

}  // namespace heed::retrieve
