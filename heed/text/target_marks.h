// Target language marks of multi-target models.
#ifndef HEED_TEXT_TARGET_MARKS_H_
#define HEED_TEXT_TARGET_MARKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

/// Marks that select the target language of a model: ">>fra<<" before each
/// sentence, one token of the source vocabulary, as in multilingual models of
/// OPUS-MT. Immutable.
class TargetMarks {
 public:
  /// Collects the marks of a source vocabulary; most vocabularies have none.
  explicit TargetMarks(const Vocabulary& source);

  bool empty() const { return marks_.empty(); }
  /// Language codes in the form of LanguageCode, sorted, without duplicates.
  std::vector<std::string> Languages() const;
  /// The mark for a language: an exact match of the name (">>cmn_Hans<<" for
  /// "cmn_Hans"), else the nearest code (see LanguageDistance); empty if there
  /// is none.
  std::string MarkFor(std::string_view language) const;
  /// The mark for a language. Throws: ConfigError that lists the languages.
  std::string NeedMarkFor(std::string_view language) const;
  /// The mark at the start of a text, after white space; empty if there is
  /// none.
  std::string_view LeadingMark(std::string_view text) const;

 private:
  struct Mark {
    std::string text;      // ">>fra<<"
    std::string language;  // "fr"
  };
  std::vector<Mark> marks_;
};

/// A text without its mark, and the mark; empty if it has none.
struct MarkAndText {
  std::string mark;
  std::string_view text;
};

/// Separates the mark and the following space from a text. `usual` is the
/// default mark.
MarkAndText TakeMark(const TargetMarks& marks, std::string_view text,
                     std::string_view usual = {});

/// A sentence as model input: its mark or `usual`, a space and the words. A
/// sentence without words becomes empty; without marks it is unchanged.
std::string WithMark(const TargetMarks& marks, std::string_view sentence,
                     std::string_view usual = {});

}  // namespace heed

#endif  // HEED_TEXT_TARGET_MARKS_H_
