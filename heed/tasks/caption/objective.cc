#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/corpus.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/metrics/text_measures.h"
#include "heed/ops/elementwise.h"
#include "heed/tasks/caption/caption.h"
#include "heed/tasks/target_loss.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/train/progress.h"

namespace heed::caption {
namespace {

std::string ComputeCaptionsChecksum(const Data& data) {
  std::string sums;
  for (const CaptionedImages* set : {&data.train, &data.valid}) {
    const auto* images = reinterpret_cast<const char*>(set->image_of.data());
    sums +=
        fmt::format("{:08x} {} {:08x} ", SourceChecksum(*set),
                    ComputeChecksum(set->captions),
                    Crc32({images, set->image_of.size() * sizeof(int64_t)}));
  }
  return fmt::format("{:08x}", Crc32(sums));
}

/// Cross entropy of caption tokens, plus the loss on the sums of attention
/// weights.
class CaptionObjective : public ObjectiveOf<Model> {
 public:
  CaptionObjective(const Settings& settings, Data data, Model& model)
      : ObjectiveOf(model, settings.Measures(data)),
        checksum_(ComputeCaptionsChecksum(data)),
        train_(std::move(data.train)),
        valid_(std::move(data.valid)),
        tokenizer_(BleuTokenizerFor(settings.data.tokenize, valid_.captions)),
        choices_(settings.data.hard) {
    targets_.start = model.vocabulary.special().bos;
    for (size_t i = 0; i < train_.captions.size(); ++i) {
      std::vector<int32_t> ids = model.Encode(train_.captions[i]).ids;
      if (std::ssize(ids) > int64_t{settings.data.max_length} + 1) continue;
      images_.push_back(train_.image_of[i]);
      targets_.target.push_back(std::move(ids));
      targets_.source.emplace_back();
    }
    if (images_.empty()) {
      throw ConfigError("max_length: all {} captions have more than {} tokens",
                        train_.captions.size(), settings.data.max_length);
    }
  }

  std::string unit() const override { return "image"; }
  std::string Summary() const override {
    return fmt::format(
        "{} of {} of {} × {} {} ({} with more than {} tokens left out), {} "
        "for validation; {}",
        Counted(std::ssize(images_), "caption"),
        Counted(train_.size(), "image"), model_.source.format.width,
        model_.source.format.height,
        model_.source.of_features ? "cells" : "pixels",
        std::ssize(train_.captions) - std::ssize(images_),
        model_.config.data.max_length, valid_.size(),
        model_.config.data.vocabulary.Note(model_.vocabulary));
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(std::ssize(images_), model_.config.data.batch_images,
                           seed, epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  void Updated(const Metrics& parts) override { choices_.Updated(parts); }
  std::vector<NamedTensor> State() const override {
    return model_.network->hard_choices() ? choices_.State()
                                          : std::vector<NamedTensor>();
  }
  void Restore(const std::vector<NamedTensor>& state) override {
    choices_.Restore(state);
  }
  bool has_valid() const override { return valid_.size() > 0; }
  Metrics Validate(const std::string& measure) const override;

 private:
  std::string checksum_;
  CaptionedImages train_;
  CaptionedImages valid_;
  BleuTokenizer tokenizer_;
  HardChoices choices_;
  std::vector<int64_t> images_;  // image of each example, in train_
  Corpus targets_;               // captions of the examples, without sources
};

BatchLoss CaptionObjective::Loss(const Context& ctx,
                                 std::span<const int64_t> examples,
                                 const LossOptions& options) const {
  std::vector<int64_t> images;
  for (const int64_t i : examples) {
    images.push_back(At(images_, i));
  }
  const Captioner& network = *model_.network;
  const Batch batch = MakeBatch(targets_, examples);
  const double weight = model_.config.data.doubly_stochastic;
  AttentionWatch watch =
      AttentionWatch::WithGradient(network.alignment_attention());
  Context watched = ctx;
  if (weight > 0) watched.observer = &watch;
  DecoderExamples given = ExamplesOf(batch);
  given.inputs = model_.CellsOf(ctx, train_.Batch(images));
  BatchLoss loss;
  if (network.hard_choices()) {
    loss = choices_.Loss(network, watched, given, options);
  } else {
    CrossEntropyOptions entropy = EntropyOf(options);
    entropy.ignore_id = given.ignore_id;
    CrossEntropyLoss own = network.Loss(watched, given.inputs, given.target_in,
                                        given.targets, entropy);
    loss = {std::move(own.loss), own.nll * options.scale};
  }
  // Sampled hard choices give no attention sum to train.
  if (watch.seen.empty()) return loss;
  std::vector<Var> weights;
  for (const auto& seen : watch.seen) weights.push_back(seen.weights);
  const Var sum = AttentionSumLoss(weights, given.targets, given.ignore_id,
                                   model_.config.data.attention_sum);
  loss.loss = Add(loss.loss, Scale(sum, weight * options.scale));
  loss.parts.emplace_back("attention_sum", sum.value().item() * options.scale);
  return loss;
}

Metrics CaptionObjective::Validate(const std::string& measure) const {
  const PointingResult pointing = PointAt(model_, valid_);
  const double loss =
      pointing.nll / static_cast<double>(std::max<int64_t>(1, pointing.tokens));
  Metrics metrics = {{"loss", loss}, {"perplexity", std::exp(loss)}};
  if (!std::isfinite(loss)) return metrics;
  if (pointing.nouns > 0) {
    metrics.emplace_back("pointing", 100 * static_cast<double>(pointing.near) /
                                         static_cast<double>(pointing.nouns));
  }
  if (measure == "loss") return metrics;
  Prediction greedy;
  greedy.beam = 1;
  const std::vector<std::string> written = CaptionsOf(model_, valid_, greedy);
  const std::vector<References> references = valid_.References();
  const auto add = [&](const std::string& name) {
    metrics.emplace_back(name, MeasureTexts(name, written, references,
                                            {.tokenizer = tokenizer_}));
  };
  add("bleu");
  add("exact_match");
  if (measure != "bleu" && measure != "exact_match") add(measure);
  return metrics;
}

}  // namespace

std::vector<MeasureInfo> Settings::Measures(const Data& /*read*/) const {
  std::vector<MeasureInfo> measures;
  for (const TextMeasure& measure : TextMeasures()) {
    measures.push_back({std::string(measure.name), measure.greater_is_better});
  }
  measures.push_back({"cider", true});
  measures.push_back({"loss", false});
  return measures;
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t /*seed*/) const {
  CheckSameSize(read.train.format, made.source.format);
  return std::make_unique<CaptionObjective>(*this, std::move(read), made);
}

}  // namespace heed::caption
