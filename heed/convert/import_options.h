// Settings of another program's model, each of which must be understood.
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

/// Every function that reads an option marks it as understood, and throws
/// FormatError that names file and option for a value of the wrong kind.
class ImportOptions {
 public:
  /// `values`: an object, with numbers, truths and nulls as the texts "1",
  /// "true" and "" (as ParseYaml gives them). `file` is how errors call it.
  ImportOptions(nlohmann::json values, std::string file);

  const std::string& file() const { return file_; }
  bool Has(const std::string& key) const { return values_.contains(key); }
  /// As it stands there; null without it. Not marked as understood.
  nlohmann::json Value(const std::string& key) const;
  std::string Text(const std::string& key, const std::string& otherwise);
  int Number(const std::string& key, int otherwise);
  double Real(const std::string& key, double otherwise);
  bool Flag(const std::string& key, bool otherwise = false);

  /// Throws unless the value is one of these.
  std::string OneOf(const std::string& key, const std::string& otherwise,
                    std::initializer_list<std::string_view> values);
  /// Says nothing of this model.
  void Skip(const std::string& key) { understood_.insert(key); }
  /// The same for all options that begin so.
  void SkipAll(std::string_view prefix);
  /// All names in `keys`, which stand between spaces.
  void SkipEach(std::string_view keys);

  /// Takes out options that the user vouches for, as if they were not there.
  /// Throws: ConfigError that names one that is not there.
  void Ignore(const std::vector<std::string>& keys);

  /// A list of whole numbers; empty if there is none.
  std::vector<int> Numbers(const std::string& key);

  /// Options that were neither read nor skipped.
  std::vector<std::pair<std::string, nlohmann::json>> NotAskedFor() const;
  /// Throws: FormatError that names one of those that is not off.
  void CheckAllUnderstood() const;

  [[noreturn]] void Fail(const std::string& key,
                         const std::string& problem) const;

 private:
  int ParseNumber(const std::string& key, const nlohmann::json& value) const;

  nlohmann::json values_;
  std::string file_;
  std::set<std::string> understood_;
};

/// Whether a value in texts is false, no, off, 0 (of any unit), none, null,
/// default or empty, in any case; a list or a map: whether all of it is.
bool IsOff(const nlohmann::json& value);
/// A value for messages: "'x'", "['a', 'b']".
std::string ValueText(const nlohmann::json& value);

/// A file of JSON as ImportOptions takes it. Throws: IoError, FormatError.
ImportOptions ReadJsonOptions(const std::string& path);

}  // namespace heed

#endif  // HEED_CONVERT_IMPORT_OPTIONS_H_
