#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/batches.h"
#include "heed/data/corpus.h"
#include "heed/data/shuffle.h"
#include "heed/metrics/error_rate.h"
#include "heed/tasks/speech/speech.h"
#include "heed/tasks/target_loss.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed::speech {
namespace {

constexpr int64_t kSoundsAtOnce = 16;
/// Utterances are sorted by length among this number of batches.
constexpr int64_t kBatchesToSort = 16;

/// Cross entropy of the tokens of texts.
class SpeechObjective : public ObjectiveOf<Model> {
 public:
  SpeechObjective(const Settings& settings, Data data, Model& model)
      : ObjectiveOf(model, settings.Measures(data)),
        train_(std::move(data.train)),
        valid_(std::move(data.valid)) {
    const double max = model.config.data.max_seconds;
    for (int64_t i = 0; i < train_.recordings().size(); ++i) {
      const auto& one = At(train_.recordings().all, i);
      seconds_ += static_cast<double>(one.samples.size()) / train_.rate();
    }
    // The length of strings is known only after each epoch makes them.
    if (model.config.data.train.strings > 0) return;
    for (int64_t i = 0; i < train_.size(); ++i) {
      const double seconds =
          static_cast<double>(train_.Length(i)) / train_.rate();
      if (seconds <= max) kept_.push_back(i);
    }
    if (kept_.empty()) {
      throw ConfigError("max_seconds: all {} sounds are longer than {} s",
                        train_.size(), max);
    }
  }

  std::string unit() const override { return "sound"; }
  std::string Summary() const override {
    const auto& data = model_.config.data;
    std::string made;
    if (data.train.strings > 0) {
      made = fmt::format(", of which {} of {} to {} words are made",
                         Counted(train_.size(), "string"), data.shortest,
                         data.longest);
    } else if (std::ssize(kept_) < train_.size()) {
      made = fmt::format(" ({} longer than {} s left out)",
                         train_.size() - std::ssize(kept_), data.max_seconds);
    }
    return fmt::format("{} of {:.0f} s at {} Hz{}, {} for validation; {}",
                       Counted(train_.recordings().size(), "recording"),
                       seconds_, train_.rate(), made, valid_.size(),
                       data.vocabulary.Note(model_.vocabulary));
  }
  std::string Checksum() const override {
    const std::string sums =
        train_.Checksum() + (has_valid() ? valid_.Checksum() : "");
    return ComputeChecksum(std::vector<std::string>{sums});
  }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    std::optional<uint64_t> changes;
    if (ctx.training && !model_.config.data.changes.none()) {
      changes = ctx.NextKey();
    }
    const SpeechBatch batch =
        MakeSpeechBatch(model_, train_, examples, changes);
    CrossEntropyOptions entropy = EntropyOf(options);
    CrossEntropyLoss loss = model_.network->Loss(
        ctx, batch.inputs, batch.target_in, batch.targets, entropy);
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return valid_.size() > 0; }
  Metrics Validate(const std::string& measure) const override;

 private:
  Utterances train_;
  Utterances valid_;
  std::vector<int64_t> kept_;  // recordings of train_; none: all strings
  double seconds_ = 0;
};

EpochPlan SpeechObjective::PlanEpoch(uint64_t seed, int epoch) const {
  const int64_t size = model_.config.data.batch_sounds;
  const bool strings = kept_.empty();
  const auto pools =
      strings
          ? NumberedBatches(train_.size(), size * kBatchesToSort, seed, epoch)
          : ShuffledBatches(std::ssize(kept_), size * kBatchesToSort, seed,
                            epoch);
  std::vector<std::vector<int64_t>> batches;
  for (std::vector<int64_t> pool : pools) {
    if (!strings) {
      for (int64_t& i : pool) i = At(kept_, i);
    }
    std::ranges::stable_sort(pool, {},
                             [&](int64_t i) { return train_.Length(i); });
    for (int64_t begin = 0; begin < std::ssize(pool); begin += size) {
      batches.emplace_back(
          pool.begin() + begin,
          pool.begin() + std::min(begin + size, std::ssize(pool)));
    }
  }
  Rng rng(Rng(seed + 1, static_cast<uint64_t>(epoch)).Next());
  Shuffle(batches, rng);
  return batches;
}

Metrics SpeechObjective::Validate(const std::string& measure) const {
  const double loss = MeanLoss(model_, valid_);
  Metrics metrics = {{"loss", loss}, {"perplexity", std::exp(loss)}};
  if (!std::isfinite(loss) || measure == "loss") return metrics;
  Prediction greedy;
  greedy.beam = 1;
  const Recognised found = RecogniseAll(model_, valid_, greedy);
  metrics.emplace_back("wer",
                       100 * WordErrorRate(found.texts, found.references));
  metrics.emplace_back("exact_match",
                       100 * ExactMatchRate(found.texts, found.references));
  if (measure == "cer") {
    metrics.emplace_back(
        "cer", 100 * CharacterErrorRate(found.texts, found.references));
  }
  return metrics;
}

}  // namespace

Inputs FramesOf(std::span<const Tensor> features) {
  int64_t longest = 0;
  std::vector<int32_t> lengths;
  for (const Tensor& one : features) {
    longest = std::max(longest, one.dim(0));
    lengths.push_back(static_cast<int32_t>(one.dim(0)));
  }
  Tensor frames =
      Tensor::Zeros({std::ssize(features), longest, features.front().dim(1)});
  for (size_t b = 0; b < features.size(); ++b) {
    std::copy_n(features[b].data<float>(), features[b].numel(),
                frames[static_cast<int64_t>(b)].data<float>());
  }
  const int64_t count = std::ssize(lengths);
  return Inputs::Frames(frames, Tensor::Of(lengths, {count}));
}

SpeechBatch MakeSpeechBatch(const Model& model, const Utterances& utterances,
                            std::span<const int64_t> indices,
                            std::optional<uint64_t> changes) {
  const SoundChangesConfig& change = model.config.data.changes;
  const LogMelConfig& mel = model.mel.config();
  std::vector<Tensor> features(indices.size());
  Corpus targets;
  targets.start = model.vocabulary.special().bos;
  targets.source.resize(indices.size());
  targets.target.resize(indices.size());
  std::vector<double> seconds(indices.size());
  ParallelForEach(std::ssize(indices), 1, [&](int64_t b) {
    const auto at = static_cast<size_t>(b);
    Recording one = utterances.At(indices[at]);
    Rng rng(changes.value_or(0), static_cast<uint64_t>(indices[at]) << 32);
    if (changes) {
      one.samples = AtAnotherSpeed(std::move(one.samples), change.speed, rng);
    }
    features[at] = model.FeaturesOf(one.samples);
    if (changes) {
      MaskFeatures(change, mel.bands, model.mel.step() / mel.stack, rng,
                   features[at]);
    }
    targets.target[at] = model.Encode(one.text).ids;
    seconds[at] = static_cast<double>(one.samples.size()) / utterances.rate();
  });
  std::vector<int64_t> places(indices.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  const DecoderExamples made = ExamplesOf(MakeBatch(targets, places));
  SpeechBatch batch = {FramesOf(features), made.target_in, made.targets};
  batch.seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return batch;
}

double MeanLoss(const Model& model, const Utterances& utterances) {
  double nll = 0;
  int64_t tokens = 0;
  std::vector<int64_t> indices;
  for (int64_t begin = 0; begin < utterances.size(); begin += kSoundsAtOnce) {
    indices.resize(static_cast<size_t>(
        std::min(utterances.size() - begin, kSoundsAtOnce)));
    std::iota(indices.begin(), indices.end(), begin);
    const SpeechBatch batch = MakeSpeechBatch(model, utterances, indices);
    const CrossEntropyLoss loss = model.network->Loss(
        {}, batch.inputs, batch.target_in, batch.targets, {});
    nll += loss.nll;
    tokens += loss.tokens;
  }
  return RatioOf(nll, tokens);
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t /*seed*/) const {
  return std::make_unique<SpeechObjective>(*this, std::move(read), made);
}

}  // namespace heed::speech
