#include "heed/convert/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "heed/convert/testing.h"
#include "heed/tasks/lm/language.h"
#include "heed/tasks/run.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

/// Tests of the format in which the matrices of a folder are stored.
class StoredFormat : public HuggingFaceFolder {
 protected:
  void SetUp() override { Copy("huggingface_gpt2_bare"); }  // in f16

  /// Rounds the numbers of the folder to bf16 and stores matrices and, if
  /// `all`, vectors so.
  void RoundFolder(bool all) {
    ChangeTensors([all](std::vector<NamedTensor>& tensors) {
      for (NamedTensor& t : tensors) {
        if (t.value.dtype() != DType::kF32) continue;
        t.value = t.value.To(DType::kBF16);
        if (!all && t.value.rank() != 2) t.value = t.value.To(DType::kF32);
      }
    });
  }
  /// Imports the folder and writes and reads the model.
  LoadedModel Imported(Auto<RunFormat> dtype, Auto<RunFormat> run = {}) {
    heed::Imported imported = Import(Theirs(), {.storage = {.dtype = dtype}});
    notes_ = imported.notes;
    WriteImported(Ours(), true, imported);
    return ReadModel(Ours(), run);
  }
  std::string Ours() const { return folder_.Path("ours"); }
  uintmax_t Bytes() const {
    return std::filesystem::file_size(PathIn(Ours(), kWeightsFile));
  }
  bool HasNote(const std::string& part) const {
    return std::ranges::any_of(notes_, [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  }
  static Tensor Logits(const LoadedModel& loaded) {
    auto* model = dynamic_cast<lm::Model*>(loaded.model.get());
    const Tensor ids =
        Tensor::Of<int32_t>(std::vector<int32_t>{40, 41, 7, 33}, {4, 1});
    return model->network->Logits(Context(), {}, ids).value();
  }
  static std::vector<float> Numbers(const Tensor& x) {
    return x.ToVector<float>();
  }

  Notes notes_;
};

TEST_F(StoredFormat, MatricesInBF16StaySoAndComputeAsF32) {
  for (const bool all : {true, false}) {
    RoundFolder(all);
    const Tensor wide = Logits(Imported(RunFormat::kF32));
    EXPECT_TRUE(HasNote("stored in f32"));
    const uintmax_t bytes = Bytes();
    const LoadedModel half = Imported({});
    EXPECT_TRUE(HasNote("stored in bf16, as in the source"));
    EXPECT_LT(Bytes(), bytes * 7 / 10);
    EXPECT_EQ(Numbers(Logits(half)), Numbers(wide));
    EXPECT_EQ(Numbers(Logits(ReadModel(Ours(), RunFormat::kF32))),
              Numbers(wide));
  }
}

TEST_F(StoredFormat, ABF16FolderHoldsTheSourcesBits) {
  RoundFolder(true);
  (void)Imported({});
  const SafetensorsFile from = ReadSafetensors(Theirs("model.safetensors"));
  const SafetensorsFile to = ReadTensors(PathIn(Ours(), kWeightsFile));
  const Tensor& theirs = FindTensor(from.tensors, "wpe.weight", "");
  const Tensor& ours =
      FindTensor(to.tensors, "decoder.positions.weight", theirs, "");
  EXPECT_EQ(Numbers(ours), Numbers(theirs));
}

TEST_F(StoredFormat, F32StaysF32UnlessAnotherFormatIsNamed) {
  ChangeTensors([](std::vector<NamedTensor>&) {});  // writes them in f32
  const Tensor wide = Logits(Imported({}));
  EXPECT_FALSE(HasNote("matrices"));
  const uintmax_t bytes = Bytes();
  const auto distance = [&wide](const Tensor& logits) {
    double largest = 0;
    for (int64_t i = 0; i < wide.numel(); ++i) {
      largest = std::max<double>(
          largest, std::abs(logits.data<float>()[i] - wide.data<float>()[i]));
    }
    return largest;
  };
  const LoadedModel half = Imported(RunFormat::kBF16);
  EXPECT_TRUE(HasNote("rounded to bf16"));
  EXPECT_LT(Bytes(), bytes * 7 / 10);
  EXPECT_GT(distance(Logits(half)), 0);
  EXPECT_LT(distance(Logits(half)), 1);
  const LoadedModel int8 = Imported(RunFormat::kInt8);
  EXPECT_TRUE(HasNote("stored in int8"));
  EXPECT_LT(Bytes(), bytes * 6 / 10);
  EXPECT_TRUE(std::ranges::any_of(
      int8.model->parameters().all(),
      [](const auto& parameter) { return parameter->quantized(); }));
}

TEST_F(StoredFormat, F16IsNotRoundedToBF16) {
  (void)Imported({});
  EXPECT_TRUE(HasNote("stored in f32, because bf16 would round"));
  const std::string error = MessageOf<ConfigError>(
      [&] { Import(Theirs(), {.storage = {.dtype = RunFormat::kBF16}}); });
  EXPECT_NE(error.find("holds f16"), std::string::npos) << error;
  EXPECT_NE(error.find("--dtype f32 or int8"), std::string::npos) << error;
  EXPECT_NO_THROW(Imported(RunFormat::kInt8));
}

TEST_F(StoredFormat, NaNInBF16IsRefused) {
  RoundFolder(true);
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    for (NamedTensor& t : tensors) {
      if (t.name != "wte.weight") continue;
      t.value.row<bfloat16>(3)[0].bits = 0x7fc0;
    }
  });
  EXPECT_NE(Error().find("'wte.weight' holds NaN or infinity, "
                         "first in row 3"),
            std::string::npos)
      << Error();
}

TEST_F(StoredFormat, AMarianModelTakesAFormatToo) {
  const std::vector<std::string> vocabularies = {Golden("marian.source.yml"),
                                                 Golden("marian.target.yml")};
  const auto import = [&](RunFormat dtype) {
    return Import(Golden("marian_pre.npz"),
                  {.vocabularies = vocabularies, .storage = {.dtype = dtype}});
  };
  const heed::Imported half = import(RunFormat::kBF16);
  for (const auto& parameter : half.model->parameters().all()) {
    EXPECT_EQ(parameter->compact(), parameter->compressible());
  }
  const heed::Imported int8 = import(RunFormat::kInt8);
  for (const auto& parameter : int8.model->parameters().all()) {
    EXPECT_EQ(parameter->quantized(), parameter->quantizable());
  }
}

class BF16Folder : public HuggingFaceFolder,
                   public testing::WithParamInterface<const char*> {};

TEST_P(BF16Folder, KeepsItsNumbersAtHalfOfTheSize) {
  Copy(GetParam());
  ChangeTensors([](std::vector<NamedTensor>& tensors) {
    for (NamedTensor& t : tensors) {
      if (t.value.dtype() != DType::kI32) t.value = t.value.To(DType::kBF16);
    }
  });
  const Imported wide =
      Import(Theirs(), {.storage = {.dtype = RunFormat::kF32}});
  const Imported half = Import(Theirs(), {});
  size_t compact = 0;
  for (const auto& p : half.model->parameters().all()) {
    const Parameter* other = wide.model->parameters().Find(p->name());
    ASSERT_NE(other, nullptr);
    EXPECT_FALSE(other->compact());
    EXPECT_EQ(p->numbers().To(DType::kF32).ToVector<float>(),
              other->value().ToVector<float>())
        << p->name();
    compact += p->compact();
  }
  EXPECT_GT(compact, 8U);
}

TEST_P(BF16Folder, IsWrittenWeightByWeight) {
  Copy(GetParam());
  for (const auto& [dtype, name] :
       {std::pair<Auto<RunFormat>, const char*>{{}, "auto"},
        {RunFormat::kInt8, "int8"}}) {
    Imported whole = Import(Theirs(), {.storage = {.dtype = dtype}});
    WriteImported(folder_.Path("whole"), true, whole);
    const Imported parts = ImportInto(folder_.Path("parts"), true, Theirs(),
                                      {.storage = {.dtype = dtype}});
    const std::vector<NamedTensor> expected =
        ReadModel(folder_.Path("whole")).model->parameters().Tensors();
    const std::vector<NamedTensor> found =
        ReadModel(folder_.Path("parts")).model->parameters().Tensors();
    EXPECT_EQ(parts.notes, whole.notes);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].name, expected[i].name);
      ASSERT_EQ(found[i].value.bytes(), expected[i].value.bytes());
      EXPECT_EQ(std::memcmp(found[i].value.Contiguous().raw(),
                            expected[i].value.Contiguous().raw(),
                            static_cast<size_t>(found[i].value.bytes())),
                0)
          << name << " " << found[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, BF16Folder,
    testing::Values("huggingface_gpt2_bare", "huggingface_bert",
                    "huggingface_roberta", "huggingface_xlm_roberta",
                    "huggingface_distilbert_mlm", "huggingface_classes",
                    "huggingface_tags", "huggingface_sentences",
                    "huggingface_marian"));

}  // namespace
}  // namespace heed
