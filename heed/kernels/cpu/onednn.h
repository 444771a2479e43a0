// Helpers for calls of oneDNN; x86 only.
#ifndef HEED_KERNELS_CPU_ONEDNN_H_
#define HEED_KERNELS_CPU_ONEDNN_H_

#include <omp.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <utility>
#include <vector>

namespace heed::kernels::cpu {

/// True if the processor has these instructions, the system permits them and
/// oneDNN may use them.
inline bool HasInstructions(dnnl::cpu_isa wanted) {
  const auto bits = static_cast<int>(wanted);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

/// Makes oneDNN single-threaded inside a chunk: its OpenMP barriers would spin
/// on a shared machine.
class OneOpenMpThread {
 public:
  OneOpenMpThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneOpenMpThread() { omp_set_num_threads(before_); }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_;
};

/// Memory for the code that oneDNN generates for a primitive: several
/// megabytes.
inline constexpr size_t kOneDnnCodeBytes = size_t{1} << 24;

/// Primitive of fixed sizes. Thread-safe: memory handles of a call are reused
/// by later calls.
class OneDnnPrimitive {
 public:
  /// Argument (DNNL_ARG_..) and its memory descriptor.
  using Argument = std::pair<int, dnnl::memory::desc>;
  static constexpr size_t kMaxArguments = 4;

  OneDnnPrimitive(const dnnl::engine& engine, dnnl::primitive primitive,
                  const dnnl::memory::desc& scratchpad,
                  std::vector<Argument> arguments)
      : engine_(engine),
        primitive_(std::move(primitive)),
        scratchpad_(scratchpad),
        arguments_(std::move(arguments)) {
    assert(arguments_.size() <= kMaxArguments);
  }

  /// Executes the primitive; `data` has the address of each argument, in order.
  /// oneDNN requires non-const handles even for inputs.
  void Run(std::span<const void* const> data) {
    assert(data.size() == arguments_.size());
    const OneOpenMpThread one;
    std::unique_ptr<Call> call = Take();
    std::array<dnnl_exec_arg_t, kMaxArguments + 1> args;
    for (size_t i = 0; i < data.size(); ++i) {
      call->memories[i].set_data_handle(const_cast<void*>(data[i]));
      args[i] = {arguments_[i].first, call->memories[i].get()};
    }
    args[data.size()] = {DNNL_ARG_SCRATCHPAD, call->scratchpad.get()};
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), call->stream.get(),
                               static_cast<int>(data.size()) + 1, args.data()),
        "oneDNN");
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(call));
  }

 private:
  struct Call {
    explicit Call(const OneDnnPrimitive& p)
        : scratchpad(p.scratchpad_, p.engine_), stream(p.engine_) {
      for (const auto& [name, desc] : p.arguments_) {
        memories.emplace_back(desc, p.engine_, nullptr);
      }
    }
    std::vector<dnnl::memory> memories;
    dnnl::memory scratchpad;
    dnnl::stream stream;
  };

  std::unique_ptr<Call> Take() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Call> call = std::move(free_.back());
        free_.pop_back();
        return call;
      }
    }
    return std::make_unique<Call>(*this);
  }

  dnnl::engine engine_;
  dnnl::primitive primitive_;
  dnnl::memory::desc scratchpad_;
  std::vector<Argument> arguments_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> free_;
};

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_ONEDNN_H_
