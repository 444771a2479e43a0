#include "heed/convert/weight_files.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/base/testing.h"
#include "heed/convert/convert.h"
#include "heed/convert/testing.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class WeightFiles : public testing::Test {
 protected:
  void Write(const std::string& file,
             const std::vector<NamedTensor>& tensors) const {
    WriteSafetensors(folder_.Path(file), tensors, {});
  }
  void WriteIndex(const std::string& text) const {
    folder_.Put("model.safetensors.index.json", text);
  }
  SourceWeights Open() const { return OpenSourceWeights(folder_.path()); }
  template <typename E = FormatError>
  std::string Error() const {
    return MessageOf<E>([&] { Open(); });
  }
  std::string Path(const std::string& file) const { return folder_.Path(file); }
  static Tensor Numbers(float first) {
    return Tensor::Of<float>({first, first + 1}, {2});
  }

  TemporaryFolder folder_;
};

TEST_F(WeightFiles, FilesOfAnIndexAreOneModel) {
  Write("1.safetensors", {{"a", Numbers(1)}, {"norm.gamma", Numbers(3)}});
  Write("2.safetensors", {{"norm.beta", Numbers(5)}});
  WriteIndex(R"({"metadata": {"total_size": 24},
                 "weight_map": {"a": "1.safetensors",
                                "norm.gamma": "1.safetensors",
                                "norm.beta": "2.safetensors"}})");
  SourceWeights weights = Open();
  EXPECT_EQ(weights.file(), Path("model.safetensors.index.json"));
  EXPECT_EQ(weights.Take("a", {2}).ToVector<float>(),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(weights.Take("norm.weight", {2}).ToVector<float>(),
            (std::vector<float>{3, 4}));
  EXPECT_EQ(weights.Take("norm.bias", {2}).ToVector<float>(),
            (std::vector<float>{5, 6}));
  weights.CheckAllTaken();
}

TEST_F(WeightFiles, TheSizeInAnIndexIsThatOfItsFiles) {
  Write("1.safetensors", {{"a", Numbers(1)}, {"b", Numbers(3)}});
  const auto write = [this](const std::string& size) {
    WriteIndex(R"({"metadata": {"total_size": )" + size +
               R"(}, "weight_map": {"a": "1.safetensors"}})");
  };
  for (const char* size : {"16", "1.6e1", "\"16\"", "null", "{}"}) {
    write(size);
    EXPECT_TRUE(Open().Has("b")) << size;
  }
  for (const char* size : {"15", "24", "-16", "1e400"}) {
    write(size);
    EXPECT_NE(Error(), "") << size;
  }
  write("24");
  EXPECT_NE(Error().find("index.json: metadata.total_size is 24 bytes, but the "
                         "tensors of its files have 16; download"),
            std::string::npos)
      << Error();
}

TEST_F(WeightFiles, TheSingleFileIsTakenBeforeAnIndex) {
  Write("model.safetensors", {{"a", Numbers(1)}});
  WriteIndex("no JSON");
  SourceWeights weights = Open();
  EXPECT_EQ(weights.file(), Path("model.safetensors"));
  EXPECT_EQ(weights.Take("a", {2}).ToVector<float>(),
            (std::vector<float>{1, 2}));
}

TEST_F(WeightFiles, DtypesThatNobodyNeedsAreSkipped) {
  const std::string header =
      R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},)"
      R"("mask":{"dtype":"BOOL","shape":[2],"data_offsets":[2,4]}})";
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  const std::string one("\x00\x3c", 2);
  folder_.Put("model.safetensors", bytes + header + one + "\1\1");
  SourceWeights weights = Open();
  EXPECT_EQ(weights.Take("a", {1}).ToVector<float>(), std::vector<float>{1});
  EXPECT_EQ(*weights.FindShape("mask"), Shape({2}));
  SourceWeights again = Open();
  weights.Skip("mask");
  weights.CheckAllTaken();
  EXPECT_EQ(MessageOf<FormatError>([&] { again.Take("mask", {2}); })
                .find(Path("model.safetensors") +
                      ": tensor 'mask': dtype \"BOOL\" is none of those"),
            0U);
}

TEST_F(WeightFiles, IndexesThatDoNotFitTheirFilesAreRefused) {
  const std::string index = Path("model.safetensors.index.json");
  Write("1.safetensors", {{"a", Numbers(1)}});
  WriteIndex(R"({"weight_map": {"a": "1.safetensors", "b": "1.safetensors"}})");
  EXPECT_EQ(Error(), Path("1.safetensors") + ": tensor 'b' is missing, which " +
                         index + " names");
  WriteIndex(R"({"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}})");
  EXPECT_EQ(Error<IoError>(), Path("2.safetensors") + ": missing; by " + index +
                                  " it holds tensor 'b'");
  Write("2.safetensors", {{"a", Numbers(1)}, {"b", Numbers(1)}});
  EXPECT_EQ(Error(), Path("2.safetensors") + ": tensor 'a' is also in " +
                         Path("1.safetensors"));
  Write("2.safetensors", {{"b", Numbers(1)}});
  EXPECT_TRUE(Open().Has("b"));
  fs::resize_file(Path("2.safetensors"), 80);
  EXPECT_EQ(Error().find(Path("2.safetensors")), 0U) << Error();
}

TEST_F(WeightFiles, IndexesNameFilesOfTheFolderAlone) {
  for (const char* file :
       {"../x", "a/b.safetensors", "/etc/passwd", "..", ".", "", "a\\u0000"}) {
    WriteIndex(std::string(R"({"weight_map": {"w": ")") + file + R"("}})");
    EXPECT_EQ(Error().find(Path("model.safetensors.index.json") +
                           ": weight_map: tensor 'w' is in \""),
              0U)
        << Error();
  }
  WriteIndex(R"({"weight_map": {"w": 7}})");
  EXPECT_NE(Error().find("tensor 'w' is in 7, which is no file of the folder"),
            std::string::npos);
  for (const char* text : {"{}", "[]", "7", R"({"weight_map": null})",
                           R"({"weight_map": []})", R"({"weight_map": {}})"}) {
    WriteIndex(text);
    EXPECT_NE(Error().find("weight_map is no object"), std::string::npos);
  }
  WriteIndex(R"({"weight_map": {"w": "a", "w": "b"}})");
  EXPECT_NE(Error().find("twice"), std::string::npos);
  WriteIndex(R"({"weight_map")");
  EXPECT_EQ(Error().find(Path("model.safetensors.index.json")), 0U);
}

TEST_F(WeightFiles, FolderWithoutWeightsNamesTheMissingFile) {
  EXPECT_NE(Error<IoError>().find(Path("model.safetensors")),
            std::string::npos);
}

TEST_F(WeightFiles, FilesOfOtherFormatsAreRefusedWithARemedy) {
  const std::pair<const char*, const char*> cases[] = {
      {"pytorch_model.bin", "a pickle"},
      {"pytorch_model-00001-of-00002.bin", "safe_serialization=True"},
      {"model.pt", "a pickle"},
      {"model.pth", "a pickle"},
      {"flax_model.msgpack", "from_flax=True"},
      {"tf_model.h5", "from_tf=True"},
      {"model-Q4_K_M.gguf", "the folder of Hugging Face"},
      {"adapter_config.json", "merge_and_unload"},
  };
  for (const auto& [file, remedy] : cases) {
    const TemporaryFolder folder;
    const std::string path = folder.Put(file, "x");
    // The file is named if there is a config.json, if not, and by itself.
    for (const std::string& source : {folder.path().string(), path}) {
      const std::string error =
          MessageOf<FormatError>([&] { Import(source, {}); });
      EXPECT_EQ(error.find(path + ": "), 0U) << error;
      EXPECT_NE(error.find(remedy), std::string::npos) << error;
    }
    folder.Put("config.json", R"({"model_type": "bert"})");
    EXPECT_EQ(MessageOf<FormatError>([&] {
                ImportHuggingFace(folder.path());
              }).find(path + ": "),
              0U);
  }
}

TEST_F(WeightFiles, OtherFormatsBesideSafetensorsAreNotInTheWay) {
  Write("model.safetensors", {{"a", Numbers(1)}});
  for (const char* file : {"pytorch_model.bin", "tf_model.h5", "m.gguf"}) {
    folder_.Put(file, "x");
  }
  RefuseForeignWeights(folder_.path());
  folder_.Put("adapter_config.json", "{}");
  EXPECT_NE(MessageOf<FormatError>([&] {
              RefuseForeignWeights(folder_.path());
            }).find("an adapter"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
