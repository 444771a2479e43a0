
#include <utility>

#include "heed/tasks/pretrain/pretrain.h"
#include "heed/tasks/pretrained.h"

namespace heed::pretrain {
namespace {

/// Seed of the masks of held-out text.
constexpr uint64_t kMeasureSeed = 1;

PretrainingCorpus MakeCorpus(std::span<const std::string> lines,
                             const Vocabulary& vocabulary,
                             PretrainingOptions options, int duplicates,
                             uint64_t seed) {
  options.duplicates = duplicates;
  options.seed = seed;
  return MakePretrainingCorpus(EncodeDocuments(lines, vocabulary), vocabulary,
                               options);
}

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

PretrainingCorpus Model::Encode(std::span<const std::string> lines,
                                uint64_t seed) const {
  const PretrainingOptions& options = config.data.instances;
  return MakeCorpus(lines, vocabulary, options, options.duplicates, seed);
}

PretrainingCorpus Model::EncodeToMeasure(
    std::span<const std::string> lines) const {
  return MakeCorpus(lines, vocabulary, config.data.instances, 1, kMeasureSeed);
}

}  // namespace heed::pretrain
