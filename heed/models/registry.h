// All models: a row for each, found by name and by role.
//
//   ModelChoice<TranslatorSettings> model;  // the usual one
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

/// A line of `heed list models`: a model of the literature.
struct ModelVariant {
  std::string name;  // "" where there is but one
  std::string description;
  std::string source;
  std::string preset = {};  // of what its settings leave to it
  /// Formats of other programs whose models become this one.
  std::vector<std::string> imports = {};
};

/// All that others know of a model.
struct ModelRow {
  using MakeRole = std::unique_ptr<ModelSettings> (*)(const std::string& model);

  std::string name;
  std::vector<ModelVariant> variants;  // the usual one first
  std::vector<MakeRole> roles;
  /// What is taken of a role where none is named; else the first row is.
  bool usual = false;
  /// Formats of other programs that it can be written in as it is trained.
  std::vector<std::string> exports = {};
  /// A preset that benches measure it with.
  std::string bench = {};
  /// Whether benches of decoding measure it where none is named.
  bool bench_decoding = false;
  /// Step size that does not undo what pre-training learnt; 0: any.
  double fine_tuning_rate = 0;

  /// `variant` or, for "auto", the usual one. Throws: ConfigError that lists
  /// them.
  const ModelVariant& Variant(const std::string& variant) const;
};

// The rows of each family, which Models lists.
std::vector<ModelRow> RecurrentModels();    // encoder-decoders
std::vector<ModelRow> RnnModels();          // that attend to their own states
std::vector<ModelRow> TransformerModels();  // and each half of them alone
std::vector<ModelRow> BertModels();         // that are pre-trained
std::vector<ModelRow> DocumentModels();     // of documents, by sentences
std::vector<ModelRow> GraphModels();        // over the nodes of a graph
std::vector<ModelRow> PatchModels();        // of patches of a series
std::vector<ModelRow> VisitModels();        // of visits of patients
std::vector<ModelRow> RatingModels();       // of ratings, from reviews
std::vector<ModelRow> PassageModels();      // that answer questions
std::vector<ModelRow> ImageModels();        // of images
std::vector<ModelRow> CaptionModels();      // that write about images
std::vector<ModelRow> FrameOrderModels();   // of the order of frames
std::vector<ModelRow> RecogniserModels();   // that write down what is said
std::vector<ModelRow> MachineModels();      // that answer at every step

/// In the order in which they are listed. Rows stay where they are.
const std::deque<ModelRow>& Models();
/// A program's own model, before it starts threads. Throws: ConfigError if
/// there is one of this name.
void AddModel(ModelRow row);
/// Of all models that have some.
std::vector<std::string> VariantNames();
/// Throws: ConfigError that lists the names.
const ModelRow& FindModel(const std::string& name);
/// The model that one of another program becomes. Throws: ConfigError.
struct ImportedModel {
  std::string model;
  std::string variant;
};
ImportedModel ModelForImport(const std::string& format);
/// One that can be written in a format of another program. Throws: ConfigError.
std::string ModelForExport(const std::string& format);
/// The one that benches of decoding measure where none is named.
std::string ModelForDecodingBench();

/// What a row of the registry lists for each of its roles.
template <typename Settings>
std::unique_ptr<ModelSettings> MakeRole(const std::string& model) {
  return std::make_unique<Settings>(model);
}

/// The settings of a model in a role, or null if it has not that role.
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

/// Of all models that have the role.
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

/// A model by its name, with its settings in a role. A value.
template <typename Role>
class ModelChoice {
 public:
  /// The usual model of the role. `defaults`: a preset in the place of the
  /// defaults of models that have all of these settings.
  explicit ModelChoice(std::string defaults = "")
      : defaults_(std::move(defaults)) {
    const ModelRow* usual = nullptr;
    for (const ModelRow& row : Models()) {
      if (SettingsIn<Role>(row) == nullptr) continue;
      if (usual == nullptr || (row.usual && !usual->usual)) usual = &row;
    }
    Choose(usual->name);
  }
  /// A model by its name, with these settings.
  ModelChoice(std::string name, std::unique_ptr<Role> settings)
      : name_(std::move(name)), settings_(std::move(settings)) {}
  /// The same model in a wider role.
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
  /// Another model has fresh settings. Throws: ConfigError that lists the
  /// names.
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
  /// The key `model`, whose value is chosen before its settings are visited.
  void VisitName(FieldList& v, std::string_view help) {
    v.Section("Model");
    v("model", name_, OneOf(ModelNames<Role>()), help).Main();
  }

  Role* operator->() { return settings_.get(); }
  const Role* operator->() const { return settings_.get(); }
  Role& operator*() { return *settings_; }
  const Role& operator*() const { return *settings_; }

  /// The settings as a config of this type, or nullptr if the model has
  /// another.
  template <typename Config>
  const Config* Find() const {
    return static_cast<const Config*>(settings_->FindConfig(typeid(Config)));
  }
  /// Throws: ConfigError if the model has another.
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
