// The one vocabulary of tasks that read text: its settings and its file.
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

  /// `kinds`: those that the task can use.
  void Visit(FieldList& v, std::vector<std::string> kinds);
  /// Fills in what 0 stands for.
  void Resolve();

  /// Throws: ConfigError if there is no text.
  Vocabulary Learn(std::vector<std::string> lines) const;
  /// As in a model folder.
  std::string FileName() const;
  /// "vocabulary of 8000 tokens", and why not of as many as were asked for.
  std::string Note(const Vocabulary& learnt) const;
  /// Throws: FormatError that names the file in `folder`.
  Vocabulary Find(const ModelFiles& files, const std::string& folder) const;
};

/// The file of pretrained word vectors in a model folder.
inline constexpr const char* kWordVectorsFile = "word_vectors.safetensors";

/// Pretrained word vectors that are read beside learnt embeddings.
struct WordVectorConfig {
  std::string word_vectors;
  int max_vectors = 200000;

  void Visit(FieldList& v);
  /// Throws: ConfigError if there are vectors, but `vocabulary` has no words.
  void Check(const TextVocabularyConfig& vocabulary) const;
  /// Null: none. Throws: as WordVectors::Read.
  std::shared_ptr<const WordVectors> Read() const;
  /// As a model folder has them. Throws: FormatError.
  std::shared_ptr<const WordVectors> Find(const ModelFiles& files,
                                          const std::string& folder) const;
};
/// Adds vectors to the files of a model, if there are some.
void AddWordVectors(const WordVectors* vectors, ModelFiles& files);
/// Of a vocabulary and vectors, if there are some.
TextSizes SizesOf(const Vocabulary& vocabulary, const WordVectors* vectors,
                  int64_t segments = 1);

/// The file of this name. Throws: FormatError if there is none.
const std::string& FindFile(const ModelFiles& files, const std::string& folder,
                            const std::string& name);

/// The vocabulary of the file of this name. Throws: FormatError, as above.
Vocabulary FindVocabulary(const ModelFiles& files, const std::string& folder,
                          const std::string& name, VocabularyKind kind);
/// A batch as models read it.
TextInput InputOf(const LabelledBatch& batch);
/// CRC-32 of lines, to tell one text from another.
std::string CheckSumOf(std::span<const std::string> lines);

}  // namespace heed

#endif  // HEED_TASKS_TEXT_VOCABULARY_H_
