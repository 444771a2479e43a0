// Settings of another program's model. The importer must interpret each of
// them.
#ifndef HEED_CONVERT_IMPORT_OPTIONS_H_
#define HEED_CONVERT_IMPORT_OPTIONS_H_

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

/// Settings that track which ones were read. Each function that reads an option
/// marks it as understood. It throws FormatError with file and option for a
/// value of the wrong kind.
class ImportOptions {
 public:
  /// `values`: an object whose numbers, booleans and nulls are the texts "1",
  /// "true" and "" (as from ParseYaml). `file`: name for error messages.
  ImportOptions(nlohmann::json values, std::string file);

  const std::string& file() const { return file_; }
  bool Has(const std::string& key) const { return values_.contains(key); }
  /// Raw value; null if the option is absent. Does not mark it as understood.
  nlohmann::json Value(const std::string& key) const;
  std::string Text(const std::string& key, const std::string& otherwise);
  int Number(const std::string& key, int otherwise);
  double Real(const std::string& key, double otherwise);
  bool Flag(const std::string& key, bool otherwise = false);

  /// Throws: FormatError unless the value is one of `values`.
  std::string OneOf(const std::string& key, const std::string& otherwise,
                    std::initializer_list<std::string_view> values);
  /// Marks an option as irrelevant for this model.
  void Skip(const std::string& key) { understood_.insert(key); }
  /// Marks all options with this prefix as irrelevant.
  void SkipAll(std::string_view prefix);
  /// Marks all names in `keys`, separated by spaces, as irrelevant.
  void SkipEach(std::string_view keys);

  /// Removes options that the user chose to ignore. Throws: ConfigError with an
  /// option that does not exist.
  void Ignore(const std::vector<std::string>& keys);

  /// A list of integers; empty if the option is absent or off.
  std::vector<int> Numbers(const std::string& key);

  /// Options that were neither read nor skipped.
  std::vector<std::pair<std::string, nlohmann::json>> UnreadOptions() const;
  /// Throws: FormatError with an option that was not read and is not off.
  void CheckAllUnderstood() const;

  [[noreturn]] void Fail(const std::string& key,
                         const std::string& problem) const;

 private:
  int ParseNumber(const std::string& key, const nlohmann::json& value) const;

  nlohmann::json values_;
  std::string file_;
  std::set<std::string> understood_;
};

/// True for the texts false, no, off, 0 (with any unit), none, null, default
/// and "", ignoring case; for lists and maps if all elements are off.
bool IsOff(const nlohmann::json& value);
/// A value as text for messages: "'x'", "['a', 'b']".
std::string ValueText(const nlohmann::json& value);

/// Reads a JSON file. Throws: IoError, FormatError.
ImportOptions ReadJsonOptions(const std::string& path);

}  // namespace heed

#endif  // HEED_CONVERT_IMPORT_OPTIONS_H_
