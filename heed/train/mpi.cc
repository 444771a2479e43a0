#include "heed/train/mpi.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlugin = "heed-mpi.so";

class MpiTransfer : public Transfer {
 public:
  MpiTransfer(const HeedMpi& mpi, void* handle) : mpi_(mpi), handle_(handle) {
    if (handle_ == nullptr) throw IoError("MPI: a message cannot be sent");
  }
  ~MpiTransfer() override {
    if (handle_ != nullptr) mpi_.give_up(handle_);
  }
  bool Ended() override {
    if (handle_ == nullptr) return true;
    const int ended = mpi_.ended(handle_);
    if (ended == 0) return false;
    handle_ = nullptr;
    if (ended < 0) throw IoError("MPI: a message was lost");
    return true;
  }

 private:
  const HeedMpi& mpi_;
  void* handle_;
};

class MpiMessages : public Messages {
 public:
  explicit MpiMessages(const HeedMpi& mpi) : mpi_(mpi) {
    if (const int error = mpi_.start(); error != 0) {
      throw IoError("MPI cannot be started (error {})", error);
    }
    rank_ = mpi_.rank();
    size_ = mpi_.size();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::unique_ptr<Transfer> Send(int to, int tag, const void* data,
                                 int64_t bytes) override {
    return std::make_unique<MpiTransfer>(mpi_, mpi_.send(to, tag, data, bytes));
  }
  std::unique_ptr<Transfer> Receive(int from, int tag, void* data,
                                    int64_t bytes) override {
    return std::make_unique<MpiTransfer>(mpi_,
                                         mpi_.receive(from, tag, data, bytes));
  }
  void Finish() override { mpi_.finish(); }

 private:
  const HeedMpi& mpi_;
  int rank_ = 0;
  int size_ = 1;
};

/// Integer from an environment variable set by a launcher; 0: not set.
int FromLauncher(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

std::vector<std::string> Places() {
  std::vector<std::string> places;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path folder = program.parent_path();
    places.push_back((folder / kPlugin).string());
    places.push_back(
        (folder.parent_path() / HEED_LIBDIR / "heed" / kPlugin).string());
  }
  return places;
}

}  // namespace

bool LaunchedWithOthers() {
  // Open MPI 4 and 5. Launchers that use only PMIx, such as srun, set no
  // number.
  if (const int size = FromLauncher("OMPI_COMM_WORLD_SIZE"); size > 0) {
    return size > 1;
  }
  return std::getenv("PMIX_RANK") != nullptr || FromLauncher("PMI_SIZE") > 1;
}

int RankByLauncher() {
  if (!LaunchedWithOthers()) return 0;
  return std::max({FromLauncher("OMPI_COMM_WORLD_RANK"),
                   FromLauncher("PMIX_RANK"), FromLauncher("PMI_RANK")});
}

std::unique_ptr<Messages> OpenMpi() {
  std::string errors;
  void* library = nullptr;
  for (const std::string& place : Places()) {
    if (!fs::exists(place)) continue;
    // Global symbols, because the libraries of MPI refer to each other.
    library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) break;
    errors = dlerror();
  }
  if (library == nullptr) {
    throw IoError(
        "a launcher started this as one of several processes, but {}: install "
        "the package heed-mpi, or start heed without it",
        errors.empty() ? std::string(kPlugin) + " is not there" : errors);
  }
  using Entry = const HeedMpi* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, kHeedMpiSymbol));
  const HeedMpi* mpi = entry == nullptr ? nullptr : entry();
  if (mpi == nullptr || mpi->version != kHeedMpiVersion) {
    throw IoError("{} is of another version of heed than this program",
                  kPlugin);
  }
  auto messages = std::make_unique<MpiMessages>(*mpi);
  // The launcher of another MPI, such as MPICH, reports several processes, but
  // Open MPI sees each process alone.
  const int size = FromLauncher("PMI_SIZE");
  if (messages->size() == 1 && size > 1) {
    throw IoError(
        "the launcher started {} processes, of which Open MPI sees one each; "
        "use the mpirun of Open MPI (package openmpi-bin)",
        size);
  }
  return messages;
}

}  // namespace heed
