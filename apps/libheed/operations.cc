#include "apps/libheed/operations.h"

#include <cmath>
#include <memory>
#include <utility>

#include "apps/libheed/extra_operations.h"
#include "apps/libheed/guard.h"
#include "apps/libheed/variables.h"
#include "heed/base/json.h"
#include "heed/ops/activation.h"
#include "heed/ops/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/convolution2d.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/norm.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/rnn.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed::c {
namespace {

using Json = nlohmann::ordered_json;
using Call = OperationCall;
using Results = std::vector<Var>;

/// True if a value can replace a default: numbers are interchangeable.
bool Fits(const Json& value, const Json& initial) {
  if (initial.is_number_float()) return value.is_number();
  if (initial.is_number_integer()) return value.is_number_integer();
  return value.type() == initial.type();
}

/// Dimensions of a result. One of them may be −1: what is left of the elements.
Shape ShapeFrom(const std::vector<int64_t>& sizes, int64_t elements) {
  Shape shape;
  int64_t known = 1;
  int open = -1;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t size = sizes[axis];
    if (size == -1 && open < 0) {
      open = static_cast<int>(axis);
    } else if (size < 0) {
      throw ShapeError("reshape: dimension {} is {}", axis, size);
    } else {
      known *= size;
    }
    shape.Append(std::max<int64_t>(size, 0));
  }
  if (open >= 0 && known > 0) shape.Set(open, elements / known);
  if (shape.numel() != elements) {
    throw ShapeError("reshape: {} has not {} elements", shape.ToString(),
                     elements);
  }
  return shape;
}

/// Elements [begin, end) of the first or the last dimension; negative positions
/// count from its end.
Var SliceOf(const Call& call) {
  const Var& x = call[0];
  const int64_t axis = call.Integer("axis");
  const int rank = x.shape().rank();
  if (rank == 0 || (axis != 0 && axis != -1 && axis != rank - 1)) {
    throw ShapeError(
        "slice: axis {} of {}; only the first (0) and the last (-1) can be "
        "sliced",
        axis, x.shape().ToString());
  }
  const int64_t size = x.dim(static_cast<int>(axis));
  const auto from_end = [size](int64_t at) { return at < 0 ? at + size : at; };
  const int64_t begin = from_end(call.Integer("begin"));
  const int64_t end = from_end(std::min(call.Integer("end"), size));
  if (begin < 0 || end < begin) {
    throw ShapeError("slice: [{}, {}) of {} elements", begin, end, size);
  }
  if (axis == 0) return Slice(x, begin, end);
  // A dense copy: not every operation reads columns of another array.
  Shape shape = x.shape();
  shape.Set(-1, end - begin);
  return Reshape(Columns(x, begin, end), shape);
}

Var MeanOf(const Var& x) {
  return Scale(Sum(x), 1.0 / static_cast<double>(
                                 std::max<int64_t>(x.shape().numel(), 1)));
}

Results CrossEntropyOf(const Call& call) {
  const Tensor targets = call.Ids(1);
  CrossEntropyOptions options;
  options.ignore_id = static_cast<int32_t>(call.Integer("ignore"));
  options.smoothing = call.Number("smoothing");
  if (!(options.smoothing >= 0 && options.smoothing < 1)) {
    throw ConfigError("cross_entropy: smoothing is {}; it must be in [0, 1)",
                      options.smoothing);
  }
  int64_t count = 0;
  for (const int32_t target : targets.ToVector<int32_t>()) {
    count += target != options.ignore_id ? 1 : 0;
  }
  options.scale = 1.0 / static_cast<double>(std::max<int64_t>(count, 1));
  return {CrossEntropy(call[0], targets, options).loss};
}

double MeanScale(const Call& call) {
  return 1.0 /
         static_cast<double>(std::max<int64_t>(call[0].shape().numel(), 1));
}

GruKind GruKindOf(const std::string& name) {
  if (name == "cudnn") return GruKind::kCudnn;
  if (name == "cho") return GruKind::kCho;
  if (name == "bahdanau") return GruKind::kBahdanau;
  throw ConfigError("gru: kind '{}' is none of cudnn, cho, bahdanau", name);
}

/// Throws: ShapeError unless a first state is [B, H].
void CheckState(const char* op, const Var& state) {
  CheckShapes(state.shape().rank() == 2, op, "a first state that is not [B, H]",
              {state.shape()});
}

Results GruOf(const Call& call) {
  CheckState("gru", call[1]);
  GruWeights weights;
  weights.kind = GruKindOf(call.Text("kind"));
  weights.gates = call[2];
  if (weights.kind == GruKind::kCudnn) {
    weights.bias = call.Optional(3);
    const Shape expected = {3 * call[1].dim(1)};
    CheckShapes(!weights.bias.defined() || weights.bias.shape() == expected,
                "gru", "a bias that is not [3H]",
                {weights.bias.defined() ? weights.bias.shape() : expected});
  } else {
    weights.candidate = call.Optional(3);
  }
  return {GruSequence(call[0], call[1], weights, call.Ids(4))};
}

/// Hidden states [T, B, H] and last state [2, B, H] of an LSTM.
Results LstmOf(const Call& call) {
  CheckShapes(call[0].shape().rank() == 3 && call[0].dim(0) > 0, "lstm",
              "an input that is not one step or more [T, B, 4H]",
              {call[0].shape()});
  const Var all = LstmSequence(call[0], call[1], call[2], call.Ids(3));
  const int64_t steps = call[0].dim(0);
  const Var hidden = Slice(all, 0, steps);
  const Var parts[] = {Select(all, steps - 1), Select(all, steps)};
  return {hidden, Stack(parts)};
}

/// An option that is a whole number in [least, most].
int64_t Bounded(const Call& call, const char* option, int64_t least,
                int64_t most) {
  const int64_t value = call.Integer(option);
  if (value >= least && value <= most) return value;
  throw ConfigError("{} is {}; it must be from {} to {}", option, value, least,
                    most);
}

Window2d WindowOf(const Call& call) {
  CheckShapes(call[1].shape().rank() == 4, "conv2d",
              "filters that are not [K, K, C, F]", {call[1].shape()});
  constexpr int64_t kMostStride = int64_t{1} << 20;
  const int64_t size = call[1].dim(0);
  return {size, Bounded(call, "stride", 1, kMostStride),
          Bounded(call, "padding", 0, size)};
}

Context InTraining(const Call& call, Rng& rng) {
  Context ctx = call.ctx();
  ctx.rng = &rng;
  ctx.training = true;
  return ctx;
}

Results DropoutOf(const Call& call) {
  const double rate = call.Number("rate");
  if (!(rate >= 0 && rate < 1)) {
    throw ConfigError("dropout: the rate is {}; it must be in [0, 1)", rate);
  }
  Rng rng(static_cast<uint64_t>(call.Integer("seed")));
  return {Dropout(InTraining(call, rng), call[0], rate)};
}

template <Var (*kFunction)(const Var&)>
Results Unary(const Call& call) {
  return {kFunction(call[0])};
}

template <Var (*kFunction)(const Var&, const Var&)>
Results Binary(const Call& call) {
  return {kFunction(call[0], call[1])};
}

template <kernels::Activation kActivation>
Results Activated(const Call& call) {
  return {Activate(call[0], kActivation)};
}

constexpr Operation kOperations[] = {
    {"add", "a [...], b [...]", 2, 2, "{}", "a + b, elementwise", Binary<Add>},
    {"sub", "a [...], b [...]", 2, 2, "{}", "a - b, elementwise", Binary<Sub>},
    {"mul", "a [...], b [...]", 2, 2, "{}", "a * b, elementwise", Binary<Mul>},
    {"div", "a [...], b [...]", 2, 2, "{}", "a / b, elementwise",
     Binary<Quotient>},
    {"scale", "x [...]", 1, 1, R"({"factor": 1.0})", "factor * x",
     [](const Call& c) -> Results {
       return {Scale(c[0], c.Number("factor"))};
     }},
    {"add_scalar", "x [...]", 1, 1, R"({"number": 0.0})", "x + number",
     [](const Call& c) -> Results {
       return {AddScalar(c[0], c.Number("number"))};
     }},
    {"scale_by", "x [...], factor []", 2, 2, "{}", "factor * x",
     Binary<ScaleByNumber>},
    {"scale_rows", "x [..., N], factors [...]", 2, 2, "{}",
     "each row of x times its factor", Binary<ScaleRows>},
    {"add_pairs", "q [B, T, N], k [B, S, N]", 2, 2, "{}",
     "q_t + k_s for all pairs [B, T, S, N]",
     [](const Call& c) -> Results {
       CheckDTypes("add_pairs", c[0], c[1]);
       return {AddPairs(c[0], c[1])};
     }},
    {"add_row", "x [..., N], row [N]", 2, 2, "{}", "x + row for each row",
     Binary<AddRow>},
    {"matmul", "x [..., K], weight [K, N]", 2, 2, "{}", "x @ weight [..., N]",
     Binary<MatMul>},
    {"linear", "x [..., K], weight [K, N], bias [N]", 3, 3, "{}",
     "x @ weight + bias [..., N]",
     [](const Call& c) -> Results { return {Affine(c[0], c[1], c[2])}; }},
    {"batch_matmul", "x [N, T, K], y [N, K, M]", 2, 2,
     R"({"transpose": false})",
     "x_n @ y_n [N, T, M]; with transpose x_n @ y_n^T of y [N, M, K]",
     [](const Call& c) -> Results {
       if (c.Flag("transpose")) return {DotScores(c[0], c[1], 1)};
       return {WeightedSum(c[0], c[1])};
     }},
    {"tanh", "x [...]", 1, 1, "{}", "tanh(x)", Unary<Tanh>},
    {"sigmoid", "x [...]", 1, 1, "{}", "1 / (1 + exp(-x))", Unary<Sigmoid>},
    {"relu", "x [...]", 1, 1, "{}", "max(x, 0)", Unary<Relu>},
    {"elu", "x [...]", 1, 1, R"({"alpha": 1.0})",
     "x where x > 0, else alpha * (exp(x) - 1)",
     [](const Call& c) -> Results { return {Elu(c[0], c.Number("alpha"))}; }},
    {"gelu", "x [...]", 1, 1, "{}", "x * Phi(x)",
     Activated<kernels::Activation::kGelu>},
    {"silu", "x [...]", 1, 1, "{}", "x * sigmoid(x)",
     Activated<kernels::Activation::kSwish>},
    {"leaky_relu", "x [...]", 1, 1, R"({"slope": 0.01})",
     "x where x > 0, else slope * x",
     [](const Call& c) -> Results {
       return {LeakyRelu(c[0], c.Number("slope"))};
     }},
    {"softplus", "x [...]", 1, 1, "{}", "log(1 + exp(x))", Unary<Softplus>},
    {"exp", "x [...]", 1, 1, "{}", "exp(x)", Unary<Exp>},
    {"log", "x [...]", 1, 1, "{}", "natural logarithm of x", Unary<Logarithm>},
    {"sqrt", "x [...]", 1, 1, "{}", "square root of x", Unary<SquareRoot>},
    {"softmax", "x [..., N]", 1, 1, "{}", "softmax of each row",
     [](const Call& c) -> Results {
       // Softmax takes three dimensions.
       const Shape shape = c[0].shape();
       const int64_t columns = shape.rank() == 0 ? 1 : shape[-1];
       const int64_t rows = columns == 0 ? 0 : shape.numel() / columns;
       const Var flat = Reshape(c[0], {1, rows, columns});
       return {Reshape(Softmax(flat), shape)};
     }},
    {"sparsemax", "x [..., N]", 1, 1, "{}",
     "the distribution nearest to each row", Unary<Sparsemax>},
    {"entmax15", "x [..., N]", 1, 1, "{}",
     "1.5-entmax of each row, between softmax and sparsemax", Unary<Entmax15>},
    {"log_softmax", "x [..., N]", 1, 1, "{}", "log softmax of each row",
     Unary<LogSoftmax>},
    {"layer_norm", "x [..., N], gain [N], bias [N]", 3, 3,
     R"({"epsilon": 1e-5})",
     "(x - mean) / sqrt(variance + epsilon) * gain + bias for each row",
     [](const Call& c) -> Results {
       return {LayerNorm(c[0], c[1], c[2], c.Number("epsilon"))};
     }},
    {"normalize_rows", "x [..., N]", 1, 1, R"({"epsilon": 1e-12})",
     "x / sqrt(sum of squares + epsilon) for each row",
     [](const Call& c) -> Results {
       return {NormalizeRows(c[0], c.Number("epsilon"))};
     }},
    {"dropout", "x [...]", 1, 1, R"({"rate": 0.1, "seed": 1})",
     "x with a share of zeros, other elements divided by 1 - rate", DropoutOf},
    {"embedding", "table [V, M], ids i32 [...]", 2, 2, "{}",
     "rows of the table [..., M]",
     [](const Call& c) -> Results {
       CheckShapes(c[0].shape().rank() == 2, "embedding",
                   "a table that is not [V, M]", {c[0].shape()});
       return {Embed(c[0], c.Ids(1))};
     },
     1},
    {"concat", "parts [..., N_i]", 1, 1000, "{}",
     "the columns of all parts [..., sum N_i]",
     [](const Call& c) -> Results { return {ConcatColumns(c.inputs())}; }},
    {"stack", "parts [...]", 1, 100000, "{}", "[number of parts, ...]",
     [](const Call& c) -> Results { return {Stack(c.inputs())}; }},
    {"slice", "x [...]", 1, 1, R"({"begin": 0, "end": 9223372036854775807,
     "axis": 0})",
     "elements [begin, end) of the first or the last axis",
     [](const Call& c) -> Results { return {SliceOf(c)}; }},
    {"select", "x [N, ...]", 1, 1, R"({"i": 0})", "element i [...]",
     [](const Call& c) -> Results {
       const int64_t i = c.Integer("i");
       const int64_t size = c[0].shape().rank() == 0 ? 0 : c[0].dim(0);
       if (i < -size || i >= size) {
         throw ShapeError("select: element {} of {}", i, size);
       }
       return {Select(c[0], i < 0 ? i + size : i)};
     }},
    {"reshape", "x [...]", 1, 1, R"({"shape": []})",
     "x with another shape; one dimension may be -1",
     [](const Call& c) -> Results {
       return {
           Reshape(c[0], ShapeFrom(c.Integers("shape"), c[0].shape().numel()))};
     }},
    {"transpose", "x [A, B, ...]", 1, 1, "{}",
     "x with its first two axes swapped [B, A, ...]", Unary<SwapLeading>},
    {"split_heads", "x [B, T, H*D]", 1, 1, R"({"heads": 1})",
     "[B*H, T, D]: row b*H + h is head h of batch row b",
     [](const Call& c) -> Results {
       return {SplitHeads(c[0], c.Integer("heads"))};
     }},
    {"merge_heads", "x [B*H, T, D]", 1, 1, R"({"heads": 1})",
     "[B, T, H*D]: the inverse of split_heads",
     [](const Call& c) -> Results {
       return {MergeHeads(c[0], c.Integer("heads"))};
     }},
    {"sum", "x [...]", 1, 1, "{}", "sum of all elements []", Unary<Sum>},
    {"row_sums", "x [..., N]", 1, 1, "{}", "sum of each row [...]",
     Unary<SumOfRows>},
    {"mean", "x [...]", 1, 1, "{}", "mean of all elements []", Unary<MeanOf>},
    {"pick", "x [..., N], columns i32 [...]", 2, 2, "{}",
     "x[r, columns[r]] of each row r [...]; 0 where the column is -1",
     [](const Call& c) -> Results { return {Pick(c[0], c.Ids(1))}; }, 1},
    {"cross_entropy", "logits [..., V], targets i32 [...]", 2, 2,
     R"({"ignore": -1, "smoothing": 0.0})",
     "mean of -log softmax(logits)[target] over targets that are not ignored "
     "[]",
     CrossEntropyOf, 1},
    {"binary_cross_entropy", "logits [...], targets [...]", 2, 2, "{}",
     "mean of -t log p - (1 - t) log(1 - p) with p = sigmoid(logit) []",
     [](const Call& c) -> Results {
       return {BinaryCrossEntropy(c[0], c[1].value(), MeanScale(c))};
     }},
    {"mse", "y [...], targets [...]", 2, 2, "{}", "mean of (y - target)^2 []",
     [](const Call& c) -> Results {
       return {HuberLoss(c[0], c[1].value(), HUGE_VAL, MeanScale(c))};
     }},
    {"conv2d", "x [B, H, W, C], weight [K, K, C, F], [bias [F]]", 2, 3,
     R"({"stride": 1, "padding": 0})", "[B, H', W', F]",
     [](const Call& c) -> Results {
       const Window2d window = WindowOf(c);
       return {Convolve2d(c[0], c[1], c.Optional(2), window)};
     }},
    {"max_pool2d", "x [B, H, W, C]", 1, 1, R"({"size": 2})",
     "maximum of adjacent windows [B, H / size, W / size, C]",
     [](const Call& c) -> Results {
       return {MaxPool2d(c[0], Bounded(c, "size", 1, int64_t{1} << 20))};
     }},
    {"rnn", "x [T, B, H], h0 [B, H], weight [H, H], [lengths i32 [B]]", 3, 4,
     "{}", "h' = tanh(x + h @ weight) of each step [T, B, H]",
     [](const Call& c) -> Results {
       CheckState("rnn", c[1]);
       return {RnnSequence(c[0], c[1], c[2], c.Ids(3))};
     },
     3},
    {"gru",
     "x [T, B, 3H], h0 [B, H], weight [H, 3H], [bias [3H], [lengths i32 [B]]]",
     3, 5, R"({"kind": "cudnn"})",
     "hidden states [T, B, H]; gates r, z, n. Kinds cho and bahdanau take the "
     "weights [H, 2H] and [H, H]",
     GruOf, 4},
    {"lstm",
     "x [T, B, 4H], state0 [2, B, H], weight [H, 4H], [lengths i32 [B]]", 3, 4,
     "{}",
     "hidden states [T, B, H] and last state (h, c) [2, B, H]; gates i, f, g, "
     "o",
     LstmOf, 3},
};

/// Throws: ConfigError.
const Operation& OperationNamed(const std::string& name) {
  for (const Operation& operation : kOperations) {
    if (name == operation.name) return operation;
  }
  throw ConfigError(
      "there is no operation '{}'; heed_operations lists all of them", name);
}

/// Throws: ShapeError unless all inputs but the ids are f32, or all f64.
void CheckInputs(const Operation& operation, std::span<const Var> inputs) {
  const Var* first = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (static_cast<int>(i) == operation.ids) continue;
    const DType dtype = inputs[i].value().dtype();
    if (dtype != DType::kF32 && dtype != DType::kF64) {
      throw ShapeError("{}: input {} is {}, not f32 or f64", operation.name, i,
                       Name(dtype));
    }
    if (first == nullptr) first = &inputs[i];
    CheckDTypes(operation.name, *first, inputs[i]);
  }
}

}  // namespace

OperationCall::OperationCall(const Context& ctx, std::span<const Var> inputs,
                             const Json& defaults, const Json& options)
    : ctx_(ctx), inputs_(inputs), options_(defaults) {
  for (const auto& [key, value] : options.items()) {
    const auto found = options_.find(key);
    if (found == options_.end()) {
      throw ConfigError("there is no option '{}'", key);
    }
    if (!Fits(value, *found)) {
      throw ConfigError("{}: {} is of another type than {}", key,
                        Abridged(value), found->dump());
    }
    *found = value;
  }
}

Tensor OperationCall::Ids(size_t i) const {
  if (i >= size() || !inputs_[i].defined()) return {};
  const Tensor& ids = inputs_[i].value();
  if (ids.dtype() != DType::kI32) {
    throw ShapeError("input {} must be whole numbers, not {}", i,
                     Name(ids.dtype()));
  }
  return ids;
}

std::span<const Operation> Operations() { return kOperations; }

}  // namespace heed::c

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

int32_t heed_operation(heed_tape* tape, const char* name,
                       const heed_variable* const* inputs, size_t count,
                       const char* options, size_t size,
                       heed_variable** results, size_t room) {
  return Guard([&] {
    for (size_t i = 0; i < room; ++i)
      (&Needed(results, "results"))[i] = nullptr;
    const std::string known = TextOf(name, "name");
    const Operation& operation = OperationNamed(known);
    if (count < operation.min_inputs || count > operation.max_inputs) {
      throw ArgumentError("{} takes {}, not {} inputs", known, operation.inputs,
                          count);
    }
    Context ctx;
    SharedTape* const recorded = TapeOf(tape);
    if (recorded != nullptr) ctx.tape = &recorded->tape;
    std::vector<Var> values;
    for (size_t i = 0; i < count; ++i) {
      values.push_back(
          OnTape((&Needed(inputs, "inputs"))[i], recorded, "input"));
    }
    CheckInputs(operation, values);
    const nlohmann::ordered_json defaults =
        nlohmann::ordered_json::parse(operation.options);
    std::vector<Var> found = operation.run(
        OperationCall(ctx, values, defaults, JsonOf(options, size, "options")));
    if (found.size() > room) {
      throw ArgumentError("{} has {} results, and there is room for {}", known,
                          found.size(), room);
    }
    for (Var& value : found) {
      *results++ = NewVariable(tape, std::move(value));
    }
  });
}

int32_t heed_operations(heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Operation& operation : Operations()) {
      list.push_back(
          {{"name", operation.name},
           {"inputs", operation.inputs},
           {"options", nlohmann::ordered_json::parse(operation.options)},
           {"result", operation.result}});
    }
    result = NewAnswer(list);
  });
}
