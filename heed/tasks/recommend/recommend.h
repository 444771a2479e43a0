// Recommendation: predicts the next item of a history.
#ifndef HEED_TASKS_RECOMMEND_RECOMMEND_H_
#define HEED_TASKS_RECOMMEND_RECOMMEND_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/data/interactions.h"
#include "heed/metrics/metrics.h"
#include "heed/models/recommender.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"

namespace heed::recommend {

/// Settings of the task: options of `heed train`, keys of config.json.
struct Config {
  ModelChoice<RecommenderSettings> model;
  std::vector<std::string> interactions;
  std::string titles;
  int min_interactions = 5;
  int history = 50;
  int negatives = 0;
  int batch_histories = 32;
};

/// A table of items and a network that reads their histories.
class Model : public TaskModel {
 public:
  Model(Config settings, ItemTable table, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override;
  std::vector<InputExample> Examples() const override;

  /// The last items of a history that the network reads.
  std::span<const int32_t> Read(const History& history) const;
  /// Scores of all items after each history. Shapes: result [N, V].
  Var Scores(const Context& ctx, std::span<const History> histories) const;

  const Config config;
  const ItemTable items;

 private:
  ParameterSet parameters_;

 public:
  const Recommender network;
};

/// Computes the scores of all items after each history [N, V], or [1, V] if
/// they are equal.
using ScoreFunction = std::function<Tensor(std::span<const History>)>;

/// Matrix factorisation (baseline): scores x Q Qᵀ, where x marks the items of a
/// history, and Q [V, factors] are the first singular vectors of all histories.
/// Paper: Cremonesi et al. 2010, doi:10.1145/1864708.1864721 (PureSVD).
ScoreFunction Factorisation(std::span<const History> train, int64_t items,
                            int64_t factors = 32);

/// Metrics of the last item of each history, predicted from those before it:
/// ndcg10, hr10 (recall at 10) and mrr in per cent, and loss, the mean of −log
/// softmax(scores) in nats. Ranks are among the items outside the history; half
/// of equal scores count as better.
Metrics ScoreLastItems(std::span<const History> histories,
                       const ScoreFunction& scores);

std::vector<History> WithoutLast(std::span<const History> histories);

/// Binary cross-entropy of the next item of each state, and of `negatives`
/// random other items, times `scale`. Shapes: states [B, S, M], table [V, M],
/// next i32 [B, S] (kIgnored: none), result [].
Var SampledLoss(const Context& ctx, const Var& states, const Var& table,
                const Tensor& next, int negatives, double scale);

struct Prediction {
  int best = 10;
  void Visit(FieldList& v);
};

struct Evaluation {
  std::vector<std::string> interactions;
  void Visit(FieldList& v);
};

class Settings
    : public TaskSettingsOf<Histories, Model, Prediction, Evaluation>,
      public Config {
 public:
  std::string task() const override { return "recommend"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override { model->Fill(history); }
  Histories Read() const override;
  std::unique_ptr<Model> MakeModel(const Histories& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Histories&) const override {
    return {{"ndcg10", true}, {"hr10", true}, {"mrr", true}, {"loss", false}};
  }
  std::unique_ptr<Trainable> MakeObjective(Histories read, Model& made,
                                           uint64_t seed) const override;
  InputReading Reading(const Prediction&) const override {
    InputReading reading;
    reading.defaults.long_lines = LongLines::kStructured;
    return reading;
  }
  std::unique_ptr<Predictor> MakePredictor(const Model& made,
                                           Prediction options) const override;
  Report Evaluate(const Model& made, const Evaluation& options) const override;
};

TaskRow Task();

}  // namespace heed::recommend

#endif  // HEED_TASKS_RECOMMEND_RECOMMEND_H_
