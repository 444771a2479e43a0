// A library for LD_PRELOAD that makes one system or allocator call fail,
// optionally with every later one.
//
//   HEED_FAULT_CALL    write, sync, rename, create, or allocate
//   HEED_FAULT_AT      which one of these calls fails, from 1; 0: none
//   HEED_FAULT_ERROR   its errno; -1: a write takes only half of the bytes and
//                      the next one none of them (a full disk)
//   HEED_FAULT_LASTS   1: all later ones fail too
//   HEED_FAULT_COUNT   a file that gets the number of calls at the end
//
// Writes and syncs count only on regular files and folders: output of the
// program is not a saved file. oneDNN, SentencePiece and dlopen() do not check
// the result of malloc; Heed checks for memory before it calls them
// (RequireMemory). In oneDNN and SentencePiece the next allocation of other
// code fails instead. Allocations of dlopen() are not counted.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

std::atomic<long> calls{0};

// Settings, read before main(), because getenv() must not be called by an
// allocator.
struct Plan {
  char call = '\0';  // first letter of the call: 'c'reate, 'a'llocate, ...
  long at = 0;
  int error = EIO;
  bool lasts = false;
  const char* count = nullptr;
} plan;

/// Address range of a library that does not check the result of malloc.
struct Library {
  const char* name;
  uintptr_t begin = 0;
  uintptr_t end = 0;
} unchecking[] = {
    {"libdnnl.so"}, {"libsentencepiece.so"}, {"libsentencepiece_train.so"}};

int FindUnchecking(dl_phdr_info* info, size_t /*size*/, void* /*data*/) {
  for (Library& library : unchecking) {
    if (std::strstr(info->dlpi_name, library.name) == nullptr) continue;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      library.begin = info->dlpi_addr + part.p_vaddr;
      library.end = library.begin + part.p_memsz;
    }
  }
  return 0;
}

bool IsCalledByUnchecking() {
  constexpr int kFrames = 64;
  void* frames[kFrames];
  const int count = backtrace(frames, kFrames);
  for (int i = 0; i < count; ++i) {
    const auto place = reinterpret_cast<uintptr_t>(frames[i]);
    for (const Library& library : unchecking) {
      if (place >= library.begin && place < library.end) return true;
    }
  }
  return false;
}

[[gnu::constructor]] void Begin() {
  dl_iterate_phdr(FindUnchecking, nullptr);
  IsCalledByUnchecking();  // its first call allocates
  const auto number = [](const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text ? std::atol(text) : otherwise;
  };
  plan.at = number("HEED_FAULT_AT", 0);
  plan.error = static_cast<int>(number("HEED_FAULT_ERROR", EIO));
  plan.lasts = number("HEED_FAULT_LASTS", 0) != 0;
  plan.count = std::getenv("HEED_FAULT_COUNT");
  if (const char* call = std::getenv("HEED_FAULT_CALL")) plan.call = call[0];
}

/// Counts this call and returns true if it must fail.
bool Fails(char call) {
  if (plan.call != call) return false;
  const long number = ++calls;
  const bool fails =
      number == plan.at || (plan.lasts && plan.at > 0 && number > plan.at);
  if (fails && plan.error > 0) errno = plan.error;
  return fails;
}

/// True while dlopen() or the unwinder runs, which may allocate. The
/// thread-local storage model itself allocates nothing.
[[gnu::tls_model("initial-exec")]] thread_local bool spared = false;

/// True if this allocation must fail. If the selected one is in a library that
/// does not check, the next allocation of other code fails.
bool AllocationFails() {
  static std::atomic<bool> due{false};
  if (plan.call != 'a' || spared) return false;
  if (!Fails('a') && !due) return false;
  spared = true;
  const bool fails = !IsCalledByUnchecking();
  spared = false;
  due = !fails;
  if (fails) errno = plan.error;
  return fails;
}

bool IsSaved(int fd) {
  struct stat info;
  return fd > STDERR_FILENO && fstat(fd, &info) == 0 &&
         (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

[[gnu::destructor]] void End() {
  if (plan.count == nullptr) return;
  const long number = calls;
  plan.call = '\0';
  if (std::FILE* file = std::fopen(plan.count, "w")) {
    std::fprintf(file, "%ld\n", number);
    std::fclose(file);
  }
}

/// True if open() with these flags may create or write a file.
bool Creates(int flags) { return (flags & (O_CREAT | O_WRONLY)) != 0; }

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  static const auto next = Next<ssize_t(int, const void*, size_t)>("write");
  if (plan.call == 'w' && IsSaved(fd)) {
    static std::atomic<bool> full{false};
    const bool fails = Fails('w');
    if (full.exchange(false) || (fails && plan.error > 0)) {
      if (plan.error <= 0) errno = ENOSPC;
      return -1;
    }
    if (fails) {
      full = true;
      size = (size + 1) / 2;
    }
  }
  return next(fd, data, size);
}

int fsync(int fd) {
  static const auto next = Next<int(int)>("fsync");
  return IsSaved(fd) && Fails('s') ? -1 : next(fd);
}

int rename(const char* from, const char* to) {
  static const auto next = Next<int(const char*, const char*)>("rename");
  return Fails('r') ? -1 : next(from, to);
}

int open(const char* path, int flags, ...) {
  static const auto next = Next<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Creates(flags) && Fails('c') ? -1 : next(path, flags, mode);
}

void* dlopen(const char* file, int mode) {
  static const auto next = Next<void*(const char*, int)>("dlopen");
  const bool before = std::exchange(spared, true);
  void* library = next(file, mode);
  spared = before;
  return library;
}

void* malloc(size_t size) {
  return AllocationFails() ? nullptr : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return AllocationFails() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  return AllocationFails() ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return AllocationFails() ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (AllocationFails()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
