// Output folder of a model.
#ifndef HEED_TRAIN_OUT_FOLDER_H_
#define HEED_TRAIN_OUT_FOLDER_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/train/config.h"
#include "heed/train/folder_lock.h"

namespace heed {

/// True if a run has saved a checkpoint or weights in its folder.
bool HasBegun(const std::string& folder);

/// Path of the most recent run in `folder`: `folder` itself, or its .next.
std::string LatestRun(const std::string& folder);

/// A model folder that one process writes. A new model is first written to
/// FOLDER/.next and replaces the old one as soon as it is usable. If the
/// process is killed, the folder holds either the old or the new model.
class OutFolder {
 public:
  /// Opens the folder for a new model, before any long computation, to report
  /// problems early. Throws: ConfigError if the name is empty, if a model
  /// exists and may not be replaced, or if another process writes to the
  /// folder; IoError if it is not writable.
  explicit OutFolder(const RunConfig& run);
  /// Opens the folder to resume its most recent run. Throws: IoError if it is
  /// not a writable folder; ConfigError if another process writes to it.
  explicit OutFolder(const std::string& folder);
  /// Selects the constructor for a process that only reads the folder.
  enum Reads : uint8_t { kReads };
  OutFolder(const std::string& folder, Reads)
      : folder_(folder), next_(LatestRun(folder) != folder) {}
  /// Removes a new model that is not usable.
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  /// Folder name as given by the user.
  const std::string& folder() const { return folder_; }
  /// True if Publish() will replace an existing model.
  bool replaces() const { return next_ && replaces_; }
  /// Folder that files are written to: .next until Publish().
  std::string path() const;
  std::string PathOf(const std::string& name) const;

  /// Moves the new files into place if they form a model, or if no existing
  /// model would be lost. Call it whenever a file is complete.
  void Publish();
  /// Removes a new model that failed before saving any trained weights. Does
  /// nothing for a resumed run. Does not throw.
  void Discard();

 private:
  void Open();

  std::string folder_;
  std::vector<std::filesystem::path> made_;  // created folders, innermost first
  std::optional<FolderLock> lock_;
  bool fresh_ = false;     // a new model
  bool next_ = false;      // files are written to .next
  bool replaces_ = false;  // there is an old model, kept until Publish()
};

}  // namespace heed

#endif  // HEED_TRAIN_OUT_FOLDER_H_
