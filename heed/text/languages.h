// Language codes: normal form, names and distances.
#ifndef HEED_TEXT_LANGUAGES_H_
#define HEED_TEXT_LANGUAGES_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Language codes in the form of LanguageCode ("de", "pt-BR"); empty: unknown.
struct LanguagePair {
  std::string source;
  std::string target;
};

/// Language code as used by LibreTranslate, from any case or notation: "de" for
/// "DE" and "deu", "zh-Hans" for "zh", "zh_CN" and "cmn_Hans", "zh-Hant" for
/// "zt" and "zh-TW", "pt-BR" for "pb", "nb" for "no". Any other text is
/// returned unchanged.
std::string LanguageCode(std::string_view code);

/// True if a text has the form of a language code: two or three letters, then
/// parts of letters and digits after dashes or underscores.
bool IsLanguageCode(std::string_view text);

/// English name of a language: "German"; the code itself if Unicode's tables
/// lack it.
std::string LanguageName(const std::string& code);

/// True if Unicode's tables contain the language: for "de" and "fra_Latn", not
/// for "xx" and "txt".
bool IsKnownLanguage(std::string_view code);

/// Distance of the language `served` from the language `wanted`, both in the
/// form of LanguageCode. 0 if they are equal, more for each part of the wanted
/// code that is dropped ("pt-BR" for "pt"), most for another region or script
/// of the same language. Nothing for different languages.
std::optional<int> LanguageDistance(std::string_view wanted,
                                    std::string_view served);

/// The code without its region: "en" for "en-US"; "zh-Hant" is unchanged.
std::string WithoutRegion(std::string_view code);

/// Languages of parallel files, from the extensions (train.de.gz and train.en),
/// or from the parts in which the two names differ (de/train.txt and
/// en/train.txt). A side is empty if its names contain no language or disagree.
LanguagePair LanguagesOfFiles(std::span<const std::string> source,
                              std::span<const std::string> target);

/// Languages of a table from its name: "pairs.en-de.tsv".
LanguagePair LanguagesOfTable(std::string_view path);

}  // namespace heed

#endif  // HEED_TEXT_LANGUAGES_H_
