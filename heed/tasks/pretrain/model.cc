
#include <utility>

#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/pretrained.h"

namespace heed::pretrain {
namespace {

/// Seed of the masks of held-out text.
constexpr uint64_t kMeasureSeed = 1;

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(*this, data.vocabulary.Find(files, folder),
                                 seed);
}

Model::Model(Config settings, Vocabulary learned, uint64_t seed)
    : config(std::move(settings)),
      vocabulary(std::move(learned)),
      network_(
          config.model->MakePretraining(vocabulary.size(), seed, DType::kF32,
                                        config.data.instances.next_sentence)) {}

ModelFiles Model::Files() const {
  return {{config.data.vocabulary.FileName(), vocabulary.Serialize()}};
}

std::unique_ptr<PretrainedEncoder> Model::encoder() const {
  return std::make_unique<PretrainedEncoder>(PretrainedEncoder{
      "", ModelChoice<EncoderSettings>(config.model), config.data.vocabulary,
      vocabulary, parameters().Tensors(),
      /*pooler=*/network_->has_next_sentence()});
}

PretrainingCorpus Model::EncodeToMeasure(
    std::span<const std::string> lines) const {
  PretrainingOptions options = config.data.instances;
  options.duplicates = 1;
  options.seed = kMeasureSeed;
  return MakePretrainingCorpus(EncodeDocuments(lines, vocabulary), vocabulary,
                               options);
}

}  // namespace heed::pretrain
