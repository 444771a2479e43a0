// Helpers for tests of imported encoders beside tests/golden/families.py.
#ifndef HEED_CONVERT_FAMILIES_ENCODER_TESTING_H_
#define HEED_CONVERT_FAMILIES_ENCODER_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/convert/testing.h"
#include "heed/data/labelled.h"
#include "heed/tasks/run.h"

namespace heed {

/// A golden folder that is imported, written and read.
class EncoderFolder : public HuggingFaceFolder {
 protected:
  using Ids = std::vector<int32_t>;

  void Use(const std::string& name) {
    Copy(name);
    golden_ = GoldenTensors(name + "/expected.npz");
  }
  LoadedModel Read(const ImportRequest& request = {}) {
    Imported imported = Import(Theirs(), request);
    notes_ = imported.notes;
    WriteImported(folder_.Path("ours"), true, imported);
    return ReadModel(folder_.Path("ours"));
  }
  std::vector<std::string> Lines(const std::string& key = "lines") const {
    const Tensor& lines = golden_.at(key);
    const std::string text(static_cast<const char*>(lines.raw()),
                           static_cast<size_t>(lines.numel()));
    std::vector<std::string> result;
    for (const std::string_view line : SplitAt(text, "\n")) {
      result.emplace_back(line);
    }
    return result;
  }
  /// Ids of text b.
  Ids IdsOf(int64_t b) const {
    const int32_t* ids = golden_.at("ids").row<int32_t>(b);
    return {ids, ids + golden_.at("lengths").data<int32_t>()[b]};
  }
  Tensor Expected(const std::string& key, int64_t b) const {
    return golden_.at(key).To(DType::kF32)[b];
  }
  /// Expects the weights of all heads for text b.
  void ExpectAttention(const AttentionWatch& watch, int64_t b) const {
    const auto length = std::ssize(IdsOf(b));
    size_t layers = 0;
    while (golden_.contains("attention." + std::to_string(layers))) ++layers;
    ASSERT_EQ(watch.seen.size(), layers);
    for (size_t layer = 0; layer < layers; ++layer) {
      const Tensor weights = Expected("attention." + std::to_string(layer), b);
      const Tensor found = watch.seen[layer].weights.value()[0];
      ASSERT_EQ(found.dim(0), weights.dim(0));
      for (int64_t h = 0; h < weights.dim(0); ++h) {
        for (int64_t t = 0; t < length; ++t) {
          for (int64_t s = 0; s < length; ++s) {
            ASSERT_NEAR(found[h].row<float>(t)[s], weights[h].row<float>(t)[s],
                        1e-5)
                << layer << " " << h << " " << t << " " << s;
          }
        }
      }
    }
  }
  /// Expects scores of labels. `labels`: names in Heed's order.
  void ExpectScores(const LabelSet& labels, const float* found,
                    const float* expected) const {
    const Json names = Json::parse(ReadFile(Theirs("config.json")))["id2label"];
    ASSERT_EQ(labels.size(), std::ssize(names));
    for (const auto& [id, name] : names.items()) {
      EXPECT_NEAR(found[labels.Id(name.get<std::string>())],
                  expected[std::stoi(id)], 1e-4)
          << name;
    }
  }

  std::map<std::string, Tensor> golden_;
  Notes notes_;
};

}  // namespace heed

#endif  // HEED_CONVERT_FAMILIES_ENCODER_TESTING_H_
