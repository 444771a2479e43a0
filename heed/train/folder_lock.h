// One writer of a folder at a time.
#ifndef HEED_TRAIN_FOLDER_LOCK_H_
#define HEED_TRAIN_FOLDER_LOCK_H_

#include <string>

namespace heed {

/// Holds FOLDER/.lock while it lives. The kernel releases it when the process
/// ends, however that happens; a file that is left over then locks nothing.
/// Where the file system has no locks, a line on standard error says so and
/// there is none.
class FolderLock {
 public:
  /// Throws: ConfigError that names the process that holds the folder; IoError
  /// if nothing can be written there.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  bool Acquire();

  std::string folder_;
  std::string path_;
  int fd_ = -1;
};

}  // namespace heed

#endif  // HEED_TRAIN_FOLDER_LOCK_H_
