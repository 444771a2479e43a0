#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/loss.h"
#include "heed/tasks/read/read.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed::read {
namespace {

std::string ComputePassagesChecksum(
    const std::vector<PassageQuestion>& questions) {
  std::vector<std::string> lines;
  for (const PassageQuestion& one : questions)
    lines.push_back(PassageLine(one));
  return ComputeChecksum(lines);
}

/// −log p(answer); all words of the passage are candidates.
class PassageObjective : public ObjectiveOf<Model> {
 public:
  PassageObjective(const Settings& settings, Data data, Model& model)
      : ObjectiveOf(model, settings.Measures(data)),
        checksum_(ComputePassagesChecksum(data.train) +
                  ComputePassagesChecksum(data.valid)),
        valid_(model.Encode(data.valid)) {
    for (PassageQuestion& question : data.train) question.candidates.clear();
    PassageCorpus all = model.Encode(data.train);
    for (size_t i = 0; i < all.texts.size(); ++i) {
      if (all.texts[i].answer < 0) continue;
      train_.ids.source.push_back(std::move(all.ids.source[i]));
      train_.ids.target.push_back(std::move(all.ids.target[i]));
      train_.texts.push_back(std::move(all.texts[i]));
    }
    left_out_ = std::ssize(data.train) - std::ssize(train_.texts);
    if (train_.texts.empty()) {
      throw ConfigError(
          "no answer of the questions for training is one word of its passage, "
          "as of {}",
          data.train.empty() ? "none" : data.train.front().place);
    }
    train_.cut = all.cut;
    model.WarnOfCut(train_);
  }

  std::string unit() const override { return "question"; }
  std::string Summary() const override {
    std::string note;
    if (left_out_ > 0) {
      note = fmt::format(
          " ({} left out, whose answer is not one word of the passage)",
          left_out_);
    }
    return fmt::format("{}{}, {} for validation; {}",
                       Counted(std::ssize(train_.texts), "question"), note,
                       valid_.texts.size(),
                       model_.config.data.vocabulary.Note(model_.vocabulary));
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return model_.Plan(train_, seed, epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    std::vector<int32_t> answers;
    for (const int64_t i : examples) {
      answers.push_back(At(train_.texts, i).answer);
    }
    CrossEntropyLoss loss = CrossEntropy(
        model_.network->Scores(ctx, model_.BatchOf(train_, examples)),
        Tensor::Of(answers, {std::ssize(answers)}), {.scale = options.scale});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return !valid_.texts.empty(); }
  Metrics Validate(const std::string& /*measure*/) const override {
    const PassageScore score =
        ScoreAnswers(valid_, model_.LogProbabilities({}, valid_));
    Metrics metrics = {{"accuracy", score.accuracy()}};
    if (score.missing < score.questions) {
      metrics.emplace_back("loss", score.loss());
    }
    return metrics;
  }

 private:
  std::string checksum_;
  PassageCorpus valid_;
  PassageCorpus train_;
  int64_t left_out_ = 0;
};

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t /*seed*/) const {
  return std::make_unique<PassageObjective>(*this, std::move(read), made);
}

}  // namespace heed::read
