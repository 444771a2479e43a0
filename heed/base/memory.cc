#include "heed/base/memory.h"

#include <sys/mman.h>

#include <new>

namespace heed {

void RequireMemory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, bytes);
}

}  // namespace heed
