#include "demos/copying_model.h"

#include "demos/copied_words.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

constexpr int64_t kValidCopies = 200;

}  // namespace

CopyingTraining FixedCopying(FixedVariant variant) {
  CopyingTraining training;
  training.kind = CopyingKind::kFixed;
  training.preset = "embedding=64 units=256 dropout=0 variant=" +
                    Named<FixedVariant>(variant).word();
  return training;
}

CopyingTraining AttentiveCopying() {
  CopyingTraining training;
  training.kind = CopyingKind::kAttentive;
  training.preset = "embedding=64 units=128 dropout=0.1";
  return training;
}

TranslationModel TrainCopying(const CopyingTraining& training,
                              const ParallelText& copies) {
  const std::string model = Named<CopyingKind>(training.kind).word();
  TranslationConfig config;
  config.model.Choose(model);
  SetPreset(FieldsOf(*config.model), training.preset);
  config.data.vocabulary = "words";
  config.data.batch_sentences = 64;
  config.optimizer.learning_rate = 2e-3;
  config.optimizer.schedule = "cosine";
  config.optimizer.warmup = 100;
  config.optimizer.label_smoothing = 0;
  config.run.out = training.out + "/" + model;
  config.run.overwrite = true;
  config.run.epochs = training.epochs;
  config.run.metric = "loss";
  config.run.patience = 0;
  config.run.seed = training.seed;
  config.run.threads = training.threads;
  TrainTranslation(
      config, {copies, MakeCopies(kValidCopies, kShortestCopied, kLongestCopied,
                                  training.seed + 1)});
  return ReadTranslationModel(config.run.out);
}

}  // namespace heed
