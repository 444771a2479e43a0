#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/data/batches.h"
#include "heed/tasks/classify/classify.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed::classify {

std::vector<int32_t> SingleLabels(const TextLabels& labels) {
  std::vector<int32_t> ids;
  for (const std::vector<int32_t>& all : labels) ids.push_back(all.at(0));
  return ids;
}

namespace {

std::vector<std::string> AllLines(const LabelledText& text, bool documents) {
  std::vector<std::string> lines = text.text;
  for (size_t i = 0; documents && i < text.text.size(); ++i) {
    lines[i] += fmt::format("\t{}", fmt::join(SentencesOf(text, i), " "));
  }
  lines.insert(lines.end(), text.second.begin(), text.second.end());
  for (const auto& labels : text.labels) {
    lines.push_back(fmt::format("{}", fmt::join(labels, "\t")));
  }
  return lines;
}

/// Cross entropy of the labels of texts.
class ClassifyObjective : public ObjectiveOf<Model> {
 public:
  ClassifyObjective(const Settings& settings, const Data& data, Model& model)
      : ObjectiveOf(model, settings.Measures(data)),
        checksum_(ComputeChecksum(AllLines(data.train, model.documents())) +
                  ComputeChecksum(AllLines(data.valid, model.documents()))),
        train_(model.Encode(data.train, true)),
        valid_(model.Encode(data.valid, true)) {}

  std::string unit() const override { return "text"; }
  std::string Summary() const override {
    return fmt::format("{} with {}, {} for validation; {}",
                       Counted(train_.corpus.size(), "text"),
                       Counted(model_.labels.size(), "label"),
                       valid_.corpus.size(),
                       data().vocabulary.Note(model_.vocabulary));
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return PlanBatches(train_.corpus, {data().batch_tokens, data().batch_texts},
                       seed, epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    const LabelledBatch batch = MakeLabelledBatch(train_, examples);
    ClassifierLoss loss = model_.network.Loss(
        ctx, InputOf(batch), batch.labels, {options.scale, options.smoothing});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return valid_.corpus.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    const Model::Answers answers = model_.Answer({}, valid_, true, 0.5);
    Metrics metrics = {{"loss", answers.nll_per_text()}};
    AppendFigures(model_.Score(valid_, answers), metrics);
    return metrics;
  }

 private:
  const DataConfig& data() const { return model_.config.data; }

  std::string checksum_;
  LabelledCorpus train_;
  LabelledCorpus valid_;
};

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& model,
                                                   uint64_t) const {
  return std::make_unique<ClassifyObjective>(*this, std::move(read), model);
}

std::vector<MeasureInfo> Settings::Measures(const Data& read) const {
  if (data.format.multi_label) {
    std::vector<MeasureInfo> measures = {{"subset_accuracy", true},
                                         {"loss", false}};
    // F1 is undefined if no validation text has a label.
    const auto has_label = [](const std::vector<std::string>& labels) {
      return !labels.empty();
    };
    if (read.valid.labels.empty() ||
        std::ranges::any_of(read.valid.labels, has_label)) {
      measures.insert(measures.begin(),
                      {{"micro_f1", true}, {"macro_f1", true}});
    }
    return measures;
  }
  return {{"accuracy", true}, {"macro_f1", true}, {"loss", false}};
}
}  // namespace heed::classify
