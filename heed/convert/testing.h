// Helpers for tests of imports.
#ifndef HEED_CONVERT_TESTING_H_
#define HEED_CONVERT_TESTING_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/convert.h"
#include "heed/io/file.h"
#include "heed/io/npz.h"
#include "heed/io/safetensors.h"
#include "heed/models/decoder.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed {

inline std::string Golden(const std::string& name) {
  return std::string(HEED_GOLDEN_DIR) + "/" + name;
}

inline std::map<std::string, Tensor> GoldenTensors(const std::string& name) {
  std::map<std::string, Tensor> tensors;
  for (NamedTensor& tensor : ReadNpz(Golden(name))) {
    tensors[tensor.name] = std::move(tensor.value);
  }
  return tensors;
}

/// Converts token ids [B, T] of another program to Heed's ids [T, B].
inline Tensor TimeMajor(const Tensor& ids,
                        const std::map<int32_t, int32_t>& heed_ids) {
  Tensor result({ids.dim(1), ids.dim(0)}, DType::kI32);
  for (int64_t b = 0; b < ids.dim(0); ++b) {
    for (int64_t t = 0; t < ids.dim(1); ++t) {
      result.row<int32_t>(t)[b] = heed_ids.at(ids.row<int32_t>(b)[t]);
    }
  }
  return result;
}

/// Expects the other program's logits. `golden`: source [B, S], lengths [B],
/// target [B, T], logits [B, T, V], all with its ids.
inline void ExpectLogits(const Decoder& model,
                         const std::map<std::string, Tensor>& golden,
                         const std::map<int32_t, int32_t>& source_ids,
                         const std::map<int32_t, int32_t>& target_ids) {
  const Tensor targets = TimeMajor(golden.at("target"), target_ids);
  Tensor shifted = Tensor::Full(targets.shape(), kBos, DType::kI32);
  for (int64_t t = 1; t < targets.dim(0); ++t) {
    Tensor row = shifted[t];
    row.CopyFrom(targets[t - 1]);
  }
  const Var logits = model.Logits(
      Context(),
      {TimeMajor(golden.at("source"), source_ids), golden.at("lengths")},
      shifted);
  const Tensor expected = golden.at("logits").To(DType::kF32);
  for (int64_t b = 0; b < expected.dim(0); ++b) {
    for (int64_t t = 0; t < expected.dim(1); ++t) {
      for (const auto& [theirs, ours] : target_ids) {
        EXPECT_NEAR(logits.value()[t].row<float>(b)[ours],
                    expected[b].row<float>(t)[theirs], 1e-4)
            << b << " " << t << " " << theirs;
      }
    }
  }
  // Tokens that the other program does not score have probability 0.
  std::set<int32_t> scored;
  for (const auto& [theirs, ours] : target_ids) scored.insert(ours);
  for (int32_t id = 0; id < logits.dim(2); ++id) {
    for (int64_t r = 0; r < logits.value().rows() && !scored.contains(id);
         ++r) {
      EXPECT_LT(logits.value().row<float>(r)[id], -1000) << id;
    }
  }
}

/// A copy of a folder from tests/golden/huggingface.py that a test may modify.
class HuggingFaceFolder : public testing::Test {
 protected:
  using Json = nlohmann::ordered_json;
  void Copy(const std::string& name) {
    std::filesystem::copy(Golden(name), folder_.path() / "theirs",
                          std::filesystem::copy_options::recursive);
  }
  std::string Theirs(const std::string& file = "") const {
    return (folder_.path() / "theirs" / file).string();
  }
  void Change(const std::string& key, const Json& value,
              const std::string& file = "config.json") {
    Json config = Json::parse(ReadFile(Theirs(file)));
    config[key] = value;
    WriteFileAtomically(Theirs(file), config.dump());
  }
  void ChangeTensors(const std::function<void(std::vector<NamedTensor>&)>& by) {
    SafetensorsFile file = ReadSafetensors(Theirs("model.safetensors"));
    by(file.tensors);
    WriteSafetensors(Theirs("model.safetensors"), file.tensors, {});
  }
  std::string Error() const {
    return MessageOf<FormatError>([&] { ImportHuggingFace(Theirs()); });
  }

  TemporaryFolder folder_;
};

}  // namespace heed

#endif  // HEED_CONVERT_TESTING_H_
