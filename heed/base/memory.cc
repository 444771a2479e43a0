#include "heed/base/memory.h"

#include <sys/mman.h>

#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace heed {

void RequireMemory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, bytes);
}

int64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    int64_t kilobytes = 0;
    if (name == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

void ResetPeakMemory() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace heed
