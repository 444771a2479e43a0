// Registry of models, by name and role.
//
//   ModelChoice<TranslatorSettings> model;  // the default
//   model.Choose("transformer-tiny");
//   model->Fill();
//   const auto translator = model->Make(8000, 8000, /*seed=*/1);
#ifndef HEED_MODELS_REGISTRY_H_
#define HEED_MODELS_REGISTRY_H_

#include <algorithm>
#include <concepts>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/models/preset.h"
#include "heed/models/roles.h"

namespace heed {

/// Row of `heed list models`: a published model.
struct ModelVariant {
  std::string name;  // "" if there is only one
  std::string description;
  std::string source;
  std::string preset = {};  // defaults of open settings
  /// Model formats of other programs that are imported as this variant.
  std::vector<std::string> imports = {};
};

/// Registry row of a model.
struct ModelRow {
  using MakeRole = std::unique_ptr<ModelSettings> (*)(const std::string& model);

  std::string name;
  std::vector<ModelVariant> variants;  // default first
  std::vector<MakeRole> roles;
  /// True for the default model of its roles; without one, the first row is the
  /// default.
  bool usual = false;
  /// Model formats of other programs that it can be exported to.
  std::vector<std::string> exports = {};
  /// Preset for benchmarks.
  std::string bench = {};
  /// True for the default model of decoding benchmarks.
  bool bench_decoding = false;
  /// Learning rate for fine-tuning that preserves pretraining; 0: any.
  double fine_tuning_rate = 0;

  /// `variant`, or the default for "auto". Throws: ConfigError that lists the
  /// variants.
  const ModelVariant& Variant(const std::string& variant) const;
};

// The rows of each family, which Models lists.
std::vector<ModelRow> RecurrentModels();  // encoder-decoders
std::vector<ModelRow> RnnModels();        // with attention to their own states
std::vector<ModelRow> TransformerModels();  // and encoders or decoders alone
std::vector<ModelRow> BertModels();         // pretrained encoders
std::vector<ModelRow> DocumentModels();     // document classifiers
std::vector<ModelRow> GraphModels();        // node classifiers
std::vector<ModelRow> PatchModels();        // patches of time series
std::vector<ModelRow> VisitModels();        // visits of patients
std::vector<ModelRow> RecommenderModels();  // next items of a history
std::vector<ModelRow> RatingModels();       // ratings from reviews
std::vector<ModelRow> PassageModels();      // question answering
std::vector<ModelRow> ImageModels();        // image classifiers
std::vector<ModelRow> CaptionModels();      // image captioners
std::vector<ModelRow> FrameOrderModels();   // order of frames
std::vector<ModelRow> RecogniserModels();   // speech recognisers
std::vector<ModelRow> MachineModels();      // sequence machines

/// All models, in display order. Rows never move.
const std::deque<ModelRow>& Models();
/// Registers a model; call before threads start. Throws: ConfigError if the
/// name is taken.
void AddModel(ModelRow row);
/// Names of the variants of all models.
std::vector<std::string> VariantNames();
/// Throws: ConfigError that lists the names.
const ModelRow& FindModel(const std::string& name);
/// Model for an imported file. Throws: ConfigError.
struct ImportedModel {
  std::string model;
  std::string variant;
};
ImportedModel ModelForImport(const std::string& format);
/// Model that can be exported to a format. Throws: ConfigError.
std::string ModelForExport(const std::string& format);
/// Default model of decoding benchmarks.
std::string ModelForDecodingBench();

/// Factory of a row for one of its roles.
template <typename Settings>
std::unique_ptr<ModelSettings> MakeRole(const std::string& model) {
  return std::make_unique<Settings>(model);
}

/// Settings of a model in a role; null if it does not have the role.
template <typename Role>
std::unique_ptr<Role> SettingsIn(const ModelRow& row) {
  for (const ModelRow::MakeRole make : row.roles) {
    std::unique_ptr<ModelSettings> settings = make(row.name);
    if (auto* role = dynamic_cast<Role*>(settings.get())) {
      static_cast<void>(settings.release());
      return std::unique_ptr<Role>(role);
    }
  }
  return nullptr;
}

template <typename Role>
bool HasRole(const std::string& model) {
  return SettingsIn<Role>(FindModel(model)) != nullptr;
}

/// Names of all models with the role.
template <typename Role>
std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  for (const ModelRow& row : Models()) {
    if (SettingsIn<Role>(row) != nullptr) names.push_back(row.name);
  }
  return names;
}

/// Throws: ConfigError that lists the models of the role.
[[noreturn]] void ThrowNoSuchModel(const std::string& name, const char* role,
                                   const std::vector<std::string>& names);

/// Name of a model and its settings in a role. A value.
template <typename Role>
class ModelChoice {
 public:
  /// Default model of the role. `defaults`: a preset that replaces the defaults
  /// of models with all of these settings.
  explicit ModelChoice(std::string defaults = "")
      : defaults_(std::move(defaults)) {
    const ModelRow* usual = nullptr;
    for (const ModelRow& row : Models()) {
      if (SettingsIn<Role>(row) == nullptr) continue;
      if (usual == nullptr || (row.usual && !usual->usual)) usual = &row;
    }
    Choose(usual->name);
  }
  /// Model with the given name and settings.
  ModelChoice(std::string name, std::unique_ptr<Role> settings)
      : name_(std::move(name)), settings_(std::move(settings)) {}
  /// Converts to a more general role.
  template <std::derived_from<Role> Narrower>
  explicit ModelChoice(const ModelChoice<Narrower>& other)
      : name_(other.name()), settings_(CloneOf(*other.operator->())) {}
  ModelChoice(const ModelChoice& other) { *this = other; }
  ModelChoice(ModelChoice&&) noexcept = default;
  ModelChoice& operator=(const ModelChoice& other) {
    if (this == &other) return *this;
    name_ = other.name_;
    defaults_ = other.defaults_;
    settings_ = CloneOf(*other.settings_);
    return *this;
  }
  ModelChoice& operator=(ModelChoice&&) noexcept = default;

  const std::string& name() const { return name_; }
  /// Selects a model; a different one gets new settings. Throws: ConfigError
  /// that lists the names.
  void Choose(const std::string& name) {
    if (settings_ != nullptr && name == name_) return;
    const std::vector<std::string> names = ModelNames<Role>();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      ThrowNoSuchModel(name, Role::kRole, names);
    }
    name_ = name;
    settings_ = SettingsIn<Role>(FindModel(name));
    SetPresetIfKnown(FieldsOf(*settings_), defaults_);
  }
  void Visit(FieldList& v) {
    VisitName(v, "architecture (see heed list models)");
    settings_->Visit(v);
  }
  /// Visits the key `model`, which is set before the settings are visited.
  void VisitName(FieldList& v, std::string_view help) {
    v.Section("Model");
    v("model", name_, OneOf(ModelNames<Role>()), help).Main();
  }

  Role* operator->() { return settings_.get(); }
  const Role* operator->() const { return settings_.get(); }
  Role& operator*() { return *settings_; }
  const Role& operator*() const { return *settings_; }

  /// The settings as a config of this type; nullptr if the model has another
  /// type.
  template <typename Config>
  const Config* Find() const {
    return static_cast<const Config*>(settings_->FindConfig(typeid(Config)));
  }
  /// The settings as a config of this type. Throws: ConfigError if the model
  /// has another type.
  template <typename Config>
  Config& As() {
    const Config* config = Find<Config>();
    if (config == nullptr) {
      throw ConfigError("model '" + name_ + "' has other settings");
    }
    return const_cast<Config&>(*config);
  }
  template <typename Config>
  const Config& As() const {
    return const_cast<ModelChoice&>(*this).template As<Config>();
  }

 private:
  static std::unique_ptr<Role> CloneOf(const Role& settings) {
    return std::unique_ptr<Role>(
        static_cast<Role*>(settings.Clone().release()));
  }

  std::string name_;
  std::string defaults_;
  std::unique_ptr<Role> settings_;
};

}  // namespace heed

#endif  // HEED_MODELS_REGISTRY_H_
