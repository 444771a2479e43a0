#include "heed/tasks/pretrained.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/tasks/pretrain.h"
#include "heed/train/model_folder.h"
#include "heed/train/optimizer.h"

namespace heed {
namespace {

constexpr const char* kEncoder = "encoder.";
constexpr const char* kPooler = "pooler.";

}  // namespace

Pretrained ReadPretrained(const std::string& folder) {
  const LoadedTask loaded = ReadTask(folder);
  auto* task = dynamic_cast<PretrainTask*>(loaded.task.get());
  if (task == nullptr) {
    throw FormatError(fmt::format(
        "{}: holds a model for task '{}', not one of heed train --task "
        "pretrain",
        folder, loaded.task->name()));
  }
  return {folder, task->model, task->data.vocabulary, task->vocabulary(),
          ParameterTensors(task->parameters())};
}

void CopyPretrained(const Pretrained& pretrained, ParameterSet& parameters) {
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
