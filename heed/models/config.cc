#include "heed/models/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/kernels/gemm.h"
#include "heed/models/rnn_config.h"

namespace heed {
namespace {

/// What the families have in common, to be looked up by name.
struct FamilyModels {
  ModelFamily family;
  std::vector<ModelInfo> models;
};

const std::vector<FamilyModels>& Families() {
  static const std::vector<FamilyModels> families = {
      {ModelFamily::kRecurrent, RecurrentModels()},
      {ModelFamily::kTransformer, TransformerModels()},
  };
  return families;
}

bool Contains(const std::vector<ModelFamily>& families, ModelFamily family) {
  return std::find(families.begin(), families.end(), family) != families.end();
}

/// Each once: a model may have several variants.
std::vector<std::string> NamesOf(const std::vector<ModelFamily>& families) {
  std::vector<std::string> names;
  for (const FamilyModels& f : Families()) {
    if (!Contains(families, f.family)) continue;
    for (const ModelInfo& info : f.models) {
      if (names.empty() || names.back() != info.model)
        names.push_back(info.model);
    }
  }
  return names;
}

}  // namespace

std::vector<ModelInfo> Models() {
  std::vector<ModelInfo> all;
  for (const FamilyModels& f : Families()) {
    all.insert(all.end(), f.models.begin(), f.models.end());
  }
  // Encoders of the other tasks.
  all.insert(all.end(), BertModels().begin(), BertModels().end());
  all.push_back({kRnn, "", "recurrent, with attention over its own states",
                 "Schuster and Paliwal 1997"});
  all.push_back({"patchtst", "", "patches of a series, each column by itself",
                 "Nie et al. 2023, arXiv:2211.14730"});
  return all;
}

ModelFamily ModelConfig::family() const {
  for (const FamilyModels& f : Families()) {
    for (const ModelInfo& info : f.models) {
      if (info.model == model) return f.family;
    }
  }
  return families.front();
}

void ModelConfig::Choose(const std::string& name) {
  const std::vector<std::string> names = NamesOf(families);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw ConfigError(fmt::format("model: '{}' is not known here{} (valid: {})",
                                  name, DidYouMean(name, names),
                                  fmt::join(names, ", ")));
  }
  model = name;
}

const std::string& ModelConfig::precision() const {
  switch (family()) {
    case ModelFamily::kRecurrent:
      return recurrent.precision;
    case ModelFamily::kTransformer:
      break;
  }
  return transformer.precision;
}

std::string ModelConfig::PrecisionNote() const {
  return precision() == "bf16" && !kernels::HasBF16()
             ? "; this processor does not multiply bf16: products are f32"
             : "";
}

void ModelConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("model", model, OneOf(NamesOf(families)),
    "architecture (see heed list models)")
      .Main();
  switch (family()) {
    case ModelFamily::kRecurrent:
      return recurrent.Visit(v);
    case ModelFamily::kTransformer:
      return transformer.Visit(v);
  }
}

void ModelConfig::Resolve() {
  Choose(model);
  switch (family()) {
    case ModelFamily::kRecurrent:
      recurrent.model = model;
      return recurrent.Resolve();
    case ModelFamily::kTransformer:
      return transformer.Resolve(model);
  }
}

}  // namespace heed
