#include "heed/models/ntm/ntm_config.h"

namespace heed {
namespace {

constexpr const char* kLayersHelp = "layers; 0: what suits the problem";
constexpr const char* kUnitsHelp =
    "units of a layer; 0: what suits the problem";
constexpr int kMaxMachineLayers = 16;

}  // namespace

void NtmConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("controller", controller,
    "what sees input and memory and steers the heads: feedforward keeps "
    "nothing but in the memory, lstm has a state of its own")
      .Main();
  v("layers", layers, Range(0, kMaxMachineLayers), kLayersHelp);
  v("units", units, Range(0, 10000), kUnitsHelp);
  v("read_heads", read_heads, Range(0, 64),
    "heads that read; 0: what suits the problem");
  v("write_heads", write_heads, Range(0, 64),
    "heads that write; 0: what suits the problem");
  v("memory_slots", memory_slots, Range(1, 100000),
    "slots N of the memory: what is longer than that does not fit")
      .Main();
  v("memory_features", memory_features, Range(1, 10000),
    "features F of a slot");
  v("memory_reach", memory_reach, Range(0, 1000),
    "slots that a head moves on in a step at most, either way");
  v("read_order", read_order,
    "whether heads read before the step's writing or after it");
  v("memory_start", memory_start,
    "what the memory holds at first: random numbers that stay with the model, "
    "1e-6 everywhere, or numbers that are learned");
  v("weights_start", weights_start,
    "where heads are at first: at slot 0, or where they learn to be");
}

ResolvedNtm NtmConfig::Resolve() const {
  ResolvedNtm r;
  r.controller = controller;
  r.layers = layers;
  r.units = units;
  r.memory = {memory_slots, memory_features, memory_reach, memory_start,
              weights_start};
  r.read_heads = read_heads;
  r.write_heads = write_heads;
  r.read_order = read_order;
  return r;
}

void LstmMachineConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("layers", layers, Range(0, kMaxMachineLayers), kLayersHelp);
  v("units", units, Range(0, 10000), kUnitsHelp);
}

}  // namespace heed
