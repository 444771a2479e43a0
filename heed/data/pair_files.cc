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

// Option name: "--valid-source" for "valid_" and "source".
std::string Option(const std::string& prefix, const char* name) {
  std::string option = "--" + prefix + name;
  std::ranges::replace(option, '_', '-');
  return option;
}

}  // namespace

void PairFiles::Visit(FieldList& v, const std::string& prefix,
                      std::string_view purpose, bool optional) {
  v(prefix + "source", source, Any{"FILE"},
    fmt::format(
        "{}, one sentence a line (.gz too); several files, also those of a "
        "pattern in quotes, are concatenated",
        purpose))
      .Alias(prefix + "src")
      .Main();
  v(prefix + "target", target, Any{"FILE"},
    "its translation, line by line; as many files")
      .Alias(prefix + "tgt")
      .Alias(prefix + "trg")
      .Main();
  v(prefix + "tsv", tsv, Any{"FILE"},
    "source and target in one file: source, tab, target on each line; or .csv "
    "with a header, or .jsonl")
      .Alias(prefix + "table");
  if (!prefix.empty()) return;
  if (!optional) v.Require({{"source", "target"}, {"tsv"}});
  v("columns", columns, Any{"NAMES"},
    ".csv, .jsonl: columns of source and target; without a header, numbers "
    "from 1");
  v("delimiter", form.delimiter,
    "column separator of a table; auto: detect it");
  v("header", form.header,
    "first line is a header with names of columns; auto: detect it");
}

std::vector<RowFile> PairFiles::Files(const std::string& prefix) const {
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
  std::vector<RowFile> files;
  for (const std::string& path : tsv) {
    if (TableFormOf(path).empty()) {
      files.push_back(
          {{path}, [path, form = form] { return ReadTabbed(path, form); }});
      continue;
    }
    CheckColumns(columns, 2, "source and target");
    TableColumns named(columns);
    named.delimiter = form.delimiter;
    named.header = form.header;
    files.push_back({{path}, [path, named] { return ReadTable(path, named); }});
  }
  for (size_t i = 0; i < source.size(); ++i) {
    const std::vector<std::string> both = {source[i], target[i]};
    files.push_back({both, [both] { return ReadSideBySide(both); }});
  }
  return files;
}

ParallelText PairFiles::Read(const std::string& prefix) const {
  ParallelText all;
  for (const RowFile& file : Files(prefix)) {
    ParallelText text = ReadPairs(file);
    AppendTo(all.source, std::move(text.source));
    AppendTo(all.target, std::move(text.target));
    AppendTo(all.origins, std::move(text.origins));
  }
  return all;
}

std::vector<std::string> ReadAllLines(const std::vector<std::string>& paths,
                                      const std::vector<std::string>& columns) {
  std::vector<std::string> all;
  for (const RowFile& file : PlainRowFiles(paths, columns)) {
    const std::unique_ptr<RowReader> rows = file.open();
    for (TableRow row; rows->Next(row);) all.push_back(std::move(row[0]));
  }
  return all;
}

void VisitTextColumns(FieldList& v, std::vector<std::string>& columns) {
  v("columns", columns, Any{"NAME"}, ".csv, .jsonl: column of the texts");
}

}  // namespace heed
