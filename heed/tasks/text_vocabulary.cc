#include "heed/tasks/text_vocabulary.h"

#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/tasks/task.h"

namespace heed {

void VisitNormalization(FieldList& v, std::string& normalization) {
  v("normalization", normalization, OneOf(NormalizationNames()),
    "normalise text before tokenisation by SentencePiece's rule of this name "
    "(words, characters and wordpiece: by NFC and plain spaces for both "
    "rules), or not (identity)");
}

void TextVocabularyConfig::Visit(FieldList& v, std::vector<std::string> kinds) {
  v.Section("Vocabulary");
  v("vocabulary", vocabulary, OneOf(std::move(kinds)),
    "tokens: subwords by SentencePiece (unigram, bpe) or as BERT's "
    "(wordpiece), words or characters; tokenizer: that of an imported model")
      .Alias("vocab");
  v("vocabulary_size", vocabulary_size, Range(0, 1000000),
    "tokens; 0: 8000 subwords, or as many words or characters as there are")
      .Alias("vocab_size");
  v("min_count", min_count, Range(1, 1000000),
    "replace words and characters that occur fewer than N times by <unk>")
      .If(vocabulary == "words" || vocabulary == "characters",
          "--vocabulary words or characters");
  v("lowercase", lowercase, "convert all text to lower case first");
  VisitNormalization(v, normalization);
}

void TextVocabularyConfig::Resolve() {
  constexpr int kDefaultSubwords = 8000;
  const bool subwords = vocabulary != "words" && vocabulary != "characters";
  if (vocabulary_size == 0 && subwords) vocabulary_size = kDefaultSubwords;
}

Vocabulary TextVocabularyConfig::Learn(std::vector<std::string> lines) const {
  if (lowercase) {
    for (std::string& line : lines) line = Lowercase(line);
  }
  VocabularyOptions options;
  options.kind = ParseVocabularyKind(vocabulary);
  options.size = vocabulary_size;
  options.min_count = min_count;
  options.normalization = ParseNormalization(normalization);
  return Vocabulary::Train(lines, options);
}

std::string TextVocabularyConfig::FileName() const {
  return std::string("vocabulary") +
         FileExtension(ParseVocabularyKind(vocabulary));
}

Vocabulary TextVocabularyConfig::Find(const ModelFiles& files,
                                      const std::string& folder) const {
  return FindVocabulary(files, folder, FileName(),
                        ParseVocabularyKind(vocabulary));
}

std::string TextVocabularyConfig::Note(const Vocabulary& learned) const {
  return fmt::format("vocabulary of {} tokens{}", learned.size(),
                     VocabularySizeNote(learned.size(), vocabulary_size));
}

const SharedBytes& FindFile(const ModelFiles& files, const std::string& folder,
                            const std::string& name) {
  const auto file = files.find(name);
  if (file == files.end()) {
    throw FormatError(PathIn(folder, name) + ": missing");
  }
  return file->second;
}

Vocabulary FindVocabulary(const ModelFiles& files, const std::string& folder,
                          const std::string& name, VocabularyKind kind) {
  return Vocabulary::Open(FindFile(files, folder, name), kind,
                          PathIn(folder, name));
}

std::string ComputeChecksum(std::span<const std::string> lines) {
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return fmt::format("{:08x}", Crc32(all));
}

void WordVectorConfig::Visit(FieldList& v) {
  v("word_vectors", word_vectors, Any{"FILE"},
    "frozen pretrained word embeddings, in addition to the learnt ones, in the "
    "text format of word2vec, GloVe or fastText (.gz too)");
  v("max_vectors", max_vectors, AtLeast(0),
    "maximum words to read from --word-vectors; 0: all")
      .If(!word_vectors.empty(), "--word-vectors");
}

void WordVectorConfig::Check(const TextVocabularyConfig& vocabulary) const {
  if (!word_vectors.empty() && vocabulary.vocabulary != "words") {
    throw ConfigError("word_vectors are of words; choose --vocabulary words");
  }
}

std::shared_ptr<const WordVectors> WordVectorConfig::Read() const {
  if (word_vectors.empty()) return nullptr;
  return std::make_shared<const WordVectors>(
      WordVectors::Read(word_vectors, max_vectors));
}

std::shared_ptr<const WordVectors> WordVectorConfig::Find(
    const ModelFiles& files, const std::string& folder) const {
  if (word_vectors.empty()) return nullptr;
  return std::make_shared<const WordVectors>(
      WordVectors::Parse(FindFile(files, folder, kWordVectorsFile),
                         PathIn(folder, kWordVectorsFile)));
}

void AddWordVectors(const WordVectors* vectors, ModelFiles& files) {
  if (vectors != nullptr) files[kWordVectorsFile] = vectors->Serialize();
}

TextSizes SizesOf(const Vocabulary& vocabulary, const WordVectors* vectors,
                  int64_t segments) {
  return {.vocabulary = vocabulary.size(),
          .segments = segments,
          .vectors = vectors == nullptr ? 0 : vectors->features()};
}

TextInput InputOf(const LabelledBatch& batch) {
  return {batch.ids, batch.lengths, batch.segments, batch.sentences,
          batch.vectors};
}

}  // namespace heed
