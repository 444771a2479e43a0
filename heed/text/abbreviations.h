// Abbreviations: words that end with a full stop without ending a sentence.
#ifndef HEED_TEXT_ABBREVIATIONS_H_
#define HEED_TEXT_ABBREVIATIONS_H_

#include <string>
#include <string_view>
#include <unordered_set>

namespace heed {

/// Abbreviations of one language. Words are given without the final full stop:
/// "Dr", "z.B".
class Abbreviations {
 public:
  /// Lists of a language by its code ("de", "pt-BR"); for "" and an unknown
  /// language the titles of all languages. Thread-safe.
  static const Abbreviations& Of(std::string_view language);

  /// True if the word never ends a sentence: "Dr", "e.g".
  bool GoesOn(std::string_view word) const;
  /// True if the word may be inside a sentence or at its end: "Inc", "Jr".
  bool MayGoOn(std::string_view word) const;
  /// True if the word is any abbreviation of the language.
  bool IsKnown(std::string_view word) const {
    return GoesOn(word) || MayGoOn(word) || Ends(word);
  }
  /// True if an abbreviation that looks like initials ("p.m") ends a sentence
  /// before a capital letter.
  bool Ends(std::string_view word) const;
  /// True if the word is an abbreviation only before a number: "no", "Fig".
  bool NeedsNumber(std::string_view word) const;
  /// True if the word, capitalised, begins a sentence, like articles and
  /// pronouns.
  bool BeginsSentence(std::string_view word) const;
  /// True if "3." between these two words is an ordinal number: "am 3. Mai".
  bool IsOrdinal(std::string_view before, std::string_view after) const;
  /// True if the language writes ordinal numbers with a full stop.
  bool has_ordinals() const { return has_ordinals_; }
  /// True if the word is the name of a month, which follows ordinal numbers:
  /// "Mai".
  bool IsMonth(std::string_view word) const;

 private:
  friend struct AbbreviationTables;
  using Words = std::unordered_set<std::string>;

  Words go_on_;
  Words may_go_on_;
  Words ends_;
  Words before_number_;
  Words first_words_;
  Words before_ordinal_;
  Words months_;
  Words ordinary_;
  bool has_ordinals_ = false;
};

}  // namespace heed

#endif  // HEED_TEXT_ABBREVIATIONS_H_
