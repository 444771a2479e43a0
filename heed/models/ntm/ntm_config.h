// Configuration of Neural Turing Machines.
#ifndef HEED_MODELS_NTM_NTM_CONFIG_H_
#define HEED_MODELS_NTM_NTM_CONFIG_H_

#include <array>
#include <cstdint>

#include "heed/base/config.h"
#include "heed/nn/memory_head.h"

namespace heed {

enum class Controller : uint8_t { kFeedforward, kLstm };
constexpr auto WordsOf(Controller) { return std::array{"feedforward", "lstm"}; }

/// Order of reading and writing in a step, which the paper leaves open.
enum class ReadOrder : uint8_t { kBefore, kAfter };
constexpr auto WordsOf(ReadOrder) { return std::array{"before", "after"}; }

/// Resolved configuration of a NeuralTuringMachine.
struct ResolvedNtm {
  Controller controller = Controller::kFeedforward;
  int64_t layers = 1;
  int64_t units = 100;
  MemoryConfig memory;
  int64_t read_heads = 1;
  int64_t write_heads = 1;
  ReadOrder read_order = ReadOrder::kAfter;
};

/// User-facing configuration of a NeuralTuringMachine. 0: default for the
/// problem.
struct NtmConfig {
  Named<Controller> controller = Controller::kFeedforward;
  int layers = 0;
  int units = 0;
  int read_heads = 0;
  int write_heads = 0;
  int memory_slots = 128;
  int memory_features = 20;
  int memory_reach = 1;
  Named<ReadOrder> read_order = ReadOrder::kAfter;
  Named<MemoryStart> memory_start = MemoryStart::kLearned;
  Named<WeightsStart> weights_start = WeightsStart::kLearned;

  void Visit(FieldList& v);
  ResolvedNtm Resolve() const;
};

/// User-facing configuration of an LstmMachine. 0: default for the problem.
struct LstmMachineConfig {
  int layers = 0;
  int units = 0;

  void Visit(FieldList& v);
};

}  // namespace heed

#endif  // HEED_MODELS_NTM_NTM_CONFIG_H_
