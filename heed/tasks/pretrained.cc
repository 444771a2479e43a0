#include "heed/tasks/pretrained.h"

#include "heed/base/errors.h"
#include "heed/tasks/run.h"
#include "heed/train/model_folder.h"
#include "heed/train/optimizer.h"

namespace heed {
namespace {

constexpr const char* kEncoder = "encoder.";
constexpr const char* kPooler = "pooler.";

}  // namespace

PretrainedEncoder ReadPretrained(const std::string& folder) {
  const LoadedModel loaded = ReadModel(folder);
  loaded.model->parameters().Dequantize();
  std::unique_ptr<PretrainedEncoder> encoder;
  try {
    encoder = loaded.model->encoder();
  } catch (const ConfigError& error) {
    throw ConfigError("{}: {}", folder, error.what());
  }
  if (!encoder) {
    throw FormatError(
        "{}: a model for task '{}' has no encoder that others can start from",
        folder, loaded.settings->task());
  }
  encoder->folder = folder;
  return std::move(*encoder);
}

void CopyPretrained(const PretrainedEncoder& pretrained,
                    ParameterSet& parameters) {
  const std::string file = PathIn(pretrained.folder, kWeightsFile);
  bool has_encoder = false;
  for (const auto& parameter : parameters.all()) {
    const std::string& name = parameter->name();
    has_encoder |= name.starts_with(kEncoder);
    if (!name.starts_with(kEncoder) && !name.starts_with(kPooler)) continue;
    Tensor& value = parameter->mutable_value();
    value.CopyFrom(FindTensor(pretrained.weights, name, value, file));
    parameter->Changed();
  }
  if (!has_encoder) {
    throw FormatError(file + ": the model has no encoder for these weights");
  }
}

}  // namespace heed
