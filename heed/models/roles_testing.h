// Helpers of tests of models in their roles. Each role is tested in its own
// file:
//   class EveryEncoder : public EveryRole {};
//   INSTANTIATE_TEST_SUITE_P(Registry, EveryEncoder,
//                            testing::ValuesIn(VariantsIn<EncoderSettings>()),
//                            NameOf);
#ifndef HEED_MODELS_ROLES_TESTING_H_
#define HEED_MODELS_ROLES_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/model_testing.h"
#include "heed/models/preset.h"
#include "heed/models/registry.h"

namespace heed {

struct ModelName {
  std::string model;
  std::string variant;
};

inline void PrintTo(const ModelName& named, std::ostream* out) {
  *out << named.model << " " << named.variant;
}

/// True if a row has a tested role.
using RoleCheck = bool (*)(const ModelRow&);
inline std::vector<RoleCheck>& TestedRoles() {
  static std::vector<RoleCheck> roles;
  return roles;
}

/// All models with the role; adds the role to TestedRoles().
template <typename Role>
std::vector<ModelName> VariantsIn() {
  TestedRoles().push_back(
      [](const ModelRow& row) { return SettingsIn<Role>(row) != nullptr; });
  std::vector<ModelName> all;
  for (const ModelRow& row : Models()) {
    if (SettingsIn<Role>(row) == nullptr) continue;
    for (const ModelVariant& variant : row.variants) {
      all.push_back({row.name, variant.name});
    }
  }
  return all;
}

/// Presets small enough for numerical differentiation.
inline constexpr const char* kSmall[] = {
    "layers=1", "decoder_layers=1", "units=6", "embedding=6", "width=8", "ff=8",
    "heads=2", "max_positions=16", "dropout=0", "init_scale=0.5",
    "attention_dropout=0", "positions=8", "memory_slots=5", "memory_features=3",
    // No policy, because its gradient is not that of the loss.
    "look=centre looks=3", "order=raster", "generative=0", "factors=5",
    "hidden=6", "fixations=2", "fovea=2", "glimpse=3", "glimpse_units=5",
    "filters=3",
    // No sampling, so that the gradient is that of the loss.
    "pointing=soft", "local_filters=3", "document=9", "window=3", "pointers=2"};

/// Checks that a model has an outline in which each part has a name.
inline void ExpectOutlined(const ModelOutline& outline) {
  ASSERT_TRUE(outline.defined()) << "pictures of it show no more than weights";
  for (const OutlineSequence& sequence : outline.sequences) {
    EXPECT_NE(sequence.name, "");
    EXPECT_FALSE(sequence.blocks.empty()) << sequence.name;
    EXPECT_TRUE(std::ranges::all_of(sequence.of, [&](size_t source) {
      return source < outline.sequences.size();
    })) << sequence.name;
    for (const OutlineBlock& block : sequence.blocks) {
      EXPECT_FALSE(block.parts.empty()) << sequence.name;
      EXPECT_GE(block.repeats, 1) << sequence.name;
      for (const OutlinePart& part : block.parts) {
        EXPECT_NE(part.name, "") << sequence.name;
        EXPECT_NE(part.kind, OutlinePart::Kind::kWhole)
            << part.name << ": how its vectors meet is not known";
      }
    }
  }
}

class EveryRole : public testing::TestWithParam<ModelName> {
 protected:
  /// Small settings of a model with the role.
  template <typename Role>
  std::unique_ptr<Role> Small() const {
    auto settings = SettingsIn<Role>(FindModel(GetParam().model));
    const std::vector<Field> fields = FieldsOf(*settings);
    for (const char* one : kSmall) SetPresetIfKnown(fields, one);
    if (!GetParam().variant.empty()) {
      SetPreset(fields, "variant=" + GetParam().variant);
    }
    return settings;
  }

  /// Checks that Fill is idempotent and leaves nothing open.
  template <typename Fill>
  static void ExpectFilled(ModelSettings& settings, const Fill& fill) {
    const auto once = FieldsToJson(FieldsOf(settings));
    for (const auto& [key, value] : once.items()) {
      EXPECT_NE(value, "auto") << key;
    }
    fill();
    EXPECT_EQ(FieldsToJson(FieldsOf(settings)), once);
  }

  /// Checks gradients, and that a few Adam steps lower the loss.
  template <typename Loss>
  static void ExpectLearns(const ParameterSet& parameters, const Loss& loss) {
    ExpectParameterGradients(parameters, loss, 2);
    const double before = loss(nullptr).value().item();
    Adam adam(parameters);
    for (int step = 0; step < 5; ++step) {
      Tape tape;
      tape.Backward(loss(&tape));
      adam.Step(1e-3);
    }
    EXPECT_LT(loss(nullptr).value().item(), before);
  }
};

inline std::string NameOf(const testing::TestParamInfo<ModelName>& info) {
  std::string name = info.param.model + "_" + info.param.variant;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace heed

#endif  // HEED_MODELS_ROLES_TESTING_H_
