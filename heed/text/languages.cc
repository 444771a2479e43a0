#include "heed/text/languages.h"

#include <unicode/locid.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr size_t kLongestCode = 16;

constexpr bool IsCodeLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool IsCodeDigit(char c) { return c >= '0' && c <= '9'; }

/// True if the text consists of letters, digits, dashes and underscores.
bool HasCharactersOfCode(std::string_view text) {
  return !text.empty() && text.size() <= kLongestCode &&
         std::ranges::all_of(text, [](char c) {
           return IsCodeLetter(c) || IsCodeDigit(c) || c == '-' || c == '_';
         });
}

/// LibreTranslate's own codes (pb, zh, zt) and other names of these languages,
/// in lower case with dashes.
const std::map<std::string_view, std::string_view> kAliases = {
    {"pb", "pt-BR"},
    {"zh", "zh-Hans"},
    {"zh-cn", "zh-Hans"},
    {"zh-sg", "zh-Hans"},
    {"zh-hans-cn", "zh-Hans"},
    {"zt", "zh-Hant"},
    {"zh-tw", "zh-Hant"},
    {"zh-hk", "zh-Hant"},
    {"zh-mo", "zh-Hant"},
    {"zh-hant-tw", "zh-Hant"},
    {"no", "nb"},
    {"iw", "he"},
    {"in", "id"},
    {"ji", "yi"},
    {"fil", "tl"}};

/// File extensions that are also language codes in Unicode's tables.
constexpr std::array<std::string_view, 5> kEndings = {"src", "tok", "in", "raw",
                                                      "low"};

/// Converts to the case of BCP 47: language in lower case, script capitalised,
/// region in capitals.
std::string UsualCase(std::string code) {
  size_t begin = std::min(code.find('-'), code.size());
  while (begin < code.size()) {
    const size_t end = std::min(code.find('-', ++begin), code.size());
    const size_t capitals = end - begin == 2 ? 2 : end - begin == 4 ? 1 : 0;
    for (size_t i = begin; i < begin + capitals; ++i) {
      if (code[i] >= 'a' && code[i] <= 'z') {
        code[i] = static_cast<char>(code[i] - 'a' + 'A');
      }
    }
    begin = end;
  }
  return code;
}

/// Two-letter code of a language, if it has one: "fr" for "fra", "zh" for
/// "cmn".
std::string ShortestLanguage(const std::string& three_letters) {
  const std::string found =
      icu::Locale::createCanonical(three_letters.c_str()).getLanguage();
  return found.empty() ? three_letters : found;
}

/// Removes the script if it is the usual one of the language: "en" for
/// "en-Latn".
std::string WithoutUsualScript(const std::string& code) {
  constexpr size_t kScript = 4;
  const size_t begin = code.find('-');
  const size_t end = std::min(code.find('-', begin + 1), code.size());
  if (begin == code.npos || end - begin - 1 != kScript) return code;
  const std::string rest = code.substr(0, begin) + code.substr(end);
  UErrorCode status = U_ZERO_ERROR;
  icu::Locale likely(rest.c_str());
  likely.addLikelySubtags(status);
  const bool usual = U_SUCCESS(status) &&
                     code.compare(begin + 1, kScript, likely.getScript()) == 0;
  return usual ? rest : code;
}

std::string_view BaseOf(std::string_view code) {
  return code.substr(0, code.find('-'));
}

/// Parts of a path in lower case: {"data", "train", "de", "gz"}.
std::vector<std::string> PartsOfPath(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (IsCodeLetter(c) || IsCodeDigit(c)) {
      parts.back() += c;
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  if (parts.back().empty()) parts.pop_back();
  for (std::string& part : parts) part = Lowercase(part);
  return parts;
}

bool NamesLanguage(const std::string& part) {
  return std::ranges::find(kEndings, part) == kEndings.end() &&
         IsKnownLanguage(part);
}

/// True if an extension names two languages ("en-de"), not one with a region
/// ("pt-BR").
bool NamesPair(std::string_view ending) {
  const size_t cut = ending.find_first_of("-_");
  if (cut == ending.npos) return false;
  const std::string second(ending.substr(cut + 1));
  return second == Lowercase(second) && IsKnownLanguage(second);
}

/// Language of the last file extension that names one: "de" for
/// "train.de.txt.gz", "zh-Hant" for "dev.zho_Hant".
std::string LanguageOfFile(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of('/') + 1);
  while (true) {
    const size_t dot = name.find_last_of('.');
    if (dot == name.npos) return "";
    const std::string ending(name.substr(dot + 1));
    if (NamesLanguage(ending) && !NamesPair(ending)) {
      return LanguageCode(ending);
    }
    name = name.substr(0, dot);
  }
}

/// Languages of the parts in which two names differ, if they name any.
LanguagePair LanguagesOfDifference(std::string_view source,
                                   std::string_view target) {
  const std::vector<std::string> a = PartsOfPath(source);
  const std::vector<std::string> b = PartsOfPath(target);
  LanguagePair pair;
  if (a.size() != b.size()) return pair;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const bool languages = NamesLanguage(a[i]) && NamesLanguage(b[i]);
    const LanguagePair here = {LanguageCode(a[i]), LanguageCode(b[i])};
    const bool first = pair.source.empty();
    if (!languages || (!first && (pair.source != here.source ||
                                  pair.target != here.target))) {
      return {};
    }
    pair = here;
  }
  return pair;
}

/// The only code of a set; empty if there are none or several.
std::string Agreed(const std::set<std::string>& codes) {
  return codes.size() == 1 ? *codes.begin() : "";
}

}  // namespace

std::string LanguageCode(std::string_view code) {
  std::string plain(code);
  if (!HasCharactersOfCode(plain)) return plain;
  plain = Lowercase(plain);
  std::ranges::replace(plain, '_', '-');
  const std::string language(BaseOf(plain));
  if (language.size() == 3) {
    plain.replace(0, 3, ShortestLanguage(language));
  }
  const auto known = kAliases.find(plain);
  if (known != kAliases.end()) return std::string(known->second);
  const std::string usual = UsualCase(std::move(plain));
  return BaseOf(usual) == "zh" ? usual : WithoutUsualScript(usual);
}

bool IsLanguageCode(std::string_view text) {
  const size_t language = std::min(text.find_first_of("-_"), text.size());
  return HasCharactersOfCode(text) && (language == 2 || language == 3) &&
         std::ranges::all_of(text.substr(0, language), IsCodeLetter) &&
         (IsCodeLetter(text.back()) || IsCodeDigit(text.back()));
}

std::string LanguageName(const std::string& code) {
  const icu::Locale locale(code.c_str());
  icu::UnicodeString name;
  locale.getDisplayName(icu::Locale::getEnglish(), name);
  std::string utf8;
  name.toUTF8String(utf8);
  return utf8.empty() ? code : utf8;
}

bool IsKnownLanguage(std::string_view code) {
  if (!IsLanguageCode(code)) return false;
  const std::string language(BaseOf(LanguageCode(code)));
  return LanguageName(language) != language;
}

std::optional<int> LanguageDistance(std::string_view wanted,
                                    std::string_view served) {
  constexpr int kOtherVariant = 100;
  std::string_view code = wanted;
  for (int given_up = 0;; ++given_up) {
    if (code == served || LanguageCode(code) == served) return given_up;
    const size_t dash = code.find_last_of('-');
    if (dash == code.npos) break;
    code = code.substr(0, dash);
  }
  if (BaseOf(wanted) == BaseOf(served)) return kOtherVariant;
  return std::nullopt;
}

std::string WithoutRegion(std::string_view code) {
  std::string kept(BaseOf(code));
  for (const std::string_view part : SplitAt(code.substr(kept.size()), "-")) {
    const bool region =
        part.size() == 2 ||
        (part.size() == 3 && std::ranges::all_of(part, IsCodeDigit));
    if (!part.empty() && !region) kept.append("-").append(part);
  }
  return kept;
}

LanguagePair LanguagesOfFiles(std::span<const std::string> source,
                              std::span<const std::string> target) {
  std::set<std::string> sources;
  std::set<std::string> targets;
  for (size_t i = 0; i < std::max(source.size(), target.size()); ++i) {
    LanguagePair pair;
    if (i < source.size()) pair.source = LanguageOfFile(source[i]);
    if (i < target.size()) pair.target = LanguageOfFile(target[i]);
    const bool named = !pair.source.empty() && !pair.target.empty() &&
                       pair.source != pair.target;
    if (!named && i < source.size() && i < target.size()) {
      const LanguagePair other = LanguagesOfDifference(source[i], target[i]);
      if (!other.source.empty() || pair.source == pair.target) pair = other;
    }
    if (i < source.size()) sources.insert(pair.source);
    if (i < target.size()) targets.insert(pair.target);
  }
  return {Agreed(sources), Agreed(targets)};
}

LanguagePair LanguagesOfTable(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  for (const std::string_view part : SplitAt(name, ".")) {
    const auto [source, target] = SplitOnce(part, "-");
    const std::string codes[] = {std::string(source), std::string(target)};
    if (NamesLanguage(codes[0]) && NamesLanguage(codes[1])) {
      return {LanguageCode(source), LanguageCode(target)};
    }
  }
  return {};
}

}  // namespace heed
