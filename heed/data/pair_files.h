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

  /// Options `prefix`source ("valid_"), ...; `purpose` begins their help. Those
  /// without a prefix are required.
  void Visit(FieldList& v, const std::string& prefix, std::string_view purpose);
  bool empty() const { return source.empty() && target.empty() && tsv.empty(); }
  /// Errors name the options with `prefix`. Throws: ConfigError for files that
  /// are missing or do not go together; as ReadParallel, ReadTsv.
  ParallelText Read(const std::string& prefix) const;
};

/// The lines of files, one after the other. Throws: as ReadLines.
std::vector<std::string> ReadAllLines(const std::vector<std::string>& paths);

}  // namespace heed

#endif  // HEED_DATA_PAIR_FILES_H_
