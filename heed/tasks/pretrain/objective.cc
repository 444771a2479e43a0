#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/at.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/train/progress.h"

namespace heed::pretrain {
namespace {

BertLoss LossOf(const Context& ctx, const Bert& network,
                const PretrainingBatch& batch, const BertLossOptions& options) {
  return network.Loss(ctx, {batch.ids, batch.lengths, batch.segments},
                      {batch.rows, batch.labels, batch.next}, options);
}

/// Cross entropy of masked words and of next-sentence prediction.
class PretrainObjective : public ObjectiveOf<Model> {
 public:
  /// `start_length`: tokens of a pair in the first batches; 0: as in all
  /// others.
  PretrainObjective(const PlainText& data, Model& model,
                    std::vector<MeasureInfo> measures, int start_length,
                    uint64_t seed)
      : ObjectiveOf(model, std::move(measures)),
        checksum_(data.Checksum()),
        lines_(std::ssize(data.train)) {
    const auto documents = EncodeDocuments(data.train, model.vocabulary);
    PretrainingOptions options = model.config.data.instances;
    options.seed = seed;
    train_ = MakePretrainingCorpus(documents, model.vocabulary, options);
    if (start_length > 0) {
      // Short pairs are needed for start_epochs only, so the text is read fewer
      // times if that is less than one epoch.
      options.duplicates = static_cast<int>(std::ceil(
          std::min(1.0, this->data().start_epochs) * options.duplicates));
      options.max_length = start_length;
      start_ = MakePretrainingCorpus(documents, model.vocabulary, options);
    }
    if (!data.valid.empty()) valid_ = model.EncodeToMeasure(data.valid);
  }

  std::string unit() const override { return "text"; }
  std::string Summary() const override {
    return fmt::format(
        "{} from {} read {}, {} for validation{}; {}",
        Counted(train_.corpus.size(),
                data().instances.next_sentence ? "pair" : "text"),
        Counted(lines_, "line"), Counted(data().instances.duplicates, "time"),
        Counted(valid_.corpus.size(), "pair"),
        start_.corpus.size() == 0
            ? ""
            : fmt::format(", shorter pairs in the first {} epochs",
                          data().start_epochs),
        data().vocabulary.Note(model_.vocabulary));
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    BatchList batches =
        PlanBatches(train_.corpus, data().batches(), seed, epoch);
    if (start_.corpus.size() > 0) PlanStart(seed, epoch, batches);
    return batches;
  }
  // Sum of a mean over words and a mean over texts, weighted by the number of
  // texts in the batch.
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    const double scale = options.scale * static_cast<double>(examples.size());
    BertLoss loss = LossOf(ctx, model_.network(), BatchOf(examples),
                           {scale, options.smoothing});
    double nll = RatioOf(loss.words.nll, loss.words.tokens);
    if (model_.network().has_next_sentence()) {
      nll += RatioOf(loss.next.nll, loss.next.tokens);
    }
    return {std::move(loss.loss), nll * scale};
  }
  bool has_valid() const override { return valid_.corpus.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    const PretrainScore score = model_.Score(valid_);
    Metrics metrics = {{"loss", score.loss()},
                       {"word_accuracy", 100 * score.word_accuracy()}};
    if (model_.network().has_next_sentence()) {
      metrics.emplace_back("next_accuracy", 100 * score.next_accuracy());
    }
    return metrics;
  }

 private:
  const DataConfig& data() const { return model_.config.data; }

  // Replaces the first batches of the run by batches of start_, whose examples
  // are numbered after those of train_. Epochs keep their number of batches.
  void PlanStart(uint64_t seed, int epoch, BatchList& batches) const {
    const double share = std::clamp(data().start_epochs - epoch, 0.0, 1.0);
    const auto count = static_cast<int64_t>(
        std::ceil(share * static_cast<double>(batches.size())));
    for (int64_t done = 0; done < count;) {
      for (std::vector<int64_t>& batch :
           PlanBatches(start_.corpus, data().batches(),
                       seed + static_cast<uint64_t>(done), epoch)) {
        if (done == count) break;
        for (int64_t& example : batch) example += train_.corpus.size();
        At(batches, done++) = std::move(batch);
      }
    }
  }
  PretrainingBatch BatchOf(std::span<const int64_t> examples) const {
    const int64_t size = train_.corpus.size();
    if (examples.empty() || examples.front() < size) {
      return MakePretrainingBatch(train_, examples, model_.vocabulary);
    }
    std::vector<int64_t> numbers(examples.begin(), examples.end());
    for (int64_t& number : numbers) number -= size;
    return MakePretrainingBatch(start_, numbers, model_.vocabulary);
  }

  std::string checksum_;
  int64_t lines_;
  PretrainingCorpus train_;
  PretrainingCorpus start_;  // shorter instances; empty: none
  PretrainingCorpus valid_;
};

}  // namespace

std::vector<MeasureInfo> Settings::Measures(const PlainText& /*read*/) const {
  std::vector<MeasureInfo> measures = {{"loss", false},
                                       {"word_accuracy", true}};
  if (data.instances.next_sentence) {
    measures.push_back({"next_accuracy", true});
  }
  return measures;
}

std::unique_ptr<Trainable> Settings::MakeObjective(PlainText read, Model& model,
                                                   uint64_t seed) const {
  return std::make_unique<PretrainObjective>(read, model, Measures(read),
                                             StartLength(), seed);
}

double PretrainScore::loss() const {
  return texts > 0 ? word_loss() + next_loss() : word_loss();
}
double PretrainScore::word_loss() const { return RatioOf(words_nll, words); }
double PretrainScore::next_loss() const { return RatioOf(next_nll, texts); }
double PretrainScore::word_accuracy() const {
  return RatioOf(static_cast<double>(words_correct), words);
}
double PretrainScore::next_accuracy() const {
  return RatioOf(static_cast<double>(next_correct), texts);
}

PretrainScore Model::Score(const PretrainingCorpus& corpus) const {
  PretrainScore score;
  for (const auto& indices :
       PlanBatches(corpus.corpus, config.data.batches(), 0, 0)) {
    const BertLoss loss = LossOf(
        {}, *network_, MakePretrainingBatch(corpus, indices, vocabulary), {});
    score.words_nll += loss.words.nll;
    score.words += loss.words.tokens;
    score.words_correct += loss.words.correct;
    score.next_nll += loss.next.nll;
    score.texts += loss.next.tokens;
    score.next_correct += loss.next.correct;
  }
  score.random =
      std::count(corpus.random_next.begin(), corpus.random_next.end(), true);
  return score;
}

}  // namespace heed::pretrain
