// Properties that hold for every attention. Test a user-defined score,
// modifier, mask or normaliser by
//
//   AttentionSpec spec = TestSpec();
//   spec.score = UserPart<MyScore, Score>("mine");
//   ExpectAttentionHolds(spec);
#ifndef HEED_ATTENTION_TESTING_H_
#define HEED_ATTENTION_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/autograd/testing.h"
#include "heed/kernels/elementwise.h"

namespace heed {

template <class Part>
void PrintTo(const PartInfo<Part>& info, std::ostream* out) {
  *out << info.name;
}

/// Sizes of the inputs of an attention under test.
struct TestSizes {
  int64_t batch = 2;
  int64_t queries = 4;
  int64_t keys = 5;
};

/// Spec with two heads that share one key head; sizes differ where possible.
inline AttentionSpec TestSpec(const std::string& score = "scaled_dot",
                              const std::string& modifiers = "",
                              const std::string& normalizer = "softmax") {
  AttentionSpec spec;
  spec.score = ChooseScore(score);
  spec.modifiers = ChooseModifiers(modifiers);
  spec.normalizer = ChooseNormalizer(normalizer);
  spec.heads = 2;
  spec.key_heads = 1;
  spec.query = 2 * 4;
  spec.key = spec.score.info.equal_sizes ? 4 : 6;
  spec.value = 3;
  spec.units = 6;
  spec.positions = 150;
  return spec;
}

inline bool TakesQuery(const AttentionSpec& spec) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  AttentionSizes sizes;
  sizes.query = sizes.key = sizes.units = sizes.positions = 1;
  return spec.score.Make(Scope(set, "score"), sizes)->takes_query();
}

/// Text of a part with arguments that have an effect on short sequences. Parts
/// that are not listed keep their defaults.
inline std::string SmallText(const std::string& name, const TestSizes& sizes) {
  static const std::vector<std::pair<std::string, std::string>> texts = {
      {"location_aware", "(2, 2)"},
      {"local_p", "(2)"},
      {"local_p_scores", "(2)"},
      {"median_window", "(2)"},
      {"soft_cap", "(0.5)"},
      {"relative_bias", "(3, 6)"},
      {"local_m", "(1)"},
      {"prefix", "(2)"},
      {"window", "(2)"},
      {"adjacency", "(3)"},
      {"graph", "(0.2, 1)"},
      {"top_k", "(2)"},
  };
  if (name == "learned_bias") {
    return name + "(" +
           std::to_string(std::max({sizes.queries, sizes.keys, int64_t{1}})) +
           ")";
  }
  for (const auto& [own, arguments] : texts) {
    if (own == name) return name + arguments;
  }
  return name;
}

/// Names of parts; "" stands for no modifier and no mask.
struct TestRow {
  std::string score;
  std::string modifier;
  std::string mask;
  std::string normalizer;
};

inline void PrintTo(const TestRow& row, std::ostream* out) {
  *out << row.score << " | " << row.modifier << " | " << row.mask << " | "
       << row.normalizer;
}

inline std::vector<std::string> ModifierNames() {
  std::vector<std::string> names = NamesOf(Modifiers());
  names.insert(names.begin(), "");
  return names;
}

inline std::vector<std::string> MaskTexts() {
  std::vector<std::string> names = NamesOf(Masks());
  names.insert(names.begin(), "");
  names.push_back("causal && !window(2)");
  names.push_back("padding || causal");
  return names;
}

/// `mask` with small arguments; combinations contain theirs already.
inline std::string SmallMask(const std::string& mask, const TestSizes& sizes) {
  return mask.find(' ') == std::string::npos ? SmallText(mask, sizes) : mask;
}

inline AttentionSpec SpecOf(const TestRow& row, const TestSizes& sizes) {
  AttentionSpec spec =
      TestSpec(SmallText(row.score, sizes), SmallText(row.modifier, sizes),
               SmallText(row.normalizer, sizes));
  const int64_t queries = TakesQuery(spec) ? sizes.queries : 1;
  spec.mask =
      ParseMask(SmallMask(row.mask, sizes), {sizes.batch, queries, sizes.keys});
  return spec;
}

/// True if the constructor accepts score and modifier together; checks that a
/// rejection names both.
inline bool Fit(const std::string& score, const std::string& modifier) {
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const AttentionSpec spec =
      SpecOf({score, modifier, "", "softmax"}, TestSizes());
  try {
    const Attention attention(Scope(set, "layer.attention"), spec);
    return true;
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    for (const std::string& part : {std::string("layer.attention"),
                                    "'" + score + "'", "'" + modifier + "'"}) {
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
    return false;
  }
}

/// Positions [begin, end) of x [B, T, ·].
inline Tensor Positions(const Tensor& x, int64_t begin, int64_t end) {
  Tensor part({x.dim(0), end - begin, x.dim(2)}, x.dtype());
  for (int64_t b = 0; b < x.dim(0); ++b) {
    part[b].CopyFrom(x[b].Slice(begin, end));
  }
  return part;
}

/// Row b of x [B, ·, ·] as a batch [1, ·, ·].
inline Tensor RowOf(const Tensor& x, int64_t b) { return x.Slice(b, b + 1); }

/// Checks that body() throws a ConfigError whose message contains all `parts`.
template <class Body>
void ExpectConfigError(const Body& body,
                       const std::vector<std::string>& parts) {
  try {
    body();
    ADD_FAILURE() << "no ConfigError about " << parts[0];
  } catch (const ConfigError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << error.what() << "' does not say '" << part << "'";
    }
  }
}

/// Values and gradients, by name.
struct Result {
  std::vector<std::pair<std::string, Tensor>> tensors;

  const Tensor& operator[](const std::string& name) const {
    for (const auto& [own, tensor] : tensors) {
      if (own == name) return tensor;
    }
    throw ConfigError("no '" + name + "' in the outcome");
  }
};

/// Attention with random parameters and inputs, equal in f32 and f64.
class AttentionUnderTest {
 public:
  AttentionUnderTest(const AttentionSpec& spec, const TestSizes& sizes,
                     DType dtype)
      : set_(3, dtype, kernels::Precision::kNative),
        dtype_(dtype),
        attention_(Scope(set_, "layer.attention"), spec) {
    for (const auto& parameter : set_.all()) {
      parameter->mutable_value() = Numbers(parameter->value().shape());
      parameter->Changed();
    }
    if (TakesQuery(spec)) {
      query = Numbers({sizes.batch, sizes.queries, spec.query});
    }
    keys = Numbers({sizes.batch, sizes.keys, spec.key});
    values = Numbers(
        {sizes.batch, sizes.keys, spec.value == 0 ? spec.key : spec.value});
  }

  /// Random numbers within [-1, 1] that f32 represents; new ones in each call.
  Tensor Numbers(const Shape& shape) {
    return RandomTensor(shape, ++seed_, DType::kF32).To(dtype_);
  }

  const Attention& attention() const { return attention_; }
  std::vector<Parameter*> parameters() const {
    std::vector<Parameter*> all;
    for (const auto& parameter : set_.all()) all.push_back(parameter.get());
    return all;
  }
  Var AsQuery() const { return query.defined() ? Var(query) : Var(); }

  Attended Attend(const Context& ctx, WantWeights want = WantWeights::kNo,
                  const Mask& mask = {}) const {
    return attention_.Attend(ctx, AsQuery(),
                             attention_.Prepare(ctx, keys, values, mask),
                             {.want = want});
  }
  Tensor ContextOf(const Mask& mask = {}) const {
    return Attend({}, WantWeights::kNo, mask).context.value();
  }

  /// Context, and gradients of a random loss.
  Result Run(WantWeights want, const Mask& mask = {},
             bool training = false) const {
    Tape tape;
    Rng rng(11);
    Context ctx;
    ctx.tape = &tape;
    ctx.rng = &rng;
    ctx.training = training;
    for (Parameter* parameter : parameters()) parameter->ClearGradient();
    const Var q = query.defined() ? tape.Leaf(query) : Var();
    const Var k = tape.Leaf(keys);
    const Var v = tape.Leaf(values);
    const Memory memory = attention_.Prepare(ctx, k, v, mask);
    const Var context =
        attention_.Attend(ctx, q, memory, {.want = want}).context;
    if (context.tape() != nullptr) {
      tape.Backward(context,
                    RandomTensor(context.shape(), 9, DType::kF32).To(dtype_));
    }
    Result outcome;
    const auto keep = [&](const std::string& name, const Tensor& g,
                          const Tensor& like) {
      outcome.tensors.emplace_back(
          name, g.defined() ? g.Clone() : Tensor::Zeros(like.shape(), dtype_));
    };
    keep("context", context.value(), {});
    if (q.defined()) keep("query", tape.Gradient(q), query);
    keep("keys", tape.Gradient(k), keys);
    keep("values", tape.Gradient(v), values);
    for (const Parameter* parameter : parameters()) {
      keep(parameter->name(), parameter->gradient(), parameter->value());
    }
    return outcome;
  }

  Tensor query;  // undefined for a score without queries
  Tensor keys;
  Tensor values;

 private:
  ParameterSet set_;
  DType dtype_;
  uint64_t seed_ = 100;
  Attention attention_;
};

/// Checks the gradients of query, keys, values and all parameters by finite
/// differences.
inline void ExpectGradientsHold(const AttentionSpec& spec,
                                const TestSizes& sizes = {}) {
  constexpr int kSamples = 8;
  const AttentionUnderTest test(spec, sizes, DType::kF64);
  const bool asks = test.query.defined();
  std::vector<Tensor> inputs{test.keys, test.values};
  if (asks) inputs.push_back(test.query);
  const auto attend = [&](const Context& ctx, std::span<const Var> in) {
    const Memory memory = test.attention().Prepare(ctx, in[0], in[1]);
    return test.attention().Attend(ctx, asks ? in[2] : Var(), memory).context;
  };
  const auto f = [&](std::span<const Var> in) {
    Context ctx;
    ctx.tape = in[0].tape();
    return attend(ctx, in);
  };
  const GradientCheckResult of_inputs = CheckGradient(f, inputs, kSamples);
  EXPECT_LT(of_inputs.worst, 1e-6) << of_inputs.where;
  if (test.parameters().empty()) return;
  const std::vector<Var> in(inputs.begin(), inputs.end());
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var c = attend(ctx, in);
    const Tensor w = RandomTensor(c.shape(), 8);
    return Record("weighted",
                  Tensor::Full({}, kernels::Dot(c.value(), w), DType::kF64),
                  {c}, [w](const Tensor&, Grads& g) { g.Add(0, w); });
  };
  const GradientCheckResult of_parameters =
      CheckParameterGradient(loss, test.parameters(), kSamples);
  EXPECT_LT(of_parameters.worst, 1e-6) << of_parameters.where;
}

inline double Largest(const Tensor& x) {
  return MaxDifference(x, Tensor::Zeros(x.shape(), x.dtype()));
}

/// Checks that `fused` is at most twice as far from `exact` as `plain` is, plus
/// a rounding of `floor` times the largest number.
inline void ExpectAsCloseAs(const Result& plain, const Result& fused,
                            const Result& exact, double floor) {
  ASSERT_EQ(fused.tensors.size(), exact.tensors.size());
  for (const auto& [name, expected] : exact.tensors) {
    const double scale = std::max(1.0, Largest(expected));
    EXPECT_LE(MaxDifference(fused[name], expected),
              2 * MaxDifference(plain[name], expected) + floor * scale)
        << name;
  }
}

/// Checks that in f32 the context and all gradients, fused and composed, match
/// f64; with dropout if `training`.
inline void ExpectFusedIsComposed(const AttentionSpec& spec,
                                  const TestSizes& sizes = {},
                                  bool training = false) {
  // Rounding of a sum of some hundred products, which compilers may contract:
  // plain may happen to be exact where fused is not.
  constexpr double kRounding = 16 * std::numeric_limits<float>::epsilon();
  const auto run = [&](DType dtype, WantWeights want) {
    return AttentionUnderTest(spec, sizes, dtype).Run(want, {}, training);
  };
  const Result exact = run(DType::kF64, WantWeights::kDifferentiable);
  const Result plain = run(DType::kF32, WantWeights::kDifferentiable);
  const Result fused = run(DType::kF32, WantWeights::kNo);
  for (const auto& [name, expected] : exact.tensors) {
    EXPECT_LE(MaxDifference(plain[name], expected),
              2e-5 * std::max(1.0, Largest(expected)))
        << name << ", composed";
  }
  ExpectAsCloseAs(plain, fused, exact, kRounding);
}

/// Checks that queries in steps of one or three give the results of all at
/// once.
inline void ExpectStepsEqualAllAtOnce(const AttentionSpec& spec,
                                      const TestSizes& sizes, DType dtype) {
  const double tolerance = dtype == DType::kF64 ? 1e-13 : 1e-5;
  const AttentionUnderTest test(spec, sizes, dtype);
  if (!test.query.defined()) return;
  const Attended all = test.Attend({}, WantWeights::kValues);
  const int64_t heads = spec.heads;
  for (const int64_t few : {int64_t{1}, int64_t{3}}) {
    Memory memory = test.attention().Prepare({}, test.keys, test.values);
    for (int64_t t = 0; t < sizes.queries; t += few) {
      const int64_t end = std::min(t + few, sizes.queries);
      const Attended step =
          test.attention().Attend({}, Positions(test.query, t, end), &memory,
                                  {.want = WantWeights::kValues});
      EXPECT_EQ(memory.position, end);
      EXPECT_LT(MaxDifference(step.context.value(),
                              Positions(all.context.value(), t, end)),
                tolerance)
          << "queries " << t << " to " << end;
      const Shape rows{sizes.batch * heads, sizes.queries, sizes.keys};
      EXPECT_LT(
          MaxDifference(
              step.weights.value().Reshape({rows[0], end - t, sizes.keys}),
              Positions(all.weights.value().Reshape(rows), t, end)),
          tolerance)
          << "weights of queries " << t << " to " << end;
    }
  }
}

/// Checks that a growing memory gives the results of a new memory at each step.
inline void ExpectExtendedEqualsPrepared(const AttentionSpec& spec,
                                         const TestSizes& sizes, DType dtype) {
  const double tolerance = dtype == DType::kF64 ? 1e-13 : 1e-5;
  const AttentionUnderTest test(spec, sizes, dtype);
  Memory memory;
  Var previous;  // weights for the new memory
  Var coverage;
  for (int64_t t = 0; t < sizes.queries; ++t) {
    const int64_t keys = sizes.keys * (t + 1) / sizes.queries;
    const int64_t known = memory.defined() ? memory.size() : 0;
    memory = test.attention().Extend({}, std::move(memory),
                                     Positions(test.keys, known, keys),
                                     Positions(test.values, known, keys));
    Memory whole = test.attention().Prepare({}, Positions(test.keys, 0, keys),
                                            Positions(test.values, 0, keys));
    const Var query =
        test.query.defined() ? Var(Positions(test.query, t, t + 1)) : Var();
    whole.position = t;
    whole.previous = previous;
    whole.coverage = coverage;
    const auto attend = [&](Memory* m) {
      return test.attention().Attend({}, query, m,
                                     {.want = WantWeights::kValues});
    };
    const Attended a = attend(&memory);
    const Attended b = attend(&whole);
    previous = whole.previous;
    coverage = whole.coverage;
    EXPECT_LT(MaxDifference(a.context.value(), b.context.value()), tolerance)
        << "step " << t;
    EXPECT_LT(MaxDifference(a.weights.value(), b.weights.value()), tolerance)
        << "weights of step " << t;
  }
}

/// Mask that hides all keys from query 1 and from all of row 0.
inline Mask Nowhere() {
  return MaskOf([](int64_t b, int64_t t, int64_t) { return b != 0 && t != 1; });
}

/// Checks that a query whose keys are all masked has a zero context and
/// gradient.
inline void ExpectNowhereIsZero(const AttentionSpec& spec,
                                const TestSizes& sizes, DType dtype) {
  const AttentionUnderTest test(spec, sizes, dtype);
  const Result outcome = test.Run(WantWeights::kNo, Nowhere());
  for (const auto& [name, x] : outcome.tensors) {
    EXPECT_TRUE(std::isfinite(Largest(x))) << name;
    if (name != "context" && name != "query" && name != "keys" &&
        name != "values") {
      continue;
    }
    EXPECT_EQ(Largest(x[0]), 0) << name << " of row 0";
    const bool by_query = name == "context" || name == "query";
    for (int64_t b = 0; by_query && x.dim(1) > 1 && b < sizes.batch; ++b) {
      EXPECT_EQ(Largest(x[b][1]), 0) << name << " of query 1, row " << b;
    }
  }
}

/// Checks that huge positive and negative scores give no NaN, and equal weights
/// fused and composed up to the rounding of scores.
inline void ExpectGreatScoresAreNumbers(const AttentionSpec& spec,
                                        const TestSizes& sizes, DType dtype) {
  for (const double factor : {1e4, -1e4, 1e30, -1e30}) {
    AttentionUnderTest test(spec, sizes, dtype);
    test.keys = kernels::Scale(test.keys, factor);
    const Result outcome = test.Run(WantWeights::kNo);
    const Result composed = test.Run(WantWeights::kDifferentiable);
    for (const char* name : {"context", "values"}) {
      EXPECT_LT(MaxDifference(outcome[name], composed[name]), 0.02)
          << name << " with keys times " << factor;
    }
    for (const auto& [name, tensor] : outcome.tensors) {
      const std::vector<double> all = tensor.ToVector<double>();
      EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                               [](double x) { return std::isnan(x); }))
          << name << " with keys times " << factor;
    }
  }
}

/// The weights of edges [H, E] as a matrix [1, H, T, S].
inline Tensor MatrixOf(const AttentionWatch::Seen& seen) {
  if (!seen.graph) return seen.weights.value();
  const kernels::Neighbourhood& graph = *seen.graph;
  const Tensor edges = seen.weights.value().To(DType::kF64);
  Tensor weights = Tensor::Zeros(
      {1, edges.dim(0), graph.queries, graph.key_count}, DType::kF64);
  for (int64_t h = 0; h < edges.dim(0); ++h) {
    for (int64_t i = 0; i < edges.dim(1); ++i) {
      const int32_t t = graph.queries_of_edges.data<int32_t>()[i];
      weights[0][h].row<double>(t)[graph.keys.data<int32_t>()[i]] =
          edges.row<double>(h)[i];
    }
  }
  return weights;
}

/// Weights of all observed steps in one tensor [B, H, T, S].
inline Tensor PutTogether(const AttentionWatch& watch, const Shape& shape) {
  Tensor weights = Tensor::Full(shape, NAN, DType::kF64);
  for (const AttentionWatch::Seen& seen : watch.seen) {
    const Tensor own = MatrixOf(seen).To(DType::kF64);
    for (int64_t b = 0; b < own.dim(0); ++b) {
      for (int64_t h = 0; h < own.dim(1); ++h) {
        weights[b][h]
            .Slice(seen.step, seen.step + own.dim(2))
            .CopyFrom(own[b][h]);
      }
    }
  }
  return weights;
}

/// Checks that an observer and WantWeights get the weights from which the
/// context is computed.
inline void ExpectWeightsAreObserved(const AttentionSpec& spec,
                                     const TestSizes& sizes, DType dtype) {
  const double tolerance = dtype == DType::kF64 ? 1e-13 : 1e-5;
  const AttentionUnderTest test(spec, sizes, dtype);
  const Attended attended = test.Attend({}, WantWeights::kValues);
  const Tensor weights = attended.weights.value();
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  EXPECT_EQ(
      MaxDifference(test.Attend(ctx).context.value(), attended.context.value()),
      0);
  EXPECT_EQ(MaxDifference(PutTogether(watch, weights.shape()), weights), 0);
  for (const AttentionWatch::Seen& seen : watch.seen) {
    EXPECT_EQ(seen.info.path, "layer.attention");
    EXPECT_EQ(seen.info.score, spec.score.info.name);
    EXPECT_EQ(seen.info.normalizer, spec.normalizer.info.name);
    EXPECT_EQ(seen.info.heads, spec.heads);
  }
  Tape tape;
  Context composed;
  composed.tape = &tape;
  EXPECT_LT(
      MaxDifference(
          test.Attend(composed, WantWeights::kDifferentiable).weights.value(),
          weights),
      tolerance);
  const int64_t key_heads = spec.key_heads == 0 ? spec.heads : spec.key_heads;
  const int64_t width = test.values.dim(2) / key_heads;
  for (int64_t b = 0; b < sizes.batch; ++b) {
    for (int64_t h = 0; h < spec.heads; ++h) {
      const int64_t column = h / (spec.heads / key_heads) * width;
      for (int64_t t = 0; t < weights.dim(2); ++t) {
        for (int64_t d = 0; d < width; ++d) {
          double sum = 0;
          for (int64_t s = 0; s < sizes.keys; ++s) {
            sum += kernels::At(weights[b][h], t, s) *
                   kernels::At(test.values[b], s, column + d);
          }
          EXPECT_NEAR(
              kernels::At(attended.context.value()[b], t, h * width + d), sum,
              tolerance);
        }
      }
    }
  }
}

/// Checks that later keys change nothing with a causal mask.
inline void ExpectCausal(const AttentionSpec& spec, const TestSizes& sizes,
                         DType dtype) {
  AttentionUnderTest test(spec, sizes, dtype);
  if (!test.query.defined()) return;
  const Tensor before = test.ContextOf(Causal());
  const int64_t seen = sizes.keys / 2;
  for (int64_t b = 0; b < sizes.batch; ++b) {
    for (Tensor* x : {&test.keys, &test.values}) {
      (*x)[b].Slice(seen, sizes.keys).Fill(3);
    }
  }
  const Tensor after = test.ContextOf(Causal());
  EXPECT_EQ(
      MaxDifference(Positions(before, 0, seen), Positions(after, 0, seen)), 0);
}

/// Checks all properties that hold for every attention.
inline void ExpectAttentionHolds(const AttentionSpec& spec,
                                 const TestSizes& sizes = {}) {
  ExpectGradientsHold(spec, sizes);
  ExpectFusedIsComposed(spec, sizes);
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    SCOPED_TRACE(Name(dtype));
    ExpectStepsEqualAllAtOnce(spec, sizes, dtype);
    ExpectExtendedEqualsPrepared(spec, sizes, dtype);
    ExpectNowhereIsZero(spec, sizes, dtype);
    ExpectGreatScoresAreNumbers(spec, sizes, dtype);
    ExpectWeightsAreObserved(spec, sizes, dtype);
    ExpectCausal(spec, {sizes.batch, sizes.keys, sizes.keys}, dtype);
  }
}

}  // namespace heed

#endif  // HEED_ATTENTION_TESTING_H_
