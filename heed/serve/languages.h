// What a translator translates from and into.
#ifndef HEED_SERVE_LANGUAGES_H_
#define HEED_SERVE_LANGUAGES_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace heed {

/// The code of a language as clients of LibreTranslate know it, whatever its
/// case and however it was written: "de" of "DE", "zh-Hans" of "zh", "zh_CN"
/// and "ZH-HANS", "zh-Hant" of "zt" and "zh-TW", "pt-BR" of "pb", "nb" of "no".
/// What is no code stays as it is.
std::string LanguageCode(std::string_view code);

/// Codes as LanguageCode gives them: "de", "pt-BR".
struct LanguagePair {
  std::string source;
  std::string target;
};

/// A model folder and how the server calls it.
struct ModelSpec {
  std::string folder;
  std::string name;        ///< the last part of the folder's path
  LanguagePair languages;  ///< empty: guessed from the model's settings
};

/// "DIR", or "de-en=DIR"; "pt-BR:en=DIR" where codes have dashes. Throws:
/// ConfigError if there is a = but not two codes before it.
ModelSpec ParseModelSpec(const std::string& argument);

/// What GuessLanguages calls a source language that it cannot tell.
inline constexpr const char* kUnknownSource = "source";

/// By the endings of the files that a translator was trained on (train.de.gz
/// and train.en); "source" and "target" where they say nothing.
LanguagePair GuessLanguages(const nlohmann::ordered_json& settings);

/// In English: "German"; the code itself if it is none that is known.
std::string LanguageName(const std::string& code);

}  // namespace heed

#endif  // HEED_SERVE_LANGUAGES_H_
