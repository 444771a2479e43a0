// Command-line options of one sub-command, made from config fields.
//
//   int RunInfo(const Arguments& arguments) {
//     std::string folder;
//     InfoConfig config;
//     Options options("info", "Describes a model folder.");
//     options.Positional("DIR", folder, "model folder");
//     config.Visit(options.fields());
//     options.Example("heed info model");
//     if (!options.Parse(arguments)) return 0;  // --help was printed
//     ...
//   }
//
// A field `learning_rate` becomes --learning-rate VALUE (or --learning_rate),
// and a bool becomes --x / --no-x. A list is --kinds a,b or --kinds a --kinds
// b, which accumulate; a path in a list may contain a comma if the file exists.
// Aliases are further names. --config FILE.json sets fields by key, and the
// command line takes precedence. Two different values for an option with one
// value are an error.
#ifndef HEED_APPS_HEED_OPTIONS_H_
#define HEED_APPS_HEED_OPTIONS_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/heed/description.h"
#include "heed/base/config.h"

namespace heed {

/// Words after the name of the sub-command.
using Arguments = std::vector<std::string>;

/// Argument for Parse that requests the manual page, written to the file
/// `path`, or to standard output if it is "". `summary`: text after the
/// command's name. It must be the only argument.
std::string ManualRequest(std::string_view path, std::string_view summary);

class Options {
 public:
  Options(std::string command, std::string purpose);

  /// Visitor that adds options: config.Visit(options.fields()).
  FieldList& fields() { return description_.options; }

  /// Adds a required positional argument.
  void Positional(std::string name, std::string& value, std::string help);
  void Positional(std::string name, std::string& value, Constraint constraint,
                  std::string help);
  /// Adds an optional last argument.
  void OptionalPositional(std::string name, std::string& value,
                          Constraint constraint, std::string help);
  /// Adds a last argument that takes one or more values.
  void Positionals(std::string name, std::vector<std::string>& values,
                   std::string help);
  /// Adds a last argument that takes any number of values.
  void OptionalPositionals(std::string name, std::vector<std::string>& values,
                           std::string help);
  /// Adds the first argument, or all of them, as model folders. Folders without
  /// a model are reported before wrong options.
  void ModelFolder(std::string& value, std::string help = "model folder");
  /// Sets words that are accepted instead of a folder.
  void InsteadOfModelFolder(std::vector<std::string> words) {
    no_folders_ = std::move(words);
  }
  void ModelFolders(std::vector<std::string>& values, std::string help);
  /// Adds a line under "Examples" in --help.
  void Example(std::string line);

  /// Sets sub-commands and their title: "heed demo cost" and its summary.
  void Parts(std::string title, std::vector<OptionText> parts) {
    description_.parts = {std::move(title), std::move(parts)};
  }

  /// Sets an option that replaces all other required options.
  void Excuse(std::string key) { excuse_ = std::move(key); }
  /// Sets the subject for errors about unknown options: "a model for task
  /// NAME".
  void SubjectIs(std::string subject) { subject_ = std::move(subject); }

  /// Reads --config, then the arguments, into the fields. Returns false after
  /// printing the help, the manual page (ManualRequest) or completions
  /// (CommandLineToComplete) on request. Throws: ConfigError with all options
  /// that are unknown, out of range, duplicate or missing.
  bool Parse(const Arguments& arguments);

  /// Rejects options without effect. `chosen`: the fields, visited again after
  /// Parse. Throws: ConfigError for an option on the command line that differs
  /// from its default but has no effect with the other options (FieldList::If).
  void RefuseIdle(const FieldList& chosen) const;

  /// True if the command line or --config sets the field.
  bool Given(const std::string& key) const { return given_.count(key) > 0; }

 private:
  bool WriteRequested(const Arguments& arguments) const;
  Arguments InFullForm(const Arguments& arguments) const;
  std::vector<std::string> AllNames() const;
  void CheckModelFolders(const Arguments& arguments) const;
  void RefuseUnknown(const Arguments& remaining) const;
  void ApplyConfigFile(const std::string& path);
  void RefuseMissing(const std::vector<std::string>& positionals) const;

  CommandDescription description_;
  std::set<std::string> given_;
  std::map<std::string, std::string> typed_;  // on the command line: defaults
  bool has_model_folders_ = false;
  std::vector<std::string> no_folders_;
  std::string excuse_;
  std::string subject_;
};

/// Value of a text field on the command line, otherwise in the --config file,
/// otherwise "". For options that determine other options (--model NAME).
std::string PeekOption(const Arguments& arguments, const std::string& key);

/// True if the arguments request help.
bool AsksForHelp(const Arguments& arguments);

/// Positional arguments, given the fields of the options. Stops at the first
/// unknown option.
std::vector<std::string> PositionalsIn(const Arguments& arguments,
                                       const std::vector<Field>& fields);

}  // namespace heed

#endif  // HEED_APPS_HEED_OPTIONS_H_
