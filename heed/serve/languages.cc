#include "heed/serve/languages.h"

#include <fmt/format.h>
#include <unicode/locid.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"

namespace heed {
namespace {

bool IsCode(const std::string& text) {
  return !text.empty() && text.size() <= 16 &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '-' || c == '_';
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
  return known ? ending : "";
}

}  // namespace

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
          fmt::format("'{}': before = there must be two languages, as in "
                      "de-en=DIR or pt-BR:en=DIR",
                      argument));
    }
    spec.languages = {codes.substr(0, between), codes.substr(between + 1)};
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
