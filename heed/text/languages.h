// Codes of languages: how they are written, and which one stands for another.
#ifndef HEED_TEXT_LANGUAGES_H_
#define HEED_TEXT_LANGUAGES_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Codes as LanguageCode gives them ("de", "pt-BR"); empty: not known.
struct LanguagePair {
  std::string source;
  std::string target;
};

/// The code of a language as clients of LibreTranslate know it, whatever its
/// case and however it was written: "de" of "DE" and "deu", "zh-Hans" of "zh",
/// "zh_CN" and "cmn_Hans", "zh-Hant" of "zt" and "zh-TW", "pt-BR" of "pb", "nb"
/// of "no". Any other text stays as it is.
std::string LanguageCode(std::string_view code);

/// Whether a text has the form of a code: two or three letters, then parts of
/// letters and digits behind dashes or underscores.
bool IsLanguageCode(std::string_view text);

/// English name of a language: "German"; the code itself if Unicode's tables do
/// not have it.
std::string LanguageName(const std::string& code);

/// Whether Unicode's tables have the language: of "de" and "fra_Latn", not of
/// "xx" and "txt".
bool IsKnownLanguage(std::string_view code);

/// How far the language `served` is from the one that is `wanted`, both as
/// LanguageCode gives them: 0 if they are equal, more for each part of the
/// wanted code that is given up ("pt-BR" for "pt"), most for another region or
/// script of the same language. Nothing for different languages.
std::optional<int> LanguageDistance(std::string_view wanted,
                                    std::string_view served);

/// The code without its region: "en" of "en-US"; "zh-Hant" stays.
std::string WithoutRegion(std::string_view code);

/// The languages of parallel files by their names: the ending (train.de.gz and
/// train.en), or the parts in which the two names differ (de/train.txt and
/// en/train.txt). A side is empty if its files do not tell, or disagree.
LanguagePair LanguagesOfFiles(std::span<const std::string> source,
                              std::span<const std::string> target);

/// The languages of a table by its name: "pairs.en-de.tsv".
LanguagePair LanguagesOfTable(std::string_view path);

}  // namespace heed

#endif  // HEED_TEXT_LANGUAGES_H_
