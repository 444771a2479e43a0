// Files of parallel text, as options name them.
#ifndef HEED_DATA_PAIR_FILES_H_
#define HEED_DATA_PAIR_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/corpus.h"

namespace heed {

/// Either files of source and target, line by line, as many of one as of the
/// other, or tables of both. Several add up, in their order.
struct PairFiles {
  std::vector<std::string> source = {};
  std::vector<std::string> target = {};
  std::vector<std::string> tsv = {};
  /// Of tables that name their columns (see TableFormOf).
  std::vector<std::string> columns = {"source", "target"};
  PairForm form = {};

  /// Options `prefix`source ("valid_"), ...; `purpose` begins their help. Those
  /// without a prefix are required.
  void Visit(FieldList& v, const std::string& prefix, std::string_view purpose);
  bool empty() const { return source.empty() && target.empty() && tsv.empty(); }
  /// Errors name the options with `prefix`. Throws: ConfigError for files that
  /// are missing or do not go together.
  std::vector<RowFile> Files(const std::string& prefix) const;
  /// All their rows. Throws: the same; as RowReader.
  ParallelText Read(const std::string& prefix) const;
};

/// The lines of files, one after the other; of tables that name their columns
/// (see TableFormOf) the texts of one, each in one line. Throws: ConfigError
/// unless there is one column; as RowReader.
std::vector<std::string> ReadAllLines(
    const std::vector<std::string>& paths,
    const std::vector<std::string>& columns = {"text"});

/// The option for these.
void VisitTextColumns(FieldList& v, std::vector<std::string>& columns);

}  // namespace heed

#endif  // HEED_DATA_PAIR_FILES_H_
