// heed-mpi.so: message passing by MPI. A program loads it if a launcher started
// the program (heed/train/mpi.h).
#include <mpi.h>

#include <climits>
#include <memory>

#include "heed/train/mpi.h"

namespace {

int Start() {
  int given = 0;
  // Only this thread calls MPI.
  const int error =
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  if (error != MPI_SUCCESS) return error;
  return MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

int Rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int Size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void* Send(int to, int tag, const void* data, int64_t bytes) {
  auto request = std::make_unique<MPI_Request>();
  if (bytes > INT_MAX ||
      MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag,
                MPI_COMM_WORLD, request.get()) != MPI_SUCCESS) {
    return nullptr;
  }
  return request.release();
}

void* Receive(int from, int tag, void* data, int64_t bytes) {
  auto request = std::make_unique<MPI_Request>();
  if (bytes > INT_MAX ||
      MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag,
                MPI_COMM_WORLD, request.get()) != MPI_SUCCESS) {
    return nullptr;
  }
  return request.release();
}

int Ended(void* transfer) {
  std::unique_ptr<MPI_Request> request(static_cast<MPI_Request*>(transfer));
  int done = 0;
  const int error = MPI_Test(request.get(), &done, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return -1;
  if (done == 0) static_cast<void>(request.release());  // still active
  return done;
}

void GiveUp(void* transfer) {
  const std::unique_ptr<MPI_Request> request(
      static_cast<MPI_Request*>(transfer));
  MPI_Cancel(request.get());
  MPI_Request_free(request.get());
}

void Finish() { MPI_Finalize(); }

constexpr HeedMpi kMpi = {heed::kHeedMpiVersion,
                          Start,
                          Rank,
                          Size,
                          Send,
                          Receive,
                          Ended,
                          GiveUp,
                          Finish};

}  // namespace

extern "C" const HeedMpi* HeedMpiFunctions() { return &kMpi; }
