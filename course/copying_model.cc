#include "course/copying_model.h"

#include <fmt/format.h>

#include "course/copied_words.h"
#include "course/training_in.h"

namespace heed {
namespace {

constexpr int64_t kValidCopies = 200;

/// Returns the settings for the sizes of the model.
std::string CopyingPreset(CopyingKind kind, const CopyingOptions& options) {
  return kind == CopyingKind::kFixed
             ? "embedding=64 units=256 dropout=0 variant=" +
                   options.variant.word()
             : "embedding=64 units=128 dropout=0.1";
}

}  // namespace

void CopyingOptions::VisitOwn(FieldList& v) {
  v("variant", variant,
    "model without attention; sutskever reads the sentence backwards");
  v("sentences", sentences, Range(100, 1000000),
    "training sentences of both models");
  v("epochs", epochs, Range(1, 1000), "passes over them");
}

ParallelText CopyingOptions::Copies() const {
  return MakeCopies(sentences, kShortestCopied, kLongestCopied, seed);
}

translate::Model TrainCopying(const CopyingOptions& options, CopyingKind kind,
                              const ParallelText& copies) {
  const translate::Config config = TranslatorIn(
      options, Named<CopyingKind>(kind).word(),
      fmt::format("{} batch_sentences=64 learning_rate=0.002 warmup=100 "
                  "epochs={}",
                  CopyingPreset(kind, options), options.epochs));
  translate::TrainTranslation(
      config, {copies, MakeCopies(kValidCopies, kShortestCopied, kLongestCopied,
                                  options.seed + 1)});
  return translate::ReadTranslationModel(config.run.out);
}

}  // namespace heed
