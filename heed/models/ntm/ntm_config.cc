#include "heed/models/ntm/ntm_config.h"

namespace heed {
namespace {

constexpr const char* kLayersHelp = "layers; 0: the problem's default";
constexpr const char* kUnitsHelp = "units of a layer; 0: the problem's default";
constexpr int kMaxMachineLayers = 16;

}  // namespace

void NtmConfig::Visit(FieldList& v) {
  v.Section("Model");
  v("controller", controller,
    "network that controls the heads: feedforward (no state except the "
    "memory), or lstm (with its own state)")
      .Main();
  v("layers", layers, Range(0, kMaxMachineLayers), kLayersHelp);
  v("units", units, Range(0, 10000), kUnitsHelp);
  v("read_heads", read_heads, Range(0, 64),
    "heads that read; 0: the problem's default");
  v("write_heads", write_heads, Range(0, 64),
    "heads that write; 0: the problem's default");
  v("memory_slots", memory_slots, Range(1, 100000),
    "slots N of the memory; longer sequences do not fit")
      .Main();
  v("memory_features", memory_features, Range(1, 10000),
    "features F of a slot");
  v("memory_reach", memory_reach, Range(0, 1000),
    "maximum slots that a head moves in a step, in either direction");
  v("read_order", read_order,
    "read the memory before or after writing to it in a step");
  v("memory_start", memory_start,
    "initial memory: learned numbers, with which longer sequences succeed most "
    "often, fixed random numbers, or 1e-6 everywhere (constant)");
  v("weights_start", weights_start,
    "initial position of heads: slot 0 (first), or learned");
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
