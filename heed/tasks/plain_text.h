// Line-based plain text and the files that it is read from.
#ifndef HEED_TASKS_PLAIN_TEXT_H_
#define HEED_TASKS_PLAIN_TEXT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/tasks/text_store.h"

namespace heed {

/// Role of a line: a sequence of its own, or a continuation of the line before
/// it.
enum class TextUnit : uint8_t { kLines, kStream };
constexpr auto WordsOf(TextUnit) { return std::array{"lines", "stream"}; }

/// Training and validation text, one element per line.
struct PlainText {
  std::vector<std::string> train;
  std::vector<std::string> valid;
  /// Number of lines of each file of `train`; empty for one file.
  std::vector<int64_t> lines_of_files = {};
  /// The store of a text that is larger than memory; `train` is then a sample.
  std::shared_ptr<const TextStore> store = {};

  /// Checksum to detect changes of the text.
  std::string Checksum() const;
};

/// The files of training and validation text.
struct PlainTextFiles {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  std::vector<std::string> columns = {"text"};

  /// `help`: help of the option for the training text.
  void Visit(FieldList& v,
             const char* help = "training text, line by line (.gz too)");
  /// Reads the files. Throws: ConfigError if there is no training file; as
  /// ReadAllLines, TextStore.
  PlainText Read(const LargeTextConfig& large = {}, bool quiet = false) const;
};

/// The files of a held-out text for evaluation.
struct EvaluatedText {
  std::vector<std::string> texts;
  std::vector<std::string> columns = {"text"};

  void Visit(FieldList& v,
             const char* help = "text to predict, line by line (.gz too)");
  /// Reads the lines. Throws: ConfigError if there is no file; as ReadAllLines.
  std::vector<std::string> Lines() const;
};

/// Adds the options batch_`units` ("tokens") and batch_texts of a task; the
/// help calls the examples `texts`.
void VisitBatches(FieldList& v, const std::string& units, int& batch_units,
                  const std::string& texts, int& batch_texts);

}  // namespace heed

#endif  // HEED_TASKS_PLAIN_TEXT_H_
