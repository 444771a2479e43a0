#include "course/data/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr double kMaxExamples = 1e7;

/// Writes a file that a list names, without fsync: there are thousands of such
/// files. The list is written later and synced.
void WriteListed(const std::string& path, std::string_view bytes) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::ssize(bytes));
  file.close();
  if (!file) throw IoError("{}: cannot be written", path);
}

std::string InFolder(std::string_view value, const std::string& folder) {
  const size_t place = value.find("{}");
  if (place == value.npos) return std::string(value);
  return std::string(value.substr(0, place)) + folder +
         std::string(value.substr(place + 2));
}

/// Quotes a word for the shell.
std::string Quoted(const std::string& word) {
  const bool plain = word.find_first_of(" ()'\"$&|;<>*?") == word.npos;
  return plain ? word : "'" + word + "'";
}

}  // namespace

void Generator::Visit(FieldList& v) {
  v("count", sizes.train, Range(1, kMaxExamples), unit + " to learn from")
      .Alias(unit)
      .Main();
  if (sizes.valid > 0) {
    v("valid", sizes.valid, Range(1, kMaxExamples),
      "more of them for validation");
    v("test", sizes.test, Range(1, kMaxExamples), "more of them for the test");
  }
  if (options) options(v);
  v("seed", seed, "random seed of the " + unit).Main();
}

void Generator::WriteTo(const std::string& folder) const {
  std::filesystem::create_directories(folder);
  write(*this, [&](const std::string& name, std::string_view bytes) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (name.find('/') == name.npos) {
      WriteFileAtomically(path, bytes);
    } else {
      WriteListed(path, bytes);
    }
  });
}

std::vector<DataPart> Generator::Parts() const {
  return {{"train", sizes.train, 0, 0},
          {"valid", sizes.valid, sizes.train, 1},
          {"test", sizes.test, sizes.train + sizes.valid, 2}};
}

std::string Generator::Sizes() const {
  std::string all = fmt::format("{} {}", sizes.train, unit);
  if (sizes.valid == 0) return all;
  return fmt::format("{} for training, {} for validation, {} for the test", all,
                     sizes.valid, sizes.test);
}

void SetFromText(const std::vector<Field>& fields, const SettingsText& text,
                 const std::string& folder) {
  for (const auto& word : SplitWhitespace(text)) {
    const size_t sign = word.find('=');
    const std::string key(word.substr(0, sign));
    const Field* field = FindField(fields, key);
    if (field == nullptr) throw ConfigError("there is no setting '{}'", key);
    std::vector<std::string> values;
    for (const auto value : SplitAt(word.substr(sign + 1), ",")) {
      values.push_back(InFolder(value, folder));
    }
    if (!field->IsList()) {
      values = {InFolder(word.substr(sign + 1), folder)};
    }
    field->SetText(values, key);
  }
}

std::string OptionsText(const SettingsText& text, const std::string& folder) {
  std::string options;
  const std::vector<std::string_view> words = SplitWhitespace(text);
  for (auto at = words.begin(); at != words.end(); ++at) {
    const std::string_view word = *at;
    const size_t sign = word.find('=');
    std::string key(word.substr(0, sign));
    const bool again = std::any_of(at + 1, words.end(), [&](const auto& other) {
      return other.starts_with(key + "=");
    });
    if (again) continue;
    std::ranges::replace(key, '_', '-');
    const std::string value = InFolder(word.substr(sign + 1), folder);
    options += " --" + key + (value == "true" ? "" : " " + Quoted(value));
  }
  return options;
}

}  // namespace heed
