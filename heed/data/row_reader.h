// Row-by-row reading of texts from files.
#ifndef HEED_DATA_ROW_READER_H_
#define HEED_DATA_ROW_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/table.h"

namespace heed {

/// Reads rows of texts, with only a part of the files in memory.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Reads the next row into `row`; all rows have the same number of texts.
  /// Returns false at the end. Throws: as LineReader and TableReader;
  /// FormatError.
  virtual bool Next(TableRow& row) = 0;
};

/// Reads line-aligned files: row i holds line i of each file. Throws:
/// FormatError at the end if the files have different numbers of lines.
std::unique_ptr<RowReader> ReadSideBySide(std::vector<std::string> paths);

/// Format of lines with two texts. Open values are detected.
struct PairForm {
  Auto<Delimiter> delimiter = {};
  Auto<HeaderLine> header = {};
};

/// Reads a file of first text, tab, second text. Further columns are ignored. A
/// header is skipped, with a message on standard error. Another delimiter is
/// detected if the first lines have no tab. Throws: FormatError with a line
/// that lacks the delimiter.
std::unique_ptr<RowReader> ReadTabbed(const std::string& path,
                                      const PairForm& form = {});

/// Reads columns of a .csv or .jsonl file, with each text in one line.
std::unique_ptr<RowReader> ReadTable(const std::string& path,
                                     const TableColumns& columns);

/// Files with aligned rows, and a function that opens them.
struct RowFile {
  std::vector<std::string> paths;
  std::function<std::unique_ptr<RowReader>()> open;
};

/// Row files with one text per row, from files of lines or from tables with
/// column names. Throws: ConfigError unless `columns` has one column.
std::vector<RowFile> PlainRowFiles(const std::vector<std::string>& paths,
                                   const std::vector<std::string>& columns);

}  // namespace heed

#endif  // HEED_DATA_ROW_READER_H_
