// The vocabulary of tasks that read text: its settings and its file.
#ifndef HEED_TASKS_TEXT_VOCABULARY_H_
#define HEED_TASKS_TEXT_VOCABULARY_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/labelled.h"
#include "heed/models/text_encoder.h"
#include "heed/text/vocabulary.h"
#include "heed/text/word_vectors.h"
#include "heed/train/model_folder.h"

namespace heed {

/// Adds the option --normalization.
void VisitNormalization(FieldList& v, std::string& normalization);

struct TextVocabularyConfig {
  std::string vocabulary = "unigram";
  int vocabulary_size = 0;
  int min_count = 1;
  bool lowercase = false;
  std::string normalization = "nmt_nfkc";

  /// `kinds`: the vocabulary kinds that the task supports.
  void Visit(FieldList& v, std::vector<std::string> kinds);
  /// Replaces 0 by the default values.
  void Resolve();

  /// Learns the vocabulary. Throws: ConfigError if there is no text.
  Vocabulary Learn(std::vector<std::string> lines) const;
  /// Name of the vocabulary file in a model folder.
  std::string FileName() const;
  /// Returns a note such as "vocabulary of 8000 tokens", with the reason if the
  /// size differs from the requested one.
  std::string Note(const Vocabulary& learned) const;
  /// Reads the vocabulary from a model's files. Throws: FormatError that names
  /// the file in `folder`.
  Vocabulary Find(const ModelFiles& files, const std::string& folder) const;
};

/// The file of pretrained word vectors in a model folder.
inline constexpr const char* kWordVectorsFile = "word_vectors.safetensors";

/// Pretrained word vectors, used in addition to learnt embeddings.
struct WordVectorConfig {
  std::string word_vectors;
  int max_vectors = 200000;

  void Visit(FieldList& v);
  /// Throws: ConfigError if there are vectors, but `vocabulary` has no words.
  void Check(const TextVocabularyConfig& vocabulary) const;
  /// Reads the word vectors; null: none. Throws: as WordVectors::Read.
  std::shared_ptr<const WordVectors> Read() const;
  /// Reads the word vectors from a model's files. Throws: FormatError.
  std::shared_ptr<const WordVectors> Find(const ModelFiles& files,
                                          const std::string& folder) const;
};
/// Adds the word vectors, if not null, to the files of a model.
void AddWordVectors(const WordVectors* vectors, ModelFiles& files);
/// Sizes of the vocabulary and of the word vectors (null: none).
TextSizes SizesOf(const Vocabulary& vocabulary, const WordVectors* vectors,
                  int64_t segments = 1);

/// Returns the file of this name. Throws: FormatError if it is missing.
const SharedBytes& FindFile(const ModelFiles& files, const std::string& folder,
                            const std::string& name);

/// Reads the vocabulary from the file of this name. Throws: FormatError if it
/// is missing or malformed.
Vocabulary FindVocabulary(const ModelFiles& files, const std::string& folder,
                          const std::string& name, VocabularyKind kind);
/// Converts a batch to the input of a model.
TextInput InputOf(const LabelledBatch& batch);
/// CRC-32 of the lines, to detect changes of a text.
std::string ComputeChecksum(std::span<const std::string> lines);

}  // namespace heed

#endif  // HEED_TASKS_TEXT_VOCABULARY_H_
