// Marks of target languages in the text of multi-target models.
#ifndef HEED_TEXT_TARGET_MARKS_H_
#define HEED_TEXT_TARGET_MARKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// The marks by which a model learns what language to write: ">>fra<<" in front
/// of each sentence, one token of the source vocabulary, as multilingual models
/// of OPUS-MT have it. Immutable.
class TargetMarks {
 public:
  /// The marks of a source vocabulary; most have none.
  explicit TargetMarks(const Vocabulary& source);

  bool empty() const { return marks_.empty(); }
  /// Codes of the languages, as LanguageCode gives them, sorted, each once.
  std::vector<std::string> Languages() const;
  /// The mark for a language: of the very name (">>cmn_Hans<<" for "cmn_Hans"),
  /// else of the nearest code (see LanguageDistance); empty if there is none.
  std::string MarkFor(std::string_view language) const;
  /// MarkFor. Throws: ConfigError that lists the languages.
  std::string NeedMarkFor(std::string_view language) const;
  /// The mark that a text begins with, behind white space; empty if there is
  /// none.
  std::string_view LeadingMark(std::string_view text) const;

 private:
  struct Mark {
    std::string text;      // ">>fra<<"
    std::string language;  // "fr"
  };
  std::vector<Mark> marks_;
};

/// A text and the mark in front of it, empty if it has none.
struct MarkAndText {
  std::string mark;
  std::string_view text;
};

/// Takes the mark and the space behind it off a text; `usual` is that of a text
/// without one.
MarkAndText TakeMark(const TargetMarks& marks, std::string_view text,
                     std::string_view usual = {});

/// A sentence as the model reads it: its mark, else `usual`, a space and the
/// words. Without words nothing; without marks the sentence as it is.
std::string WithMark(const TargetMarks& marks, std::string_view sentence,
                     std::string_view usual = {});

}  // namespace heed

#endif  // HEED_TEXT_TARGET_MARKS_H_
