#include "heed/data/pair_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "heed/base/errors.h"
#include "heed/data/table.h"
#include "heed/io/file.h"

namespace heed {
namespace {

template <typename T>
void AppendTo(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// "--valid-source" of "valid_" and "source".
std::string Option(const std::string& prefix, const char* name) {
  std::string option = "--" + prefix + name;
  std::ranges::replace(option, '_', '-');
  return option;
}

ParallelText ReadTable(const std::string& path,
                       const std::vector<std::string>& columns) {
  CheckColumns(columns, 2, "source and target");
  ParallelText text;
  ForEachRow(path, columns, [&text](TableRow row, int64_t /*line*/) {
    text.source.push_back(InOneLine(std::move(row[0])));
    text.target.push_back(InOneLine(std::move(row[1])));
  });
  text.origins = {{path, path, std::ssize(text.source)}};
  return text;
}

}  // namespace

void PairFiles::Visit(FieldList& v, const std::string& prefix,
                      std::string_view purpose) {
  v(prefix + "source", source, Any{"FILE"},
    fmt::format(
        "{}, one sentence a line (.gz too); several files are concatenated",
        purpose))
      .Alias(prefix + "src")
      .Main();
  v(prefix + "target", target, Any{"FILE"},
    "its translation, line by line; as many files")
      .Alias(prefix + "tgt")
      .Alias(prefix + "trg")
      .Main();
  v(prefix + "tsv", tsv, Any{"FILE"},
    "both in one file: source, tab, target; or .csv with a header, or .jsonl")
      .Alias(prefix + "table");
  if (!prefix.empty()) return;
  v.Require({{"source", "target"}, {"tsv"}});
  v("columns", columns, Any{"NAMES"},
    "of .csv and .jsonl: the columns of source and target");
}

ParallelText PairFiles::Read(const std::string& prefix) const {
  const std::string sources = Option(prefix, "source");
  const std::string targets = Option(prefix, "target");
  const std::string tables = Option(prefix, "tsv");
  if (!tsv.empty() && !(source.empty() && target.empty())) {
    throw ConfigError("{} and {}, or {}, but not both", sources, targets,
                      tables);
  }
  if (tsv.empty() && (source.empty() || target.empty())) {
    throw ConfigError("both {} and {} are needed, or {}", sources, targets,
                      tables);
  }
  if (source.size() != target.size()) {
    throw ConfigError(
        "{} names {} files but {} {}; give a file of target lines for each "
        "file of source lines, in the same order",
        sources, source.size(), targets, target.size());
  }
  ParallelText all;
  const auto append = [&all](ParallelText text) {
    AppendTo(all.source, std::move(text.source));
    AppendTo(all.target, std::move(text.target));
    AppendTo(all.origins, std::move(text.origins));
  };
  for (const std::string& path : tsv) {
    append(TableFormOf(path).empty() ? ReadTsv(path)
                                     : ReadTable(path, columns));
  }
  for (size_t i = 0; i < source.size(); ++i) {
    append(ReadParallel(source[i], target[i]));
  }
  return all;
}

std::vector<std::string> ReadAllLines(const std::vector<std::string>& paths,
                                      const std::vector<std::string>& columns) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    if (TableFormOf(path).empty()) {
      AppendTo(all, ReadLines(path));
      continue;
    }
    CheckColumns(columns, 1, "the texts");
    ForEachRow(path, columns, [&all](TableRow row, int64_t /*line*/) {
      all.push_back(InOneLine(std::move(row[0])));
    });
  }
  return all;
}

void VisitTextColumns(FieldList& v, std::vector<std::string>& columns) {
  v("columns", columns, Any{"NAME"}, "of .csv and .jsonl: the column of texts");
}

}  // namespace heed
