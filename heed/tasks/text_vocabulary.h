// The one vocabulary of tasks that read text: its settings and its file.
#ifndef HEED_TASKS_TEXT_VOCABULARY_H_
#define HEED_TASKS_TEXT_VOCABULARY_H_

#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/text/vocabulary.h"
#include "heed/train/model_folder.h"

namespace heed {

struct TextVocabularyConfig {
  std::string vocabulary = "unigram";
  int vocabulary_size = 0;
  int min_count = 1;
  bool lowercase = false;

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

/// The file of this name. Throws: FormatError if there is none.
const std::string& FindFile(const ModelFiles& files, const std::string& folder,
                            const std::string& name);

/// The vocabulary of the file of this name. Throws: FormatError, as above.
Vocabulary FindVocabulary(const ModelFiles& files, const std::string& folder,
                          const std::string& name, VocabularyKind kind);
/// CRC-32 of lines, to tell one text from another.
std::string CheckSumOf(std::span<const std::string> lines);

}  // namespace heed

#endif  // HEED_TASKS_TEXT_VOCABULARY_H_
