// The options of one sub-command, made from config fields.
//
//   int RunTranslate(const Arguments& arguments) {
//     std::string folder;
//     DecodeConfig config;
//     Options options("translate", "Translates standard input line by line.");
//     options.Positional("DIR", folder, "model folder");
//     config.Visit(options.fields());
//     options.Example("heed translate model < in.txt > out.txt");
//     if (!options.Parse(arguments)) return 0;  // --help was printed
//     ...
//   }
//
// A field `learning_rate` becomes --learning-rate VALUE, a bool --x / --no-x,
// a list --kinds a,b or --kinds a --kinds b. --config FILE.json sets any of
// them by key; the command line wins.
#ifndef HEED_APPS_HEED_OPTIONS_H_
#define HEED_APPS_HEED_OPTIONS_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// The words after the name of the sub-command.
using Arguments = std::vector<std::string>;

class Options {
 public:
  Options(std::string command, std::string purpose)
      : command_(std::move(command)), purpose_(std::move(purpose)) {}

  /// The visitor that adds options: config.Visit(options.fields()).
  FieldList& fields() { return fields_; }

  /// An argument without a name; all are required.
  void Positional(std::string name, std::string& value, std::string help);
  /// The last argument, given once or more.
  void Positionals(std::string name, std::vector<std::string>& values,
                   std::string help);
  /// A line that --help shows under "Examples".
  void Example(std::string line) { examples_.push_back(std::move(line)); }

  /// Reads --config, then the arguments, into the fields. Returns false after
  /// printing the help that was asked for.
  /// Throws: ConfigError for what is unknown, missing or out of range.
  bool Parse(const Arguments& arguments);

  /// Whether the command line or --config named the field.
  bool Given(const std::string& key) const { return given_.count(key) > 0; }
  /// Throws: ConfigError unless the field was given.
  void Require(const std::string& key) const;

  std::string Help() const;

 private:
  struct PositionalArgument {
    std::string name, help;
    std::string* target = nullptr;
    std::vector<std::string>* targets = nullptr;
  };

  Arguments SplitAtEquals(const Arguments& arguments) const;
  void RefuseUnknown(const Arguments& remaining) const;
  void ApplyConfigFile(const std::string& path);
  void SetPositional(const PositionalArgument& positional,
                     const std::vector<std::string>& values) const;

  std::string command_;
  std::string purpose_;
  FieldList fields_;
  std::vector<PositionalArgument> positionals_;
  std::vector<std::string> examples_;
  std::set<std::string> given_;
};

/// The value that `--key VALUE`, else the --config file gives to a text field,
/// or "": for what decides which other options there are (--model NAME).
std::string PeekOption(const Arguments& arguments, const std::string& key);

}  // namespace heed

#endif  // HEED_APPS_HEED_OPTIONS_H_
