#include "heed/data/pair_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed {
namespace {

template <typename T>
void Append(std::vector<T>& to, std::vector<T> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

// "--valid-source" of "valid_" and "source".
std::string Option(const std::string& prefix, const char* name) {
  std::string option = "--" + prefix + name;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

}  // namespace

void PairFiles::Visit(FieldList& v, const std::string& prefix,
                      std::string_view purpose) {
  v(prefix + "source", source, Any{"FILE"},
    fmt::format("{}, one sentence a line (.gz too); several files add up",
                purpose))
      .Alias(prefix + "src")
      .Main();
  v(prefix + "target", target, Any{"FILE"},
    "its translation, line by line; as many files")
      .Alias(prefix + "tgt")
      .Alias(prefix + "trg")
      .Main();
  v(prefix + "tsv", tsv, Any{"FILE"}, "both in one file: source, tab, target");
  if (prefix.empty()) v.Require({{"source", "target"}, {"tsv"}});
}

ParallelText PairFiles::Read(const std::string& prefix) const {
  const std::string sources = Option(prefix, "source");
  const std::string targets = Option(prefix, "target");
  const std::string tables = Option(prefix, "tsv");
  if (!tsv.empty() && !(source.empty() && target.empty())) {
    throw ConfigError(fmt::format("{} and {}, or {}, but not both", sources,
                                  targets, tables));
  }
  if (tsv.empty() && (source.empty() || target.empty())) {
    throw ConfigError(fmt::format("both {} and {} are needed, or {}", sources,
                                  targets, tables));
  }
  if (source.size() != target.size()) {
    throw ConfigError(fmt::format(
        "{} names {} files but {} {}; give a file of target lines for each "
        "file of source lines, in the same order",
        sources, source.size(), targets, target.size()));
  }
  ParallelText all;
  const auto append = [&all](ParallelText text) {
    Append(all.source, std::move(text.source));
    Append(all.target, std::move(text.target));
    Append(all.origins, std::move(text.origins));
  };
  for (const std::string& path : tsv) append(ReadTsv(path));
  for (size_t i = 0; i < source.size(); ++i) {
    append(ReadParallel(source[i], target[i]));
  }
  return all;
}

std::vector<std::string> ReadAllLines(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) Append(all, ReadLines(path));
  return all;
}

}  // namespace heed
