#include "heed/base/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/timing.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heed {
namespace {

/// Alignment that avoids false sharing.
constexpr size_t kCacheLine = 64;
/// Maximum number of threads with a range of chunks of their own.
constexpr int kParts = 16;
/// Maximum number of loops that the pool helps at once; further loops run on
/// their callers alone.
constexpr int kSlots = 64;
constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

/// Time for which an idle thread spins before it sleeps. Waking a thread takes
/// about 50 microseconds on virtual machines.
constexpr double kSpinSeconds = 1e-4;
/// Time after which a spinning thread yields its core between checks.
constexpr double kAloneSeconds = 1e-5;

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Calls done() until it returns true, or for kSpinSeconds. Returns true if
/// done() did.
template <class Done>
bool Spin(const Done& done) {
  constexpr int kLooks = 32;
  Clock::time_point start;
  for (bool first = true;; first = false) {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      Pause();
    }
    if (first) {
      start = Clock::now();
      continue;
    }
    const double seconds = SecondsSince(start);
    if (seconds > kSpinSeconds) return false;
    if (seconds > kAloneSeconds) std::this_thread::yield();
  }
}

/// Range of chunks with which this thread starts a loop.
thread_local int own_part = 0;

}  // namespace

class ThreadPool::Impl {
 public:
  ~Impl() {
    Limit(0);
    for (std::thread& thread : threads_) thread.join();
  }

  void Limit(int threads) {
    limit_ = threads;
    limit_.notify_all();
    Wake(kAll);
  }
  int limit() const { return limit_; }

  void Run(int64_t chunks, Chunk chunk, void* body) {
    const int limit = limit_;
    Start(limit - 1);
    Loop loop(chunks, limit, chunk, body);
    Slot* slot = limit > 1 && chunks > 1 ? Take() : nullptr;
    if (slot != nullptr) {
      slot->loop = &loop;
      if (asleep_ > 0) Wake(chunks - 1);
    }
    loop.RunChunks(own_part);
    if (slot != nullptr) {
      slot->loop = nullptr;
      Wait(*slot);
      slot->taken = false;
    }
    if (loop.failed) std::rethrow_exception(loop.error);
  }

 private:
  /// Chunks of a loop that have not started.
  struct alignas(kCacheLine) Part {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };

  /// Running loop.
  struct Loop {
    ThreadPool::Chunk chunk;
    void* body;
    int parts;
    std::array<Part, kParts> part = {};
    std::atomic<bool> failed = false;
    std::exception_ptr error = {};  // of the thread that set `failed`

    Loop(int64_t chunks, int threads, ThreadPool::Chunk each, void* of)
        : chunk(each),
          body(of),
          parts(static_cast<int>(
              std::min<int64_t>({chunks, int64_t{threads}, kParts}))) {
      for (int p = 0; p < parts; ++p) {
        part[p].next.store(chunks * p / parts, std::memory_order_relaxed);
        part[p].end = chunks * (p + 1) / parts;
      }
    }

    bool HasWork() const {
      return std::any_of(part.begin(), part.begin() + parts, [](const Part& p) {
        return p.next.load(std::memory_order_relaxed) < p.end;
      });
    }

    /// Runs chunks until none is left, starting with part `first`.
    void RunChunks(int first) {
      for (int i = 0; i < parts; ++i) {
        Part& from = part[(first + i) % parts];
        for (;;) {
          const int64_t c = from.next.fetch_add(1, std::memory_order_relaxed);
          if (c >= from.end) break;
          try {
            if (!failed.load(std::memory_order_relaxed)) chunk(body, c);
          } catch (...) {
            if (!failed.exchange(true)) error = std::current_exception();
          }
        }
      }
    }
  };

  /// Published loop, where idle threads find it.
  struct alignas(kCacheLine) Slot {
    std::atomic<bool> taken = false;
    std::atomic<Loop*> loop = nullptr;
    /// Number of threads that may access `loop`.
    std::atomic<uint32_t> helpers = 0;
  };

  /// Starts threads up to this number, or as many as the system allows.
  void Start(int threads) {
    if (started_ >= threads) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      while (started_ < threads) {
        const int part = static_cast<int>(threads_.size()) + 1;
        threads_.emplace_back([this, part] { Help(part); });
        started_ = part;
      }
    } catch (const std::exception&) {
      started_ = threads;  // no retry after a failure
    }
  }

  /// A slot for a loop; null if none is free. Threads try different slots
  /// first.
  Slot* Take() {
    for (int i = 0; i < kSlots; ++i) {
      const int index = (own_part + i) % kSlots;
      Slot& slot = At(slots_, index);
      if (!slot.taken && !slot.taken.exchange(true)) {
        int used = used_;
        const int wanted = index + 1;
        while (used < wanted && !used_.compare_exchange_weak(used, wanted)) {
        }
        return &slot;
      }
    }
    return nullptr;
  }

  /// Waits until no thread accesses the slot's loop.
  void Wait(Slot& slot) {
    if (Spin([&] { return slot.helpers == 0; })) return;
    for (uint32_t helpers = slot.helpers; helpers != 0;
         helpers = slot.helpers) {
      slot.helpers.wait(helpers);
    }
  }

  /// Helps one loop that has chunks left. Returns false if there is none.
  /// Threads try different loops first, so that concurrent loops share them.
  bool HelpOnce(int part) {
    bool helped = false;
    const int used = used_;
    for (int s = 0; s < used && !helped; ++s) {
      Slot& slot = At(slots_, (part + s) % used);
      if (slot.loop == nullptr) continue;
      ++slot.helpers;
      Loop* const loop = slot.loop;
      if (loop != nullptr && loop->HasWork()) {
        loop->RunChunks(part);
        helped = true;
      }
      if (--slot.helpers == 0) slot.helpers.notify_all();
    }
    return helped;
  }

  /// Main function of a pool thread.
  void Help(int part) {
    own_part = part;
    for (int limit = limit_; limit > 0; limit = limit_) {
      if (part >= limit) {
        limit_.wait(limit);
        continue;
      }
      const auto work = [&] { return limit_ != limit || HelpOnce(part); };
      if (Spin(work)) continue;
      const uint32_t calls = calls_;
      ++asleep_;
      // Check again: a loop started before `asleep_` was incremented wakes
      // nobody.
      if (!work()) calls_.wait(calls);
      --asleep_;
    }
  }

  /// Wakes at least `threads` sleeping threads.
  void Wake(int64_t threads) {
    ++calls_;
    if (threads >= asleep_) {
      calls_.notify_all();
    } else {
      for (int64_t i = 0; i < threads; ++i) calls_.notify_one();
    }
  }

  std::atomic<int> limit_ = 1;
  std::atomic<int> started_ = 0;
  std::atomic<int> used_ = 0;  // slots that were ever taken: a prefix
  std::atomic<int> asleep_ = 0;
  std::atomic<uint32_t> calls_ = 0;
  std::array<Slot, kSlots> slots_ = {};
  std::mutex mutex_;
  std::vector<std::thread> threads_ = {};
};

ThreadPool::ThreadPool() : impl_(std::make_unique<Impl>()) {}
ThreadPool::~ThreadPool() = default;

void ThreadPool::Limit(int threads) { impl_->Limit(threads); }
int ThreadPool::limit() const { return impl_->limit(); }

void ThreadPool::Run(int64_t chunks, Chunk chunk, void* body) {
  impl_->Run(chunks, chunk, body);
}

}  // namespace heed
