#include "heed/serve/languages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

/// Languages in "de-en" or "pt-BR:en"; nullopt if there are none. Unknown codes
/// must have two letters, so that "qa-bot" is a name.
std::optional<LanguagePair> PairOf(const std::string& text) {
  const bool colon = text.find(':') != text.npos;
  const auto [source, target] = SplitOnce(text, colon ? ":" : "-");
  if (!IsLanguageCode(source) || !IsLanguageCode(target)) return std::nullopt;
  if (!colon && target.find_first_of("-_") != target.npos) return std::nullopt;
  const bool short_codes = source.size() == 2 && target.size() == 2;
  if (!short_codes && !IsKnownLanguage(source) && !IsKnownLanguage(target)) {
    return std::nullopt;
  }
  return LanguagePair{LanguageCode(source), LanguageCode(target)};
}

/// True if a language pair cannot be split unambiguously: "pt-BR-en".
bool IsUnclearPair(const std::string& text) {
  const std::vector<std::string_view> parts = SplitAt(text, "-");
  return parts.size() > 2 && IsKnownLanguage(parts.front()) &&
         IsKnownLanguage(parts.back());
}

bool IsName(const std::string& text) {
  constexpr std::string_view kOthers = "-_./+@";
  return !text.empty() && IsValidUtf8(text) &&
         std::ranges::all_of(text, [&](char c) {
           const bool plain = (c >= '0' && c <= '9') ||
                              (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
           return plain || c < 0 || kOthers.find(c) != kOthers.npos;
         });
}

/// Parses a prefix of an argument: the text before one "=".
void ReadPrefix(const std::string& prefix, const std::string& argument,
                ModelSpec& spec) {
  if (spec.languages.source.empty()) {
    if (const auto pair = PairOf(prefix)) {
      spec.languages = *pair;
      return;
    }
  }
  if (!spec.name.empty() || !spec.languages.source.empty() || !IsName(prefix) ||
      prefix.find(':') != prefix.npos || IsUnclearPair(prefix)) {
    throw ConfigError(
        "'{}': '{}' before = is neither two languages, as in de-en=DIR or "
        "pt-BR:en=DIR, nor a name, as in NAME=DIR or NAME=de-en=DIR",
        argument, prefix);
  }
  spec.name = prefix;
}

/// Last parts of a path, at least one.
std::string LastParts(const std::filesystem::path& path, size_t parts) {
  std::vector<std::string> all;
  for (const auto& part : path.relative_path()) all.push_back(part.string());
  std::string name;
  const size_t begin = all.size() - std::min(all.size(), parts);
  for (size_t i = begin; i < all.size(); ++i) {
    name += (name.empty() ? "" : "/") + all[i];
  }
  return name;
}

}  // namespace

ModelSpec ParseModelSpec(const std::string& argument) {
  ModelSpec spec;
  spec.folder = argument;
  // A folder may have "=" in its name.
  for (size_t equals = spec.folder.find('=');
       equals != spec.folder.npos && !std::filesystem::exists(spec.folder);
       equals = spec.folder.find('=')) {
    ReadPrefix(spec.folder.substr(0, equals), argument, spec);
    spec.folder.erase(0, equals + 1);
  }
  return spec;
}

void NameModels(std::vector<ModelSpec>& specs) {
  std::set<std::string> names;
  for (const ModelSpec& spec : specs) {
    if (spec.name.empty() || names.insert(spec.name).second) continue;
    throw ConfigError("two models are called '{}'; give them different names",
                      spec.name);
  }
  const auto path_of = [](const ModelSpec& spec) {
    std::filesystem::path path =
        std::filesystem::absolute(spec.folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
  };
  std::vector<ModelSpec*> left;
  for (ModelSpec& spec : specs) {
    if (spec.name.empty()) left.push_back(&spec);
  }
  constexpr size_t kMaxParts = 64;
  for (size_t parts = 1; parts <= kMaxParts && !left.empty(); ++parts) {
    std::map<std::string, int> count;
    for (const ModelSpec* spec : left)
      ++count[LastParts(path_of(*spec), parts)];
    std::vector<ModelSpec*> equal;
    for (ModelSpec* spec : left) {
      const std::string name = LastParts(path_of(*spec), parts);
      const bool apart = count[name] == 1 && !names.contains(name);
      if (apart) {
        spec->name = name;
      } else {
        equal.push_back(spec);
      }
    }
    for (const ModelSpec* spec : left) {
      if (!spec->name.empty()) names.insert(spec->name);
    }
    left = std::move(equal);
  }
  // The remaining models share a folder and get numbers.
  for (ModelSpec* spec : left) {
    const std::string name = LastParts(path_of(*spec), 1);
    spec->name = name;
    for (int i = 2; !names.insert(spec->name).second; ++i) {
      spec->name = fmt::format("{}-{}", name, i);
    }
  }
}

}  // namespace heed
