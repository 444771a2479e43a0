#include "heed/train/out_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>
#include <system_error>

#include "heed/base/errors.h"
#include "heed/data/shortlist.h"
#include "heed/io/file.h"
#include "heed/train/metrics_log.h"
#include "heed/train/model_folder.h"
#include "heed/train/run_record.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

/// File in .ready with the steps of the replacement, one per line.
constexpr const char* kStepsFile = ".steps";
constexpr std::string_view kRemove = "remove ";
constexpr std::string_view kMove = "move ";

Names EntriesOf(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

/// Files written by runs and other commands, all of which are removed when a
/// new model replaces the old one. A user's own files are not included.
Names PartsOfModel(const std::string& folder) {
  Names parts = {kConfigFile,  kWeightsFile,   kCheckpointFile, kKeptFolder,
                 kInputFolder, kShortlistFile, kRunFile};
  for (const std::string& name : EntriesOf(folder)) {
    if (IsMetricsFile(name)) parts.insert(name);
  }
  try {
    for (const auto& [name, bytes] : ReadModelConfig(folder).files) {
      parts.insert(name);
    }
  } catch (const Error&) {
    // Not a model, or damaged: its vocabularies are unknown.
  }
  return parts;
}

/// Steps that replace the model in `folder` by the entries of `next`.
std::string StepsToReplace(const std::string& folder, const std::string& next) {
  Names entries = EntriesOf(next);
  entries.erase(kStepsFile);
  std::string steps;
  for (const std::string& name : PartsOfModel(folder)) {
    if (!entries.contains(name)) steps += fmt::format("{}{}\n", kRemove, name);
  }
  for (const std::string& name : entries) {
    steps += fmt::format("{}{}\n", kMove, name);
  }
  return steps;
}

/// One step of a replacement: moves or removes an entry.
struct Step {
  bool move;
  std::string name;
};

/// Reads the steps. The file is untrusted, so no name may point outside the
/// folder.
std::vector<Step> ReadSteps(const std::string& path) {
  CheckRegular(path);
  std::vector<Step> steps;
  for (const std::string& line : ReadLines(path)) {
    const bool move = line.starts_with(kMove);
    const std::string_view verb = move ? kMove : kRemove;
    const std::string name = line.substr(std::min(line.size(), verb.size()));
    if (!line.starts_with(verb) || !IsEntryName(name)) {
      throw FormatError("{}:{}: damaged; remove the folder {}", path,
                        steps.size() + 1,
                        fs::path(path).parent_path().string());
    }
    steps.push_back({move, name});
  }
  return steps;
}

/// Executes the remaining steps of FOLDER/.ready; a killed process may have
/// done some of them.
void FinishReplacing(const std::string& folder) {
  const fs::path ready = fs::path(folder) / kReadyFolder;
  if (fs::exists(ready / kStepsFile)) {
    for (const auto& [move, name] : ReadSteps((ready / kStepsFile).string())) {
      const fs::path place = fs::path(folder) / name;
      const bool there = fs::exists(ready / name);
      if (!move || (there && fs::is_directory(ready / name))) {
        fs::remove_all(place);
      }
      if (move && there) fs::rename(ready / name, place);
    }
  }
  fs::remove_all(ready);
}

}  // namespace

bool HasBegun(const std::string& folder) {
  return fs::exists(fs::path(folder) / kCheckpointFile) ||
         fs::exists(fs::path(folder) / kWeightsFile);
}

std::string LatestRun(const std::string& folder) {
  const std::string next = PathIn(folder, kNextFolder);
  return fs::exists(PathIn(next, kConfigFile)) ? next : folder;
}

OutFolder::OutFolder(const RunConfig& run) : folder_(run.out) {
  if (folder_.empty()) throw ConfigError("--out DIR is needed");
  if (fs::exists(ModelPath(folder_, kConfigFile)) && !run.overwrite) {
    throw ConfigError(
        "{} holds a model already; replace it with --overwrite, or "
        "choose another --out (heed train --resume {} continues a "
        "training)",
        folder_, folder_);
  }
  for (fs::path path = folder_; !path.empty() && !fs::exists(path);
       path = path.parent_path()) {
    made_.push_back(path);
  }
  Open();
  fs::remove_all(PathIn(folder_, kNextFolder));
  fs::create_directory(PathIn(folder_, kNextFolder));
  fresh_ = next_ = true;
  replaces_ = HasBegun(folder_);
}

OutFolder::OutFolder(const std::string& folder) : folder_(folder) {
  if (!fs::is_directory(folder_)) {
    throw IoError(folder_ + ": not a folder with a model");
  }
  Open();
  next_ = LatestRun(folder_) != folder_;
  replaces_ = next_ && HasBegun(folder_);
}

void OutFolder::Open() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error && !fs::is_directory(folder_)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (!error && access(folder_.c_str(), W_OK | X_OK) != 0) {
    error = {errno, std::generic_category()};
  }
  if (!error) {
    lock_.emplace(folder_);
    try {
      FinishReplacing(folder_);
    } catch (const fs::filesystem_error& failure) {
      error = failure.code();
    }
  }
  if (error) {
    throw IoError("cannot write to the folder {}: {}", folder_,
                  error.message());
  }
}

OutFolder::~OutFolder() {
  if (!lock_) return;
  std::error_code ignored;
  if (fresh_ && next_ && !HasBegun(path())) fs::remove_all(path(), ignored);
  try {
    FinishReplacing(folder_);  // needed if Publish() failed
  } catch (const std::exception&) {
    // The next writer finishes the replacement; until then readers use .ready.
  }
  lock_.reset();
  for (const fs::path& path : made_) fs::remove(path, ignored);  // if empty
}

std::string OutFolder::path() const {
  return next_ ? PathIn(folder_, kNextFolder) : folder_;
}

std::string OutFolder::PathOf(const std::string& name) const {
  return PathIn(path(), name);
}

void OutFolder::Discard() {
  if (!fresh_) return;
  try {
    if (next_) fs::remove_all(path());
    if (replaces_) return;
    fs::remove_all(PathIn(folder_, kReadyFolder));  // left if Publish() failed
    for (const std::string& name : PartsOfModel(folder_)) {
      fs::remove_all(PathIn(folder_, name));
    }
  } catch (const std::exception&) {
    // The remaining files can be replaced with --overwrite.
  }
}

void OutFolder::Publish() {
  if (!next_ || !HasBegun(path())) return;
  if (replaces_ && !fs::exists(PathOf(kWeightsFile))) return;
  WriteFileAtomically(PathOf(kStepsFile), StepsToReplace(folder_, path()));
  fs::rename(path(), PathIn(folder_, kReadyFolder));  // atomically
  next_ = false;
  FinishReplacing(folder_);
}

}  // namespace heed
