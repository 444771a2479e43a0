// Words that end with a full stop without ending a sentence.
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
  /// The lists of a language by its code ("de", "pt-BR"); for "" and for an
  /// unknown language the titles of all. Thread-safe.
  static const Abbreviations& Of(std::string_view language);

  /// Whether the word never ends a sentence: "Dr", "e.g".
  bool GoesOn(std::string_view word) const;
  /// Whether the word may stand inside a sentence or at its end: "Inc", "Jr".
  bool MayGoOn(std::string_view word) const;
  /// Whether the word is any abbreviation of the language.
  bool IsKnown(std::string_view word) const {
    return GoesOn(word) || MayGoOn(word) || Ends(word);
  }
  /// Whether an abbreviation that looks like initials ("p.m") ends a sentence
  /// before a capital letter.
  bool Ends(std::string_view word) const;
  /// Whether the word belongs to a number that follows: "no", "Fig".
  bool NeedsNumber(std::string_view word) const;
  /// Whether the word, written with a capital letter, begins a sentence, as
  /// articles and pronouns do.
  bool BeginsSentence(std::string_view word) const;
  /// Whether "3." between these two words is an ordinal number: "am 3. Mai".
  bool IsOrdinal(std::string_view before, std::string_view after) const;
  /// Whether a number with a full stop can be an ordinal number.
  bool has_ordinals() const { return has_ordinals_; }
  /// Whether the word is a month that ordinal numbers stand before: "Mai".
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
