// MPI communication, if a launcher such as mpirun started several processes.
#ifndef HEED_TRAIN_MPI_H_
#define HEED_TRAIN_MPI_H_

#include <cstdint>
#include <memory>

#include "heed/train/messages.h"

extern "C" {

/// Function table of heed-mpi.so, a separate library, so that Heed runs on
/// machines without MPI. All functions must be called from one thread.
struct HeedMpi {
  int version;  // kHeedMpiVersion
  /// Null on success, else the error message of MPI.
  int (*start)();
  int (*rank)();
  int (*size)();
  /// Starts a transfer; null on failure.
  void* (*send)(int to, int tag, const void* data, int64_t bytes);
  void* (*receive)(int from, int tag, void* data, int64_t bytes);
  /// State of a transfer. 1: ended and released; 0: not yet ended; −1: failed.
  int (*ended)(void* transfer);
  /// Releases a transfer that has not ended.
  void (*give_up)(void* transfer);
  void (*finish)();
};

}  // extern "C"

namespace heed {

inline constexpr int kHeedMpiVersion = 1;
/// Name of the function in heed-mpi.so that returns the HeedMpi table.
inline constexpr const char* kHeedMpiSymbol = "HeedMpiFunctions";

/// True if a launcher reports several processes, or does not report their
/// number.
bool LaunchedWithOthers();

/// Rank reported by a launcher; 0 if there is none.
int RankByLauncher();

/// Loads heed-mpi.so from the program's folder or the installation folder, and
/// starts MPI. Throws: IoError that names the package to install.
std::unique_ptr<Messages> OpenMpi();

}  // namespace heed

#endif  // HEED_TRAIN_MPI_H_
