#include "heed/convert/marian_package.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "heed/base/errors.h"
#include "heed/convert/testing.h"
#include "heed/decode/translator.h"
#include "heed/io/file.h"
#include "heed/io/npz.h"
#include "heed/tasks/translate/translation.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

/// A package in OPUS-MT's format: the model of marian_post.npz, whose joint
/// SentencePiece vocabulary is a list of pieces here.
class MarianPackage : public testing::Test {
 protected:
  MarianPackage() {
    folder_.Put("opus.npz.best-perplexity.npz",
                ReadFile(Golden("marian_post.npz")));
    folder_.Put("opus.npz.optimizer.npz", "not read");
    folder_.Put("README.md", "not read");
    folder_.Put("opus.vocab.yml", PiecesOf(Golden("marian.spm")));
    folder_.Put("source.spm", ReadFile(Golden("marian.spm")));
    folder_.Put("target.spm", ReadFile(Golden("marian.spm")));
    Decoder("opus.vocab.yml");
  }

  /// Writes decoder.yml with one vocabulary for both sides and further lines.
  void Decoder(const std::string& vocabulary, const std::string& more = "") {
    folder_.Put("decoder.yml",
                "relative-paths: true\n"
                "models:\n  - opus.npz.best-perplexity.npz\n"
                "vocabs:\n  - " +
                    vocabulary + "\n  - " + vocabulary + "\n" + more);
  }
  /// Ids of the pieces of a SentencePiece model, as YAML.
  static std::string PiecesOf(const std::string& spm) {
    std::string yaml;
    const auto model = SentencePieceModel::Parse(ReadFile(spm), spm);
    for (size_t i = 0; i < model.pieces.size(); ++i) {
      yaml += "\"" + model.pieces[i].text + "\": " + std::to_string(i) + "\n";
    }
    return yaml;
  }
  translate::Model Read(const std::string& source,
                        const ImportRequest& request = {}) {
    Imported imported = Import(source, request);
    notes_ = imported.notes;
    WriteImported(folder_.Path("model"), true, imported);
    return translate::ReadTranslationModel(folder_.Path("model"));
  }
  std::string Error(const ImportRequest& request = {}) const {
    return MessageOf<AnyError>([&] { Import(folder_.path(), request); });
  }

  using AnyError = heed::Error;
  TemporaryFolder folder_;
  Notes notes_;
};

/// Expects the translations of a model imported with the .spm file.
void ExpectSameModel(const translate::Model& found) {
  const Imported direct = Import(Golden("marian_post.npz"),
                                 {.vocabularies = {Golden("marian.spm")}});
  const auto& expected = dynamic_cast<translate::Model&>(*direct.model);
  const std::string line = "the old dog sees the fluss";
  EXPECT_EQ(found.vocabularies.source.Encode(line),
            expected.vocabularies.source.Encode(line));
  const auto translate = [&](const translate::Model& model) {
    const Translator translator(*model.model, model.vocabularies.source,
                                model.vocabularies.target, false,
                                DecodeOptions(model.data.rules));
    return translator.Translate({{line}}).at(0).at(0).text;
  };
  EXPECT_EQ(translate(found), translate(expected));
  EXPECT_EQ(translate(found).find("\xE2\x96\x81"), std::string::npos);
}

TEST_F(MarianPackage, FolderAndFileGiveTheSameModel) {
  ExpectSameModel(Read(folder_.path()));
  ExpectSameModel(Read(folder_.Path("opus.npz.best-perplexity.npz")));
  EXPECT_TRUE(notes_.empty());
}

TEST_F(MarianPackage, PathOfAnotherMachineIsFoundBesideTheModel) {
  Decoder("/home/user/train/opus.vocab.yml");
  ExpectSameModel(Read(folder_.path()));
  Decoder("/home/user/train/gone.yml");
  EXPECT_NE(Error().find("names the vocabulary /home/user/train/gone.yml, "
                         "which is neither there nor in the model's folder"),
            std::string::npos);
}

TEST_F(MarianPackage, AModelThatTheConfigurationMisnamesIsReadWithAWarning) {
  fs::rename(folder_.Path("opus.npz.best-perplexity.npz"),
             folder_.Path("other.npz"));
  testing::internal::CaptureStderr();
  ExpectSameModel(Read(folder_.path()));
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "decoder.yml: names the model "),
            std::string::npos);
}

TEST_F(MarianPackage, WithoutAConfigurationTheFilesAreFound) {
  fs::remove(folder_.Path("decoder.yml"));
  ExpectSameModel(Read(folder_.path()));
  folder_.Put("other.npz", "x");
  EXPECT_NE(Error().find("holds 2 models of Marian"), std::string::npos);
}

TEST_F(MarianPackage, ListsOfTokensAndTwoVocabulariesAreRead) {
  std::string lines;
  const auto model =
      SentencePieceModel::Parse(ReadFile(Golden("marian.spm")), "marian.spm");
  for (const auto& piece : model.pieces) lines += piece.text + "\t-1\n";
  folder_.Put("m.src.vocab", lines);
  folder_.Put("m.trg.vocab", lines);
  fs::remove(folder_.Path("opus.vocab.yml"));
  fs::remove(folder_.Path("decoder.yml"));
  ExpectSameModel(Read(folder_.path()));
}

TEST_F(MarianPackage, PiecesWithoutTheirModelAreRefusedWithAWayOut) {
  fs::remove(folder_.Path("source.spm"));
  EXPECT_NE(Error().find("give them with --spm SOURCE --spm TARGET"),
            std::string::npos);
  ExpectSameModel(Read(folder_.path(), {.subwords = {Golden("marian.spm")}}));
  const translate::Model divided = Read(folder_.path(), {.subwords = {"none"}});
  EXPECT_EQ(divided.vocabularies.source.kind(), VocabularyKind::kWords);
}

TEST_F(MarianPackage, BytePairEncodingIsRefusedWithAWayOut) {
  std::string words = "\"</s>\": 0\n\"<unk>\": 1\n";
  for (int i = 2; i < 45; ++i) {
    words += "\"w" + std::to_string(i) + (i % 2 == 0 ? "@@" : "") +
             "\": " + std::to_string(i) + "\n";
  }
  folder_.Put("opus.vocab.yml", words);
  folder_.Put("source.bpe", "#version: 0.2\nw 2\n");
  EXPECT_NE(Error().find("byte-pair encoding (subword-nmt"), std::string::npos);
  EXPECT_NE(Error().find("--spm none"), std::string::npos);
  EXPECT_NO_THROW(Read(folder_.path(), {.subwords = {"none"}}));
}

TEST_F(MarianPackage, SearchFollowsTheDecoderOptions) {
  translate::Model model = Read(folder_.path());
  EXPECT_EQ(model.data.rules.suppress, (std::vector<std::string>{"<unk>"}));
  EXPECT_EQ(model.data.rules.max_length_factor, 3);
  EXPECT_EQ(model.data.rules.max_length_extra, 0);
  Decoder("opus.vocab.yml",
          "allow-unk: true\nmax-length-factor: 1.5\nbeam-size: 6\n");
  model = Read(folder_.path());
  EXPECT_TRUE(model.data.rules.suppress.empty());
  EXPECT_EQ(model.data.rules.max_length_factor, 1.5);
  EXPECT_EQ(model.data.rules.beam, 6);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("--length-penalty"), std::string::npos);
  Decoder("opus.vocab.yml", "beam-size: 1001\n");
  EXPECT_NE(Error().find("beam-size: 1001 is not between 1 and 1000"),
            std::string::npos);
}

TEST_F(MarianPackage, ABinaryModelIsTheSame) {
  std::string headers, names, shapes, elements;
  const auto number = [](uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const auto tensors = ReadNpz(Golden("marian_post.npz"));
  for (const NamedTensor& tensor : tensors) {
    const bool text = tensor.value.dtype() == DType::kI8;
    const std::string data(
        static_cast<const char*>(tensor.value.raw()),
        static_cast<size_t>(tensor.value.numel()) * (text ? 1 : sizeof(float)));
    headers += number(tensor.name.size() + 1) + number(text ? 0x101 : 0x404) +
               number(static_cast<uint64_t>(tensor.value.rank())) +
               number(data.size());
    names += tensor.name + '\0';
    for (int axis = 0; axis < tensor.value.rank(); ++axis) {
      const auto dim = static_cast<int32_t>(tensor.value.dim(axis));
      shapes.append(reinterpret_cast<const char*>(&dim), sizeof(dim));
    }
    elements += data;
  }
  fs::remove(folder_.Path("opus.npz.best-perplexity.npz"));
  folder_.Put("opus.bin", number(1) + number(tensors.size()) + headers + names +
                              shapes + number(0) + elements);
  ExpectSameModel(Read(folder_.path()));
}

}  // namespace
}  // namespace heed
