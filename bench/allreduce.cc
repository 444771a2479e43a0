// Benchmark of sums over processes, beside Open MPI's own:
//
//   mpirun -n 2 bench_allreduce heed|mpi MEGABYTES [ROUNDS]
//
// Rank 0 prints the median time of a round in milliseconds.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "heed/base/timing.h"
#include "heed/train/mpi.h"
#include "heed/train/processes.h"

namespace heed {
namespace {

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Sums in buckets, like GradientSum.
void SumByHeed(std::vector<float>& numbers, int rounds) {
  constexpr size_t kBucket = size_t{3} << 17;
  Processes processes(OpenMpi);
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    processes.Gather("");
    const auto start = Clock::now();
    for (size_t at = 0; at < numbers.size(); at += kBucket) {
      const size_t size = std::min(kBucket, numbers.size() - at);
      processes.StartSum(processes.size(), {{numbers.data() + at, size}},
                         Wire::kF32);
    }
    processes.FinishSums();
    times.push_back(SecondsSince(start));
  }
  processes.Finish();
  if (processes.leads()) fmt::print("{:.2f}\n", 1e3 * Median(times));
}

void SumByMpi(std::vector<float>& numbers, int rounds) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(),
                  static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    times.push_back(SecondsSince(start));
  }
  MPI_Finalize();
  if (rank == 0) fmt::print("{:.2f}\n", 1e3 * Median(times));
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<float> numbers(
      static_cast<size_t>(std::atof(argv[2]) * 1e6 / sizeof(float)), 1e-9F);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 21;
  if (std::strcmp(argv[1], "heed") == 0) {
    heed::SumByHeed(numbers, rounds);
  } else {
    heed::SumByMpi(numbers, rounds);
  }
  return 0;
}
