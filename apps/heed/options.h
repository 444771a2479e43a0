// The options of one sub-command, made from config fields.
//
//   int RunTranslate(const Arguments& arguments) {
//     std::string folder;
//     DecodeConfig config;
//     Options options("info", "Describes a model folder.");
//     options.Positional("DIR", folder, "model folder");
//     config.Visit(options.fields());
//     options.Example("heed info model");
//     if (!options.Parse(arguments)) return 0;  // --help was printed
//     ...
//   }
//
// A field `learning_rate` becomes --learning-rate VALUE (or --learning_rate), a
// bool --x / --no-x,
// a list --kinds a,b or --kinds a --kinds b, which add up; its aliases are
// further names. --config FILE.json sets any of them by key; the command line
// wins. Two different values for what has one are an error. A path of a list
// may hold a comma if there is such a file.
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

/// The words after the name of the sub-command.
using Arguments = std::vector<std::string>;

/// As the only argument: Parse writes the manual page to this file, or to
/// standard output if that is "", as it prints the help for --help. The summary
/// stands behind the command's name.
std::string ManualRequest(std::string_view path, std::string_view summary);

class Options {
 public:
  Options(std::string command, std::string purpose);

  /// The visitor that adds options: config.Visit(options.fields()).
  FieldList& fields() { return description_.options; }

  /// An argument without a name; all are required.
  void Positional(std::string name, std::string& value, std::string help);
  void Positional(std::string name, std::string& value, Constraint constraint,
                  std::string help);
  /// The last argument, which need not be given.
  void OptionalPositional(std::string name, std::string& value,
                          Constraint constraint, std::string help);
  /// The last argument, given once or more.
  void Positionals(std::string name, std::vector<std::string>& values,
                   std::string help);
  /// The last arguments, of which there may be none.
  void OptionalPositionals(std::string name, std::vector<std::string>& values,
                           std::string help);
  /// The first argument, or all of them: folders with models. What is none is
  /// named before any option is looked at.
  void ModelFolder(std::string& value, std::string help = "model folder");
  /// Words that may stand for a folder.
  void InsteadOfModelFolder(std::vector<std::string> words) {
    no_folders_ = std::move(words);
  }
  void ModelFolders(std::vector<std::string>& values, std::string help);
  /// A line that --help shows under "Examples".
  void Example(std::string line);

  /// The commands of this command, under a title: "heed demo cost" and what it
  /// does.
  void Parts(std::string title, std::vector<OptionText> parts) {
    description_.parts = {std::move(title), std::move(parts)};
  }

  /// With this option, nothing else that is required need be given.
  void Excuse(std::string key) { excuse_ = std::move(key); }
  /// Said of an option that is unknown: "a model for task NAME".
  void SubjectIs(std::string subject) { subject_ = std::move(subject); }

  /// Reads --config, then the arguments, into the fields. Returns false after
  /// writing what was asked for instead: the help, the manual page
  /// (ManualRequest) or what completes a command line (CommandLineToComplete).
  /// Throws: ConfigError for what is unknown, out of range, given twice, or
  /// missing: all of it at once.
  bool Parse(const Arguments& arguments);

  /// `chosen`: the fields once more, visited after Parse. Throws: ConfigError
  /// for an option of the command line that changes its default and has no
  /// effect beside the others (FieldList::If).
  void RefuseIdle(const FieldList& chosen) const;

  /// Whether the command line or --config named the field.
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

/// The value that `--key VALUE`, else the --config file gives to a text field,
/// or "": for what decides which other options there are (--model NAME).
std::string PeekOption(const Arguments& arguments, const std::string& key);

/// Whether Parse will write what was asked for instead of reading the options.
bool AsksForHelp(const Arguments& arguments);

/// The arguments that belong to no option, if options are these fields; up to
/// an option that is none of them.
std::vector<std::string> PositionalsIn(const Arguments& arguments,
                                       const std::vector<Field>& fields);

}  // namespace heed

#endif  // HEED_APPS_HEED_OPTIONS_H_
