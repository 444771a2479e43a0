// Attentions of heed.h.
#include "heed/attention/attention.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/libheed/array.h"
#include "apps/libheed/variables.h"
#include "heed/base/config.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

struct heed_attention {
  std::shared_ptr<ParameterSet> set;
  std::unique_ptr<Attention> attention;
};

namespace {

using Json = nlohmann::ordered_json;

/// Options of heed_attention_new.
struct AttentionOptions {
  std::string score = "scaled_dot";
  std::vector<std::string> modifiers;
  std::string mask = "none";
  std::string normalizer = "softmax";
  int64_t heads = 1;
  int64_t key_heads = 0;
  int64_t query = 0;
  int64_t key = 0;
  int64_t value = 0;
  int64_t units = 0;
  int64_t layers = 2;
  int64_t positions = 0;
  double dropout = 0;
  uint64_t seed = 1;
  std::string dtype = "f32";

  void Visit(FieldList& v) {
    constexpr double kMost = 1 << 24;
    v("score", score, Any{"SCORE"}, "compatibility of a query and a key");
    v("modifiers", modifiers, Any{"MODIFIERS"}, "changes of the scores");
    v("mask", mask, Any{"MASK"}, "which keys a query may attend to");
    v("normalizer", normalizer, Any{"NORMALIZER"}, "from scores to weights");
    v("heads", heads, Range(1, kMost), "heads");
    v("key_heads", key_heads, Range(0, kMost), "heads of keys; 0: as heads");
    v("query", query, Range(0, kMost), "features of a query, over all heads");
    v("key", key, Range(1, kMost), "features of a key, over all heads");
    v("value", value, Range(0, kMost), "features of a value; 0: as key");
    v("units", units, Range(0, kMost), "width of hidden layers per head");
    v("layers", layers, Range(1, 100), "hidden layers of the score mlp");
    v("positions", positions, Range(0, kMost), "longest source of location");
    v("dropout", dropout, Range(0, 1), "dropout rate of weights in training");
    v("seed", seed, "seed of the parameters");
    v("dtype", dtype, OneOf{"f32", "f64"}, "type of the parameters");
  }
};

std::unique_ptr<heed_attention> Make(const Json& json) {
  AttentionOptions options;
  FromJson(options, json, "options");
  Check(options);
  AttentionSpec spec;
  spec.score = ChooseScore(options.score);
  for (const std::string& modifier : options.modifiers) {
    for (Choice<Modifier>& choice : ChooseModifiers(modifier)) {
      spec.modifiers.push_back(std::move(choice));
    }
  }
  spec.mask = ParseMask(options.mask, {});
  spec.normalizer = ChooseNormalizer(options.normalizer);
  spec.heads = options.heads;
  spec.key_heads = options.key_heads;
  spec.query = options.query;
  spec.key = options.key;
  spec.value = options.value;
  spec.units = options.units;
  spec.layers = options.layers;
  spec.positions = options.positions;
  spec.dropout = options.dropout;
  auto made = std::make_unique<heed_attention>();
  made->set = std::make_shared<ParameterSet>(
      options.seed, options.dtype == "f64" ? DType::kF64 : DType::kF32,
      kernels::Precision::kNative);
  made->attention =
      std::make_unique<Attention>(Scope(*made->set, "attention"), spec);
  return made;
}

/// A mask of an array of i32: not 0 = may attend. Shapes: [T, S] or [B, T, S].
Mask MaskFrom(const heed_array& array) {
  const Tensor& may = Integers(array.tensor, "mask");
  const int rank = may.rank();
  if (rank != 2 && rank != 3) {
    throw ShapeError("mask {} is neither [T, S] nor [B, T, S]",
                     may.shape().ToString());
  }
  const int64_t T = may.dim(-2);
  const int64_t S = may.dim(-1);
  const bool batched = rank == 3;
  const MaskSizes sizes = {batched ? may.dim(0) : -1, T, S};
  const auto allowed = [may, T, S, batched](int64_t b, int64_t t, int64_t s) {
    return may.data<int32_t>()[((batched ? b : 0) * T + t) * S + s] != 0;
  };
  return Mask(MaskOf(allowed).rule(), sizes);
}

struct Inputs {
  Var query;
  Var key;
  Var value;
  Mask mask;
};

Attended Attend(const heed_attention& of, const Context& ctx,
                const Inputs& inputs, bool weights) {
  const Memory memory =
      of.attention->Prepare(ctx, inputs.key, inputs.value, inputs.mask);
  AttendOptions options;
  if (weights) {
    options.want =
        ctx.tape ? WantWeights::kDifferentiable : WantWeights::kValues;
  }
  return of.attention->Attend(ctx, inputs.query, memory, options);
}

}  // namespace

int32_t heed_attention_new(const char* options, size_t size,
                           heed_attention** attention) {
  return Guard([&] {
    heed_attention*& result = Result(attention, "attention");
    result = Make(JsonOf(options, size, "options")).release();
  });
}

size_t heed_attention_parameters(const heed_attention* attention) {
  return attention == nullptr ? 0 : attention->set->all().size();
}

int32_t heed_attention_parameter(heed_attention* attention, size_t i,
                                 heed_parameter** parameter) {
  return Guard([&] {
    heed_parameter*& result = Result(parameter, "parameter");
    const auto& set = Needed(attention, "attention").set;
    if (i >= set->all().size()) {
      throw ArgumentError("parameter {} of {}", i, set->all().size());
    }
    result = new heed_parameter{{set, set->all()[i].get()}};
  });
}

int32_t heed_attention_attend(const heed_attention* attention, heed_tape* tape,
                              const heed_variable* query,
                              const heed_variable* key,
                              const heed_variable* value,
                              const heed_array* mask, heed_variable** context,
                              heed_variable** weights) {
  return Guard([&] {
    heed_variable*& result = Result(context, "context");
    if (weights != nullptr) *weights = nullptr;
    const heed_attention& of = Needed(attention, "attention");
    Context ctx;
    SharedTape* const recorded = TapeOf(tape);
    if (recorded != nullptr) {
      ctx.tape = &recorded->tape;
      if (recorded->rng) {
        ctx.rng = &*recorded->rng;
        ctx.training = true;
        ctx.expects_choices = true;  // samples would need ReinforceLoss
      }
      for (const auto& parameter : of.set->all()) {
        recorded->parameters.push_back({of.set, parameter.get()});
      }
    }
    Inputs inputs;
    inputs.key = OnTape(key, recorded, "key");
    if (query != nullptr) inputs.query = OnTape(query, recorded, "query");
    inputs.value =
        value == nullptr ? inputs.key : OnTape(value, recorded, "value");
    if (mask != nullptr) inputs.mask = MaskFrom(*mask);
    Attended attended = Attend(of, ctx, inputs, weights != nullptr);
    std::unique_ptr<heed_variable> first(
        NewVariable(tape, std::move(attended.context)));
    if (weights != nullptr) {
      *weights = NewVariable(tape, std::move(attended.weights));
    }
    result = first.release();
  });
}

int32_t heed_tape_train(heed_tape* tape, int64_t seed) {
  return Guard([&] {
    static_cast<void>(Needed(tape, "tape"));
    TapeOf(tape)->rng.emplace(static_cast<uint64_t>(seed));
  });
}

int32_t heed_attention_run(const heed_attention* attention,
                           const heed_array* query, const heed_array* key,
                           const heed_array* value, const heed_array* mask,
                           heed_array** context, heed_array** weights) {
  return Guard([&] {
    heed_array*& result = Result(context, "context");
    if (weights != nullptr) *weights = nullptr;
    Inputs inputs;
    inputs.key = Needed(key, "key").tensor;
    if (query != nullptr) inputs.query = query->tensor;
    inputs.value = value == nullptr ? inputs.key : Var(value->tensor);
    if (mask != nullptr) inputs.mask = MaskFrom(*mask);
    const Attended attended = Attend(Needed(attention, "attention"), Context(),
                                     inputs, weights != nullptr);
    auto first = std::make_unique<heed_array>(attended.context.value());
    if (weights != nullptr) *weights = new heed_array(attended.weights.value());
    result = first.release();
  });
}

void heed_attention_free(heed_attention* attention) { delete attention; }
