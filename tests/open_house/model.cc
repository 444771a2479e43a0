// A custom model that encodes each cell independently.
#include "heed/models/preset.h"
#include "heed/nn/linear.h"
#include "heed/ops/elementwise.h"
#include "tests/open_house/strip.h"

namespace heed::strips {
namespace {

/// Resolved sizes of the network.
struct ResolvedSeparate {
  int64_t units = 0;
};

/// User settings; `Fill` replaces "auto" and 0 by values of the variant.
struct SeparateConfig {
  std::string variant = "auto";
  int units = 0;

  void Visit(FieldList& v) {
    v.Section("Model");
    v("variant", variant, AutoOr({"small", "wide"}), "what fills in the rest");
    v("units", units, Range(0, 100000), "features of a cell; 0: by variant");
  }
  void Fill(const std::string& model) {
    const ModelVariant& chosen = FindModel(model).Variant(variant);
    FillPreset(FieldsOf(*this), chosen.preset);
    variant = chosen.name;
  }
  ResolvedSeparate Resolve() const { return {units}; }
};

/// tanh(W x + b), cell by cell. Parameters: map.weight, map.bias.
class SeparateEncoder : public SequenceEncoder {
 public:
  SeparateEncoder(const Scope& scope, const ResolvedSeparate& sizes,
                  int64_t inputs)
      : units_(sizes.units),
        map_(scope / "map", inputs, sizes.units, kGlorotInit) {}

  Var operator()(const Context& ctx, const Var& x,
                 const Tensor& /*lengths*/) const override {
    return Tanh(map_(ctx, x));
  }
  int64_t output_size() const override { return units_; }
  std::vector<OutlineBlock> Outline() const override {
    return {{{{.name = "tanh(W x + b)", .features = units_}}, 1}};
  }

 private:
  int64_t units_;
  Linear map_;
};

class SeparateEncoding
    : public SettingsOf<SeparateEncoding, EncoderSettings, SeparateConfig> {
 public:
  using SettingsOf::SettingsOf;  // model_ and config_ are its members

  void Fill(const EncoderUse& /*use*/) override { config_.Fill(model_); }
  int64_t features() const override { return config_.units; }
  std::unique_ptr<SequenceEncoder> Make(const Scope& scope, int64_t inputs,
                                        bool /*causal*/) const override {
    return std::make_unique<SeparateEncoder>(scope / "cells", config_.Resolve(),
                                             inputs);
  }
};

}  // namespace

ModelRow SeparateModel() {
  return {.name = "separate",
          .variants = {{"small", "each cell is read by itself", "this example",
                        "units=8"},
                       {"wide", "the same with more features", "this example",
                        "units=32"}},
          .roles = {MakeRole<SeparateEncoding>}};
}

}  // namespace heed::strips
