// Exclusive write lock of a folder.
#ifndef HEED_TRAIN_FOLDER_LOCK_H_
#define HEED_TRAIN_FOLDER_LOCK_H_

#include <string>

namespace heed {

/// Holds the lock FOLDER/.lock. The kernel releases it when the process ends
/// for any reason; a leftover file locks nothing. On a file system without
/// locks there is no lock, and a warning goes to standard error.
class FolderLock {
 public:
  /// Throws: ConfigError that names the process that holds the folder; IoError
  /// if the folder is not writable.
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
