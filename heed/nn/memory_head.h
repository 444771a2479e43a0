// External memory that a network writes and reads by attention: the parts of a
// Neural Turing Machine, for any model.
//
//   const MemoryConfig config = {.slots = 128, .features = 20};
//   const MemoryWriter writer(Scope(set, "write"), 100, 1, config);
//   const MemoryReader reader(Scope(set, "read"), 100, 1, config);
//   const WritableMemory memory(Scope(set, "memory"), config, 1, 1);
//   MemoryState state = memory.Start(ctx, batch);
//   for (...) {                                        // control [B, 100]
//     writer.Write(ctx, control, state);
//     const Var r = reader.Read(ctx, control, state);  // [B, 20]
//   }
#ifndef HEED_NN_MEMORY_HEAD_H_
#define HEED_NN_MEMORY_HEAD_H_

#include <array>
#include <cstdint>
#include <string>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/nn/linear.h"

namespace heed {

/// Initial content of the memory.
enum class MemoryStart : uint8_t {
  kRandom,    // U(±1/√(N + F)), saved with the model, not trained
  kConstant,  // 1e-6 everywhere
  kLearned,   // initialised as kRandom, then trained
};
constexpr auto WordsOf(MemoryStart) {
  return std::array{"random", "constant", "learned"};
}

/// Initial weights of the heads.
enum class WeightsStart : uint8_t {
  kFirst,    // slot 0
  kLearned,  // trained: softmax of parameters
};
constexpr auto WordsOf(WeightsStart) { return std::array{"first", "learned"}; }

struct MemoryConfig {
  int64_t slots = 128;    // N
  int64_t features = 20;  // F of a slot
  int64_t reach = 1;  // R: maximum shift of a head per step, both directions
  MemoryStart start = MemoryStart::kRandom;
  WeightsStart weights = WeightsStart::kFirst;
};

/// State from step to step. A value; copies share the tensors.
struct MemoryState {
  Var memory;         // [B, F, N]
  Var write_weights;  // [B, H, N] of the last step
  Var read_weights;   // [B, H, N] of the last step
  Var read;           // last read vectors [B, H·F]; initially learned
  int64_t step = 0;   // step number for observers

  /// Reads or overwrites slot i of batch row b, for experiments; without a
  /// gradient. Shapes: [F].
  Tensor Slot(int64_t b, int64_t i) const;
  void Overwrite(int64_t b, int64_t i, const Tensor& features);
};

/// Memory and its initial state. Parameters: memory [F, N]; weights.write and
/// weights.read [H, N] if they are learned; read [H·F]. Paper: Graves et al.
/// 2014, arXiv:1410.5401; Collier and Beel 2018, arXiv:1807.08518 (initial
/// states).
class WritableMemory {
 public:
  WritableMemory(const Scope& scope, const MemoryConfig& config,
                 int64_t write_heads, int64_t read_heads);

  MemoryState Start(const Context& ctx, int64_t batch) const;
  const MemoryConfig& config() const { return config_; }

 private:
  Var StartWeights(const Context& ctx, int64_t batch, int64_t heads,
                   const Parameter* learned) const;

  MemoryConfig config_;
  int64_t write_heads_;
  int64_t read_heads_;
  Parameter* memory_;
  Parameter* write_weights_ = nullptr;
  Parameter* read_weights_ = nullptr;
  Parameter* read_;
};

/// H heads that address slots: an affine map of a control vector gives their
/// keys, strengths, gates, shifts and sharpenings; see AddressMemory. Observers
/// receive the weights as an attention from "source" to "memory". Parameters:
/// weight [C, H·(F + 2R + 4)], bias.
class MemoryHeads {
 public:
  MemoryHeads(const Scope& scope, int64_t control, int64_t heads,
              const MemoryConfig& config);

  /// Weights over the slots. Shapes: control [B, C], previous and result [B, H,
  /// N].
  Var Address(const Context& ctx, const Var& control, const Var& previous,
              const Var& memory) const;
  /// Reports weights to the observer. Shapes: weights [B, H, N].
  void Observe(const Context& ctx, const Var& weights, int64_t step) const;
  int64_t heads() const { return heads_; }

 private:
  std::string path_;
  int64_t heads_;
  Linear numbers_;
};

/// Change by one write step. Shapes: [B, H·F].
struct MemoryChange {
  Tensor erase, add;
};

/// Write heads. All address the memory before the step, then all erase (e =
/// σ(W_e o + b)), then all add (a = tanh(W_a o + b)). Parameters: address,
/// erase, add.
class MemoryWriter {
 public:
  MemoryWriter(const Scope& scope, int64_t control, int64_t heads,
               const MemoryConfig& config);
  /// Updates memory and write_weights. Shapes: control [B, C].
  MemoryChange Write(const Context& ctx, const Var& control,
                     MemoryState& state) const;
  int64_t heads() const { return heads_.heads(); }

 private:
  MemoryHeads heads_;
  Linear erase_;
  Linear add_;
};

/// Read heads. Parameters: address.
class MemoryReader {
 public:
  MemoryReader(const Scope& scope, int64_t control, int64_t heads,
               const MemoryConfig& config);
  /// Updates read_weights and read; returns the read vectors. Shapes: control
  /// [B, C], result [B, H·F].
  Var Read(const Context& ctx, const Var& control, MemoryState& state) const;
  int64_t heads() const { return heads_.heads(); }

 private:
  MemoryHeads heads_;
};

}  // namespace heed

#endif  // HEED_NN_MEMORY_HEAD_H_
