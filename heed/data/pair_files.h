// Files of parallel text in options.
#ifndef HEED_DATA_PAIR_FILES_H_
#define HEED_DATA_PAIR_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/corpus.h"

namespace heed {

/// Files of parallel text: either line-aligned source and target files, or
/// tables with both texts. Several files are concatenated in their order.
struct PairFiles {
  std::vector<std::string> source = {};
  std::vector<std::string> target = {};
  std::vector<std::string> tsv = {};
  /// Columns of tables with column names (see TableFormOf).
  std::vector<std::string> columns = {"source", "target"};
  PairForm form = {};

  /// Adds options with prefix ("valid_"). `purpose`: beginning of their help.
  /// Options without a prefix are required, unless they are `optional`.
  void Visit(FieldList& v, const std::string& prefix, std::string_view purpose,
             bool optional = false);
  bool empty() const { return source.empty() && target.empty() && tsv.empty(); }
  /// Files to read. `prefix`: prefix of the options in errors. Throws:
  /// ConfigError for missing or inconsistent files.
  std::vector<RowFile> Files(const std::string& prefix) const;
  /// Reads all rows. Throws: as Files; as RowReader.
  ParallelText Read(const std::string& prefix) const;
};

/// Lines of all files, in order. Tables with column names (see TableFormOf)
/// give the texts of their column, each in one line. Throws: ConfigError unless
/// `columns` has one column; as RowReader.
std::vector<std::string> ReadAllLines(
    const std::vector<std::string>& paths,
    const std::vector<std::string>& columns = {"text"});

/// Adds the option for `columns`.
void VisitTextColumns(FieldList& v, std::vector<std::string>& columns);

}  // namespace heed

#endif  // HEED_DATA_PAIR_FILES_H_
