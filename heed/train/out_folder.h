// The folder that a model is written into.
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

/// Whether a run has left anything in its folder that it can be continued from.
bool HasBegun(const std::string& folder);

/// Where the run lies that was begun last in `folder`: there, or in its .next.
std::string LatestRun(const std::string& folder);

/// A model folder while one process writes it. What is new is written to
/// FOLDER/.next first and takes the place of what stood there at once, when it
/// can be used itself: a process that is killed leaves the old model or the new
/// one.
class OutFolder {
 public:
  /// For a new model, before any long work, to say early what stands in the
  /// way. Throws: ConfigError if there is no name, if a model stands there that
  /// is not to be replaced, or if another process writes there; IoError if
  /// nothing can be written there.
  explicit OutFolder(const RunConfig& run);
  /// To go on with the run that was begun there last. Throws: IoError if it is
  /// no folder; as above.
  explicit OutFolder(const std::string& folder);
  /// For a process that only reads what another one writes there.
  enum Reads : uint8_t { kReads };
  OutFolder(const std::string& folder, Reads)
      : folder_(folder), next_(LatestRun(folder) != folder) {}
  /// What cannot be used goes again.
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  /// As the user named it.
  const std::string& folder() const { return folder_; }
  /// Whether Publish() replaces a model that is in the folder.
  bool replaces() const { return next_ && replaces_; }
  /// Where files are written: .next in it, until Publish().
  std::string path() const;
  std::string PathOf(const std::string& name) const;

  /// Moves what was written into its place if that is a model, or if no model
  /// stands there that would be lost. To be called whenever a file is whole.
  void Publish();
  /// Removes what was written of a new model that failed before anything that
  /// it had learned was saved, so that it stands in nobody's way. Of a run that
  /// goes on, nothing. Does not throw.
  void Discard();

 private:
  void Open();

  std::string folder_;
  std::vector<std::filesystem::path> made_;  // the innermost first
  std::optional<FolderLock> lock_;
  bool fresh_ = false;     // a new model
  bool next_ = false;      // files are written to .next
  bool replaces_ = false;  // a model that is kept until then
};

}  // namespace heed

#endif  // HEED_TRAIN_OUT_FOLDER_H_
