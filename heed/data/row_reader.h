// Rows of texts out of files, row by row.
#ifndef HEED_DATA_ROW_READER_H_
#define HEED_DATA_ROW_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/table.h"

namespace heed {

/// Only a part of the files is in memory.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Puts the next row, of always as many texts, into `row`; false at the end.
  /// Throws: as LineReader and TableReader; FormatError.
  virtual bool Next(TableRow& row) = 0;
};

/// Row i: line i of each file, of which there may be several. Throws:
/// FormatError, at the end, if they have different numbers of lines.
std::unique_ptr<RowReader> ReadSideBySide(std::vector<std::string> paths);

/// How lines of two texts are written; what is open is detected.
struct PairForm {
  Auto<Delimiter> delimiter = {};
  Auto<HeaderLine> header = {};
};

/// One file of first text, tab, second text; further columns are left out, and
/// a first line that names the columns, which standard error says. Another
/// delimiter counts where the first lines have no tab. Throws: FormatError that
/// names a line without a tab.
std::unique_ptr<RowReader> ReadTabbed(const std::string& path,
                                      const PairForm& form = {});

/// The columns of a .csv or .jsonl file, each text in one line.
std::unique_ptr<RowReader> ReadTable(const std::string& path,
                                     const TableColumns& columns);

/// Files whose rows belong together, and how they are read.
struct RowFile {
  std::vector<std::string> paths;
  std::function<std::unique_ptr<RowReader>()> open;
};

/// Of files of lines, and of tables that name their columns: rows of one text.
/// Throws: ConfigError unless there is one column.
std::vector<RowFile> PlainRowFiles(const std::vector<std::string>& paths,
                                   const std::vector<std::string>& columns);

}  // namespace heed

#endif  // HEED_DATA_ROW_READER_H_
