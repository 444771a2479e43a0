// Retrieval: which text answers a query.
#ifndef HEED_TASKS_RETRIEVE_H_
#define HEED_TASKS_RETRIEVE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/labelled.h"
#include "heed/data/retrieval.h"
#include "heed/metrics/ranking.h"
#include "heed/models/bi_encoder.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {

/// Where texts and queries come from and how they become tokens and batches.
struct RetrievalDataConfig {
  std::vector<std::string> corpus;
  std::vector<std::string> queries;
  std::vector<std::string> relevant;
  std::vector<std::string> candidates;
  std::vector<std::string> valid_relevant;
  std::vector<std::string> valid_candidates;
  TextVocabularyConfig vocabulary;
  int max_length = 100;
  int batch_queries = 64;
  int negatives = 64;

  void Visit(FieldList& v);
};

/// What is ranked, and the BM25 that stands beside.
struct RetrievalEvaluationConfig {
  std::vector<std::string> corpus;
  std::vector<std::string> queries;
  std::vector<std::string> relevant;
  std::vector<std::string> candidates;
  double k1 = 1.2;
  double b = 0.75;

  void Visit(FieldList& v);
};

/// What Predict gives for a query.
struct RetrievalPredictConfig {
  std::vector<std::string> corpus;
  int best = 10;

  void Visit(FieldList& v);
};

/// Texts with queries, and what answers them.
struct RetrievalTexts {
  TextCollection corpus;
  std::optional<TextCollection> queries;  // none: texts ask for one another
  std::vector<RetrievalQuery> train, valid;

  const TextCollection& asked() const { return queries ? *queries : corpus; }
};

/// Texts as vectors by an encoder and pooling; queries are ranked by cosine,
/// beside BM25.
class RetrievalTask : public Task {
 public:
  RetrievalTask() { data.vocabulary.vocabulary = "words"; }

  ModelChoice<EncoderSettings> encoder{
      "cell=gru units=100 self_attention=none dropout=0.1"};
  BiEncoderConfig bi_encoder;
  RetrievalDataConfig data;
  RetrievalEvaluationConfig evaluation;
  RetrievalPredictConfig prediction;

  std::string name() const override { return "retrieve"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  void ReadExamples() override;
  /// Texts that are in memory, instead of ReadExamples.
  void SetTexts(RetrievalTexts texts);
  bool in_files() const override { return !data.corpus.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary_->size()}};
  }
  void MakeModel(uint64_t seed) override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return *parameters_; }
  std::string unit() const override { return "query"; }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override {
    return std::ssize(examples);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override {
    return {{"mrr", true}, {"map", true}};
  }
  bool has_valid() const override { return !texts_.valid.empty(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override { prediction.Visit(v); }
  /// For each line, the nearest texts: number of the line, place, cosine, id
  /// and text, with tabs between.
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override { evaluation.Visit(v); }
  Report Evaluate() const override;

  /// The rankings of `queries` by the model, in their order.
  std::vector<Ranking> Rank(const RetrievalTexts& texts,
                            std::span<const RetrievalQuery> queries) const {
    return Compare(texts, queries).rankings;
  }

 private:
  struct Example {
    int64_t query;  // place in texts_.train
    int64_t answer;
  };
  /// What the model says of queries and the texts that they choose from.
  struct Compared {
    std::vector<Ranking> rankings;
    double loss = 0;  // per answer
  };
  Compared Compare(const RetrievalTexts& texts,
                   std::span<const RetrievalQuery> queries) const;
  /// Those of the answers of a batch, and others, that queries choose from.
  std::vector<int64_t> DocumentsOf(const Context& ctx,
                                   std::span<const int64_t> examples) const;
  LabelledCorpus Encode(const std::vector<std::string>& texts,
                        const Context& ctx = {}) const;
  Tensor Vectors(const Context& ctx, const LabelledCorpus& corpus,
                 const std::vector<int64_t>& places) const;

  std::optional<Vocabulary> vocabulary_;
  std::unique_ptr<ParameterSet> parameters_;
  std::unique_ptr<BiEncoder> model_;

  RetrievalTexts texts_;
  LabelledCorpus corpus_;
  LabelledCorpus queries_;
  std::vector<Example> examples_;
  int64_t without_answer_ = 0;
};

}  // namespace heed

#endif  // HEED_TASKS_RETRIEVE_H_
