// Data that are made up, as files that a task reads: a row of generators.h
// each.
#ifndef HEED_COURSE_DATA_GENERATOR_H_
#define HEED_COURSE_DATA_GENERATOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// How many examples parts have.
struct DataSizes {
  int64_t train = 0;
  int64_t valid = 0;  ///< 0: parts have no sizes of their own
  int64_t test = 0;
  int64_t all() const { return train + valid + test; }
};

/// A part of the examples.
struct DataPart {
  std::string name;  ///< "train", "valid" or "test"
  int64_t count = 0;
  int64_t first = 0;    ///< of one sequence that all parts are taken from
  uint64_t number = 0;  ///< 0, 1 or 2
  /// The first number of a sequence of its own.
  uint64_t far_first() const { return number << 32; }
};

/// Writes a file by its path in the folder: "train.tsv".
using WriteFunction =
    std::function<void(const std::string& name, std::string_view bytes)>;

/// Settings as a text, "units=32 texts={}/train.txt"; "{}" stands for a folder.
using SettingsText = std::string;

/// Examples of one kind. Equal options lead to equal files.
struct Generator {
  std::string name = {};         ///< "scenes"
  std::string summary = {};      ///< description of the examples
  std::string unit = {};         ///< unit and alias of --count: "scenes"
  std::string task = {};         ///< task that reads the files
  SettingsText train = {};       ///< settings for training
  SettingsText evaluation = {};  ///< options for evaluation on the test set
  DataSizes sizes;
  /// Writes the files. A list is written after the files that it names.
  std::function<void(const Generator& made, const WriteFunction& write)> write =
      {};
  /// Adds further options.
  std::function<void(FieldList& v)> options = {};
  uint64_t seed = 1;

  /// The generator with other sizes.
  Generator Sized(const DataSizes& other) const {
    Generator sized = *this;
    sized.sizes = other;
    return sized;
  }
  /// Sizes, seed and further options.
  void Visit(FieldList& v);
  /// Throws: ConfigError for options that do not fit; IoError.
  void WriteTo(const std::string& folder) const;
  /// "20000 scenes for training, 1000 for validation, 1000 for the test".
  std::string Sizes() const;
  /// Parts with their sizes, the training first.
  std::vector<DataPart> Parts() const;
};

/// Sets the fields that a text names. `folder` stands where the text has "{}".
/// Throws: ConfigError.
void SetFromText(const std::vector<Field>& fields, const SettingsText& text,
                 const std::string& folder);
/// Options of the command line for a text of settings, with blanks before each:
/// " --texts DIR/train.txt --units 32". The last value of a key counts.
std::string OptionsText(const SettingsText& text, const std::string& folder);

}  // namespace heed

#endif  // HEED_COURSE_DATA_GENERATOR_H_
