#include "heed/serve/languages.h"

#include <unicode/locid.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/serve/ascii.h"

namespace heed {
namespace {

bool IsCode(const std::string& text) {
  return !text.empty() && text.size() <= 16 &&
         std::ranges::all_of(text, [](char c) {
           return IsLetter(c) || IsDigit(c) || c == '-' || c == '_';
         });
}

// "de" of "train.de.gz", or "".
std::string LanguageOfFile(std::string path) {
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty()) return "";
  ending.erase(0, 1);
  const bool known = ending.size() >= 2 && ending.size() <= 3 &&
                     IsCode(ending) && LanguageName(ending) != ending;
  return known ? LanguageCode(ending) : "";
}

// LibreTranslate's own (pb, zh, zt), and what others call the same, in lower
// case with dashes.
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

// Language small, script with a capital, region in capitals (BCP 47).
std::string UsualCase(std::string code) {
  size_t begin = std::min(code.find('-'), code.size());
  while (begin < code.size()) {
    const size_t end = std::min(code.find('-', ++begin), code.size());
    const size_t capitals = end - begin == 2 ? 2 : end - begin == 4 ? 1 : 0;
    for (size_t i = begin; i < begin + capitals; ++i) {
      if (IsLower(code[i])) {
        code[i] = static_cast<char>(code[i] - 'a' + 'A');
      }
    }
    begin = end;
  }
  return code;
}

}  // namespace

std::string LanguageCode(std::string_view code) {
  std::string plain(code);
  if (!IsCode(plain)) return plain;
  plain = Lowercase(plain);
  std::ranges::replace(plain, '_', '-');
  const auto known = kAliases.find(plain);
  if (known != kAliases.end()) return std::string(known->second);
  return UsualCase(std::move(plain));
}

ModelSpec ParseModelSpec(const std::string& argument) {
  ModelSpec spec;
  spec.folder = argument;
  const size_t equals = argument.find('=');
  // A folder may have one in its name.
  if (equals != argument.npos && !std::filesystem::exists(argument)) {
    const std::string codes = argument.substr(0, equals);
    const size_t cut = std::min(codes.find(':'), codes.size());
    const size_t between = cut < codes.size() ? cut : codes.find('-');
    if (between == codes.npos ||
        (cut == codes.size() && codes.find('-', between + 1) != codes.npos) ||
        !IsCode(codes.substr(0, between)) ||
        !IsCode(codes.substr(between + 1))) {
      throw ConfigError(
          "'{}': before = there must be two languages, as in "
          "de-en=DIR or pt-BR:en=DIR",
          argument);
    }
    spec.languages = {LanguageCode(codes.substr(0, between)),
                      LanguageCode(codes.substr(between + 1))};
    spec.folder = argument.substr(equals + 1);
  }
  std::filesystem::path path =
      std::filesystem::absolute(spec.folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  spec.name = path.filename().string();
  return spec;
}

LanguagePair GuessLanguages(const nlohmann::ordered_json& settings) {
  const auto guess = [&](const char* key) {
    const auto file = settings.find(key);
    const std::string code = file != settings.end() && file->is_string()
                                 ? LanguageOfFile(file->get<std::string>())
                                 : "";
    return code.empty() ? std::string(key) : code;
  };
  return {guess("source"), guess("target")};
}

std::string LanguageName(const std::string& code) {
  const icu::Locale locale(code.c_str());
  icu::UnicodeString name;
  locale.getDisplayName(icu::Locale::getEnglish(), name);
  std::string utf8;
  name.toUTF8String(utf8);
  return utf8.empty() ? code : utf8;
}

}  // namespace heed
