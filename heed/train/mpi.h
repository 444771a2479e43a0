// MPI, if a launcher such as mpirun started this process as one of several.
#ifndef HEED_TRAIN_MPI_H_
#define HEED_TRAIN_MPI_H_

#include <cstdint>
#include <memory>

#include "heed/train/messages.h"

extern "C" {

/// What heed-mpi.so offers: a library of its own, so that a machine without MPI
/// runs heed as ever. All of it is called from one thread.
struct HeedMpi {
  int version;  // kHeedMpiVersion
  /// 0, or what MPI says is wrong.
  int (*start)();
  int (*rank)();
  int (*size)();
  /// Null if it fails.
  void* (*send)(int to, int tag, const void* data, int64_t bytes);
  void* (*receive)(int from, int tag, void* data, int64_t bytes);
  /// 1: it has ended, and is forgotten; 0: not yet; -1: it failed.
  int (*ended)(void* transfer);
  /// Forgets one that has not ended.
  void (*give_up)(void* transfer);
  void (*finish)();
};

}  // extern "C"

namespace heed {

inline constexpr int kHeedMpiVersion = 1;
/// The function of heed-mpi.so that returns its HeedMpi.
inline constexpr const char* kHeedMpiSymbol = "HeedMpiFunctions";

/// Whether a launcher says that it started several processes, or does not say
/// how many.
bool LaunchedWithOthers();

/// The rank that a launcher says; 0 if there is none.
int RankByLauncher();

/// Loads heed-mpi.so, from beside the program or from where it is installed,
/// and starts MPI. Throws: IoError, with what to install, if that fails.
std::unique_ptr<Messages> OpenMpi();

}  // namespace heed

#endif  // HEED_TRAIN_MPI_H_
