#include "heed/text/sentences.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <cstddef>
#include <memory>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

// Reading the rules takes longer than most translations of a word.
const icu::BreakIterator& SentenceRules() {
  static const std::unique_ptr<const icu::BreakIterator> rules = [] {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<const icu::BreakIterator> made(
        icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(),
                                                   error));
    if (U_FAILURE(error)) throw Error("ICU has no rules for sentences");
    return made;
  }();
  return *rules;
}

// The bytes of the first part of a sentence: all of it if it is short enough.
size_t FirstPart(std::string_view sentence) {
  constexpr std::string_view kMarks[] = {",", ";", ":", "，", "、"};
  // A character has at most four bytes.
  const auto characters =
      Utf8Characters(sentence.substr(0, 4 * (kLongestSentence + 1)));
  if (std::ssize(characters) <= kLongestSentence) return sentence.size();
  size_t space = 0;
  size_t after_mark = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < static_cast<size_t>(kLongestSentence); ++i) {
    bytes += characters[i].size();
    if (characters[i] == " " || characters[i] == "\t") space = bytes;
    for (const std::string_view mark : kMarks) {
      if (characters[i] == mark) after_mark = bytes;
    }
  }
  if (after_mark > bytes / 2) return after_mark;
  return space > 0 ? space : bytes;
}

}  // namespace

std::vector<std::string_view> SplitSentences(std::string_view line) {
  UErrorCode error = U_ZERO_ERROR;
  std::unique_ptr<UText, decltype(&utext_close)> text(
      utext_openUTF8(nullptr, line.data(), static_cast<int64_t>(line.size()),
                     &error),
      utext_close);
  const std::unique_ptr<icu::BreakIterator> breaks(SentenceRules().clone());
  breaks->setText(text.get(), error);
  if (U_FAILURE(error)) throw Error("ICU cannot read a line");
  std::vector<std::string_view> parts;
  int32_t begin = breaks->first();
  for (int32_t end = breaks->next(); end != icu::BreakIterator::DONE;
       begin = end, end = breaks->next()) {
    std::string_view sentence = line.substr(static_cast<size_t>(begin),
                                            static_cast<size_t>(end - begin));
    while (!sentence.empty()) {
      const size_t size = FirstPart(sentence);
      parts.push_back(sentence.substr(0, size));
      sentence.remove_prefix(size);
    }
  }
  return parts;
}

}  // namespace heed
