#include "demos/copying_model.h"

#include "demos/copied_words.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

constexpr int64_t kValidCopies = 200;

/// Sizes of the model.
std::string CopyingPreset(CopyingKind kind, const CopyingOptions& options) {
  return kind == CopyingKind::kFixed
             ? "embedding=64 units=256 dropout=0 variant=" +
                   options.variant.word()
             : "embedding=64 units=128 dropout=0.1";
}

}  // namespace

void CopyingOptions::Visit(FieldList& v) {
  v("out", out, Any{"DIR"}, "folder for the models and the pictures");
  v("variant", variant,
    "model without attention; sutskever reads the sentence backwards");
  v("sentences", sentences, Range(100, 1000000),
    "sentences that both models learn from");
  v("epochs", epochs, Range(1, 1000), "passes over them");
  v("seed", seed, "of the sentences and the weights");
  v("threads", threads, Range(0, 1024), "threads; 0: one per core");
}

ParallelText CopyingOptions::Copies() const {
  return MakeCopies(sentences, kShortestCopied, kLongestCopied, seed);
}

translate::Model TrainCopying(const CopyingOptions& options, CopyingKind kind,
                              const ParallelText& copies) {
  const std::string model = Named<CopyingKind>(kind).word();
  translate::Config config;
  config.model.Choose(model);
  SetPreset(FieldsOf(*config.model), CopyingPreset(kind, options));
  config.data.vocabulary = "words";
  config.data.batch_sentences = 64;
  config.optimizer.learning_rate = 2e-3;
  config.optimizer.schedule = Schedule::kCosine;
  config.optimizer.warmup = 100;
  config.optimizer.label_smoothing = 0;
  config.run.out = options.out + "/" + model;
  config.run.overwrite = true;
  config.run.epochs = options.epochs;
  config.run.metric = "loss";
  config.run.patience = 0;
  config.run.seed = options.seed;
  config.run.threads = options.threads;
  translate::TrainTranslation(
      config, {copies, MakeCopies(kValidCopies, kShortestCopied, kLongestCopied,
                                  options.seed + 1)});
  return translate::ReadTranslationModel(config.run.out);
}

}  // namespace heed
