// Plain text, line by line, and the files that it comes from.
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

/// What is learned from, line by line.
struct PlainText {
  std::vector<std::string> train;
  std::vector<std::string> valid;
  /// Lines of each file of `train`, or none for one.
  std::vector<int64_t> lines_of_files = {};
  /// Of text that is larger than memory: `train` is a sample of it.
  std::shared_ptr<const TextStore> store = {};

  /// Tells one text from another.
  std::string CheckSum() const;
};

/// The files of training and validation text.
struct PlainTextFiles {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  std::vector<std::string> columns = {"text"};

  /// `help`: of the training text.
  void Visit(FieldList& v,
             const char* help = "training text, line by line (.gz too)");
  /// Throws: ConfigError if there is no file to learn from; as ReadAllLines,
  /// TextStore.
  PlainText Read(const LargeTextConfig& large = {}, bool quiet = false) const;
};

/// The files of a text that a model is judged on.
struct EvaluatedText {
  std::vector<std::string> texts;
  std::vector<std::string> columns = {"text"};

  void Visit(FieldList& v,
             const char* help = "text to predict, line by line (.gz too)");
  /// Throws: ConfigError if there is no file; as ReadAllLines.
  std::vector<std::string> Lines() const;
};

/// The options batch_`units` ("tokens") and batch_texts of a task whose
/// examples are called `texts` in their help.
void VisitBatches(FieldList& v, const std::string& units, int& batch_units,
                  const std::string& texts, int& batch_texts);

}  // namespace heed

#endif  // HEED_TASKS_PLAIN_TEXT_H_
