#include "heed/tasks/text_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/digest.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/io/file.h"
#include "heed/io/number_locks.h"
#include "heed/train/mpi.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kStoreFormat = 1;
constexpr const char* kTextFile = "text.json";
constexpr const char* kMadeFile = "made.json";
constexpr const char* kCountFile = "files.json";
constexpr const char* kLockFile = "lock";
/// Numbers of FOLDER/lock.
constexpr int64_t kReading = 0;
constexpr int64_t kKeeping = 1;
/// Maximum rows, or bytes of text, per token file.
constexpr int64_t kRowsOfFile = int64_t{1} << 15;
constexpr size_t kBytesOfFile = size_t{16} << 20;

std::string SamplePath(const std::string& folder, size_t column) {
  return PathIn(folder, fmt::format("sample-{}.txt", column));
}

std::string TokensPath(const std::string& folder, int64_t number) {
  return PathIn(folder, fmt::format("{:05}.tokens", number));
}

/// The JSON of a file; none if the file does not exist.
std::optional<Json> ReadIfThere(const std::string& path) {
  if (!fs::exists(path)) return std::nullopt;
  return ParseJson(ReadFile(path), path);
}

FormatError Damaged(const std::string& path) {
  return FormatError("{}: is damaged; remove it, and it is made again", path);
}

}  // namespace

void LargeTextConfig::Visit(FieldList& v, const std::string& examples,
                            const std::string& files) {
  v("token_files", token_files, Any{"DIR"},
    "store the tokens of the training text in files of this folder and map "
    "them into memory, for text larger than memory; the files are made once, "
    "by all processes together, and reused");
  v("shuffle_window", shuffle_window, Range(0, 1e12),
    fmt::format("with --token-files: number of {} to shuffle together; 0: all",
                examples))
      .If(stored(), "--token-files");
  v("vocabulary_sample", vocabulary_sample, Range(0, 100000000),
    fmt::format("with --token-files: number of random {} to learn vocabularies "
                "from; 0: all, in memory",
                examples))
      .If(stored(), "--token-files");
  v("mix", mix, Any{"NUMBERS"},
    fmt::format("shares of the files of {} in an epoch, such as 3,1: small "
                "files are repeated, large ones are sampled anew in each epoch",
                files));
}

std::vector<double> LargeTextConfig::Weights(size_t files) const {
  if (mix.empty()) return {};
  if (mix.size() != files) {
    throw ConfigError("--mix has {} numbers for {} files; give one for each",
                      mix.size(), files);
  }
  std::vector<double> weights;
  for (const std::string& word : mix) {
    const std::optional<double> weight = ParseNumber(word);
    if (!weight || !(*weight >= 0) || *weight > 1e12) {
      throw ConfigError("--mix: '{}' is not a weight, 0 or more", word);
    }
    weights.push_back(*weight);
  }
  if (std::ranges::all_of(weights, [](double w) { return w == 0; })) {
    throw ConfigError("--mix: all weights are 0");
  }
  return weights;
}

TextStore::TextStore(const LargeTextConfig& config, std::vector<RowFile> files,
                     int columns, bool quiet,
                     std::function<void(std::string&)> change)
    : folder_(config.token_files),
      max_sampled_(config.vocabulary_sample),
      files_(std::move(files)),
      columns_(static_cast<size_t>(columns)),
      quiet_(quiet || RankByLauncher() != 0),  // only the first process reports
      change_(std::move(change)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !fs::is_directory(folder_)) {
    throw IoError("cannot write to the folder {}: {}", folder_,
                  error ? error.message() : "it is not one");
  }
  NumberLocks locks(PathIn(folder_, kLockFile));
  locks.Hold(kReading);
  if (ReadKnown()) return;
  ReadFiles();
}

/// Key of the cached text: files, and how they are read.
Json TextStore::Key() const {
  Json files = Json::array();
  for (const RowFile& file : files_) {
    for (const std::string& path : file.paths) {
      CheckRegular(path);
      files.push_back(
          {{"path", fs::absolute(path).lexically_normal().string()},
           {"size", fs::file_size(path)},
           {"time", fs::last_write_time(path).time_since_epoch().count()}});
    }
  }
  return {{"format", kStoreFormat},
          {"files", files},
          {"columns", columns_},
          {"changed", static_cast<bool>(change_)},
          {"sample", max_sampled_}};
}

bool TextStore::ReadKnown() {
  const std::string path = PathIn(folder_, kTextFile);
  const std::optional<Json> known = ReadIfThere(path);
  if (!known || known->value("text", Json()) != Key()) return false;
  try {
    rows_of_ = known->at("rows").get<std::vector<int64_t>>();
    sums_ = known->at("sums").get<std::vector<uint32_t>>();
    const auto samples = known->at("samples").get<std::vector<uint32_t>>();
    if (rows_of_.size() != files_.size() || sums_.size() != columns_ ||
        samples.size() != columns_) {
      throw Damaged(path);
    }
    for (size_t i = 0; i < columns_; ++i) {
      const std::string bytes = ReadFile(SamplePath(folder_, i));
      if (Crc32(bytes) != samples[i]) throw Damaged(path);
      std::vector<std::string>& lines = sample_.emplace_back();
      for (const std::string_view line : SplitAt(bytes, "\n")) {
        lines.emplace_back(line);
      }
      lines.pop_back();  // empty string after the last newline
    }
  } catch (const Json::exception&) {
    throw Damaged(path);
  }
  return true;
}

void TextStore::ReadFiles() {
  Progress progress("rows", quiet_);
  sample_.assign(columns_, {});
  sums_.assign(columns_, 0);
  rows_of_.clear();
  Rng random(0);
  int64_t count = 0;
  for (const RowFile& file : files_) {
    const std::unique_ptr<RowReader> reader = file.open();
    const int64_t before = count;
    for (TableRow row; reader->Next(row); ++count) {
      if (row.size() != columns_) throw ShapeError("rows of other columns");
      for (size_t i = 0; i < columns_; ++i) {
        if (change_) change_(row[i]);
        sums_[i] = Crc32("\n", Crc32(row[i], sums_[i]));
      }
      // Every row has the same probability to be in the sample (reservoir
      // sampling).
      const bool fits = max_sampled_ == 0 || count < max_sampled_;
      const auto place = static_cast<size_t>(
          fits ? count : random.Below(static_cast<uint64_t>(count + 1)));
      if (!fits && place >= static_cast<size_t>(max_sampled_)) continue;
      for (size_t i = 0; i < columns_; ++i) {
        if (fits) sample_[i].emplace_back();
        sample_[i][place] = std::move(row[i]);
      }
      if (count % 4096 == 0) {
        progress.Update({.label = "reading the text",
                         .step = count,
                         .units = count,
                         .loss = {}});
      }
    }
    rows_of_.push_back(count - before);
  }
  std::vector<uint32_t> samples;
  for (size_t i = 0; i < columns_; ++i) {
    std::string bytes;
    for (const std::string& line : sample_[i]) bytes += line + '\n';
    WriteFileAtomically(SamplePath(folder_, i), bytes);
    samples.push_back(Crc32(bytes));
  }
  const Json known = {{"text", Key()},
                      {"rows", rows_of_},
                      {"sums", sums_},
                      {"samples", samples}};
  WriteFileAtomically(PathIn(folder_, kTextFile), DumpJson(known, 2) + "\n");
}

std::string TextStore::Checksum() const {
  std::string sums;
  for (const uint32_t sum : sums_) sums += fmt::format("{:08x}", sum);
  return sums;
}

int64_t TextStore::rows() const {
  return std::accumulate(rows_of_.begin(), rows_of_.end(), int64_t{0});
}

ModelFiles TextStore::Kept(const std::string& name, const Json& made_of,
                           const std::function<ModelFiles()>& make) const {
  const Json key = {{"format", kStoreFormat},
                    {"rows", rows_of_},
                    {"sums", sums_},
                    {"sample", max_sampled_},
                    {"options", made_of}};
  const std::string folder =
      PathIn(folder_, fmt::format("{}-{:016x}", name, Digest(key.dump())));
  NumberLocks locks(PathIn(folder_, kLockFile));
  locks.Hold(kKeeping);
  if (fs::exists(PathIn(folder, kConfigFile))) {
    return ReadModelConfig(folder).files;
  }
  ModelDescription kept = {Json::object(), make()};
  fs::create_directories(folder);
  WriteModelConfig(folder, kept);
  return std::move(kept.files);
}

TokenFiles TextStore::Tokens(
    const Json& made_of, TokenFileInfo info,
    const std::function<Corpus(const TextColumns&)>& encode) const {
  const Json made = {{"format", kStoreFormat},
                     {"rows", rows_of_},
                     {"sums", sums_},
                     {"source_vocabulary", info.source_vocabulary},
                     {"target_vocabulary", info.target_vocabulary},
                     {"options", made_of}};
  info.made_of = Digest(made.dump());
  const std::string folder =
      PathIn(folder_, fmt::format("tokens-{:016x}", info.made_of));
  fs::create_directories(folder);
  const std::string made_path = PathIn(folder, kMadeFile);
  const std::optional<Json> written = ReadIfThere(made_path);
  if (!written) {
    WriteFileAtomically(made_path, DumpJson(made, 2) + "\n");
  } else if (*written != made) {
    throw FormatError(
        "{}: its tokens were made from other text or settings; remove the "
        "folder {}",
        made_path, folder);
  }
  std::vector<std::string> paths;
  const std::string count_path = PathIn(folder, kCountFile);
  if (const std::optional<Json> known = ReadIfThere(count_path)) {
    const Json count = known->value("files", Json());
    if (!count.is_number_unsigned() || count > 100000000) {
      throw Damaged(count_path);
    }
    for (int64_t i = 0; i < count.get<int64_t>(); ++i) {
      paths.push_back(TokensPath(folder, i));
    }
  }
  const auto is_there = [](const std::string& path) {
    return fs::exists(path);
  };
  if (paths.empty() || !std::ranges::all_of(paths, is_there)) {
    EncodeChunks(folder, info, encode, paths);
    WriteFileAtomically(count_path,
                        Json{{"files", paths.size()}}.dump() + "\n");
  }
  return {paths, info};
}

/// Makes the missing token files that no other process is making, and waits for
/// the other processes.
void TextStore::EncodeChunks(
    const std::string& folder, const TokenFileInfo& info,
    const std::function<Corpus(const TextColumns&)>& encode,
    std::vector<std::string>& paths) const {
  NumberLocks locks(PathIn(folder, kLockFile));
  Progress progress("rows", quiet_);
  const int64_t all = rows();
  const auto show = [&](int64_t done) {
    progress.Update({.label = "making tokens",
                     .step = done,
                     .steps = all,
                     .units = done,
                     .loss = {}});
  };
  // Claims a missing file for this process; false if another has it.
  const auto claim = [&](int64_t number) {
    const std::string path = TokensPath(folder, number);
    if (fs::exists(path) || !locks.TryHold(number)) return false;
    if (!fs::exists(path)) return true;
    locks.Release(number);
    return false;
  };
  // One chunk per thread: chunks are encoded in parallel.
  struct Chunk {
    int64_t number;
    size_t file;
    TextColumns rows;
  };
  std::vector<Chunk> waiting;
  const auto encode_waiting = [&] {
    ParallelTasks(std::ssize(waiting), [&](int64_t task) {
      Chunk& chunk = At(waiting, task);
      const Corpus corpus = encode(chunk.rows);
      chunk.rows = {};
      TokenFileInfo own = info;
      own.corpus = static_cast<int64_t>(chunk.file);
      own.dropped_long = corpus.dropped_long;
      own.dropped_empty = corpus.dropped_empty;
      WriteFileAtomically(TokensPath(folder, chunk.number),
                          SerializeTokens(corpus, own));
    });
    for (const Chunk& chunk : waiting) locks.Release(chunk.number);
    waiting.clear();
  };
  while (true) {
    int64_t number = 0;
    int64_t done = 0;
    TextColumns chunk(columns_);
    int64_t chunk_rows = 0;
    size_t chunk_bytes = 0;
    bool mine = claim(number);
    const auto finish = [&](size_t file) {
      if (mine) {
        waiting.push_back({number, file, std::move(chunk)});
        chunk = TextColumns(columns_);
        if (std::ssize(waiting) == ThreadCount()) encode_waiting();
      }
      done += chunk_rows;
      show(done);
      chunk_rows = 0;
      chunk_bytes = 0;
      mine = claim(++number);
    };
    show(0);
    for (size_t file = 0; file < files_.size(); ++file) {
      const std::unique_ptr<RowReader> reader = files_[file].open();
      for (TableRow row; reader->Next(row);) {
        ++chunk_rows;
        for (size_t i = 0; i < columns_; ++i) {
          chunk_bytes += row[i].size();
          if (!mine) continue;
          if (change_) change_(row[i]);
          chunk[i].push_back(std::move(row[i]));
        }
        if (chunk_rows == kRowsOfFile || chunk_bytes >= kBytesOfFile) {
          finish(file);
        }
      }
      if (chunk_rows > 0) finish(file);
    }
    encode_waiting();
    if (mine) locks.Release(number);
    if (done != all) {
      throw FormatError(
          "{}: the text has changed while it was read; start "
          "again",
          folder_);
    }
    paths.clear();
    for (int64_t i = 0; i < number; ++i) {
      paths.push_back(TokensPath(folder, i));
    }
    const auto missing = std::ranges::find_if_not(
        paths, [](const std::string& path) { return fs::exists(path); });
    if (missing == paths.end()) return;
    // Waits for another process; makes the file if that process ends.
    const auto other = missing - paths.begin();
    locks.Hold(other);
    locks.Release(other);
  }
}

}  // namespace heed
