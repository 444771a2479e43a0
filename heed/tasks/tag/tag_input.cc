#include "heed/tasks/tag/tag_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/tasks/explainable_prediction.h"
#include "heed/text/pieces.h"

namespace heed::tag {
namespace {

constexpr const char* kWordsFile = "words.txt";
constexpr const char* kCharactersFile = "characters.txt";

class FeatureInput : public TagInput {
 public:
  FeatureInput(WordFeaturesConfig features, WordEncoder words)
      : features_(std::move(features)), words_(std::move(words)) {}

  ModelFiles Files() const override {
    ModelFiles files = {{kWordsFile, words_.words().Serialize()},
                        {kCharactersFile, words_.characters().Serialize()}};
    if (vectors() != nullptr) files[kWordVectorsFile] = vectors()->Serialize();
    return files;
  }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    std::vector<std::pair<std::string, int64_t>> sizes = {
        {"words", words_.words().size()},
        {"characters", words_.characters().size()}};
    if (vectors() != nullptr) {
      sizes.emplace_back("word vectors", vectors()->size());
    }
    return sizes;
  }
  TagSentences Encode(std::span<const Words> sentences) const override {
    WordCorpus corpus = words_.Encode(sentences);
    std::vector<std::vector<int32_t>> ids = corpus.words;
    return {std::move(ids), [corpus = std::move(corpus),
                             words = words_](std::span<const int64_t> indices) {
              const WordBatch batch =
                  MakeWordBatch(corpus, words.vectors(), indices);
              return SentenceBatch{
                  {batch.words, batch.spelling, batch.characters, batch.casings,
                   batch.vectors},
                  {},
                  batch.lengths};
            }};
  }
  Axis SourceAxis(const Words& sentence) const override {
    return NamesAxis("source", "Text", sentence);
  }
  std::unique_ptr<SentenceEncoder> MakeEncoder(
      const Scope& scope, const EncoderSettings& encoder,
      bool /*with_intents*/) const override {
    const WordSizes sizes = {words_.words().size(), words_.characters().size(),
                             kCasings, kUnk,
                             vectors() == nullptr ? 0 : vectors()->features()};
    return std::make_unique<FeatureEncoder>(
        scope, features_, sizes, [&](const Scope& inner, int64_t inputs) {
          return encoder.Make(inner, inputs, /*causal=*/false);
        });
  }

 private:
  const WordVectors* vectors() const { return words_.vectors(); }

  WordFeaturesConfig features_;
  WordEncoder words_;
};

class PieceInput : public TagInput {
 public:
  PieceInput(Vocabulary vocabulary, std::string file,
             const PieceOptions& options)
      : vocabulary_(std::move(vocabulary)),
        file_(std::move(file)),
        options_(options) {}

  ModelFiles Files() const override {
    return {{file_, vocabulary_.Serialize()}};
  }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary_.size()}};
  }
  TagSentences Encode(std::span<const Words> sentences) const override {
    PieceCorpus corpus = EncodePieces(vocabulary_, sentences, options_);
    std::vector<std::vector<int32_t>> ids(corpus.size());
    for (size_t i = 0; i < corpus.size(); ++i) {
      for (const PieceChunk& chunk : corpus[i]) {
        ids[i].insert(ids[i].end(), chunk.ids.begin(), chunk.ids.end());
      }
    }
    return {std::move(ids),
            [corpus = std::move(corpus)](std::span<const int64_t> indices) {
              const PieceBatch pieces = MakePieceBatch(corpus, indices);
              return SentenceBatch{{},
                                   {pieces.ids, pieces.chunk_lengths,
                                    pieces.first, pieces.start},
                                   pieces.lengths};
            }};
  }
  Axis SourceAxis(const Words& sentence) const override {
    std::vector<int32_t> ids;
    std::vector<std::string> pieces;
    size_t word = 0;
    for (const PieceChunk& chunk :
         CutIntoPieces(vocabulary_, sentence, options_)) {
      const size_t begin = ids.size();
      ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
      for (const int32_t id : chunk.ids) {
        pieces.push_back(vocabulary_.Piece(id));
      }
      for (const int32_t first : chunk.first) {
        const size_t at = begin + static_cast<size_t>(first);
        const std::string& read = sentence[word++];
        if (ids[at] == vocabulary_.special().unk) pieces[at] = read;
      }
    }
    return InputTokenAxis("source", "Text", vocabulary_, ids,
                          std::move(pieces));
  }
  std::unique_ptr<SentenceEncoder> MakeEncoder(
      const Scope& scope, const EncoderSettings& encoder,
      bool with_intents) const override {
    return std::make_unique<PieceEncoder>(
        scope,
        encoder.MakeText(scope / "encoder", {.vocabulary = vocabulary_.size()}),
        with_intents);
  }

 private:
  Vocabulary vocabulary_;
  std::string file_;
  PieceOptions options_;
};

/// Maximum input length of an encoder: limited by its positions.
int LimitOf(int max_length, int positions) {
  if (positions == 0) return max_length;
  if (max_length > positions) {
    throw ConfigError("max_length: {} tokens, but the model knows {} positions",
                      max_length, positions);
  }
  return max_length == 0 ? positions : max_length;
}

}  // namespace

bool ReadsPieces(const std::string& model) {
  return HasRole<PretrainingSettings>(model);
}

std::unique_ptr<TagInput> LearnTagInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    std::span<const Words> sentences) {
  if (!ReadsPieces(encoder.name())) {
    return std::make_unique<FeatureInput>(
        config.features, WordEncoder::Train(sentences, config.words));
  }
  std::vector<std::string> lines;
  for (const Words& words : sentences) {
    lines.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return MakePieceInput(config, encoder,
                        config.vocabulary.Learn(std::move(lines)));
}

std::unique_ptr<TagInput> FindTagInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    const ModelFiles& files, const std::string& folder) {
  if (ReadsPieces(encoder.name())) {
    return MakePieceInput(config, encoder,
                          config.vocabulary.Find(files, folder));
  }
  const auto find = [&](const char* file, VocabularyKind kind) {
    return FindVocabulary(files, folder, file, kind);
  };
  std::shared_ptr<const WordVectors> vectors;
  if (!config.words.word_vectors.empty()) {
    vectors = std::make_shared<WordVectors>(
        WordVectors::Parse(FindFile(files, folder, kWordVectorsFile),
                           PathIn(folder, kWordVectorsFile)));
  }
  return std::make_unique<FeatureInput>(
      config.features,
      WordEncoder(find(kWordsFile, VocabularyKind::kWords),
                  find(kCharactersFile, VocabularyKind::kCharacters),
                  config.words.normalize_words, std::move(vectors)));
}

std::unique_ptr<TagInput> MakePieceInput(
    const TagInputConfig& config, const ModelChoice<EncoderSettings>& encoder,
    Vocabulary vocabulary) {
  return std::make_unique<PieceInput>(
      std::move(vocabulary), config.vocabulary.FileName(),
      PieceOptions{LimitOf(config.max_length, encoder->positions()),
                   config.vocabulary.lowercase});
}

}  // namespace heed::tag
