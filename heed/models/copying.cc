#include "heed/models/copying.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/attention.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr const char* kCopiedIds = "copy.ids";        // i32 [B, S]
constexpr const char* kProjected = "copy.projected";  // w_h·h [B, S, 1]

/// Keeps the weights of one attention for the copies of a decoder; passes all
/// events on to the observer of the caller.
class CopiedWeights : public Observer {
 public:
  CopiedWeights(std::string path, Observer* other)
      : path_(std::move(path)), other_(other) {}

  AttentionRequest Wants(const AttentionInfo& info) override {
    wanted_ = other_ == nullptr ? AttentionRequest() : other_->Wants(info);
    AttentionRequest request = wanted_;
    if (info.path == path_) request.gradient = true;
    return request;
  }
  void OnAttention(const AttentionEvent& event) override {
    if (event.info.path == path_) steps_.push_back(event.weights);
    if (wanted_.any()) other_->OnAttention(event);
  }
  Var OnContext(const AttentionInfo& info, const Var& context) override {
    return other_ == nullptr ? context : other_->OnContext(info, context);
  }
  bool WantsInput(const std::string& name) override {
    return other_ != nullptr && other_->WantsInput(name);
  }
  Var OnInput(const std::string& name, const Var& x) override {
    return other_->OnInput(name, x);
  }

  std::span<const Var> steps() const { return steps_; }

 private:
  std::string path_;
  Observer* other_;
  AttentionRequest wanted_;
  std::vector<Var> steps_;
};

/// `ids` with `unknown` in place of temporary ids.
Tensor WithoutCopies(const Tensor& ids, int64_t vocabulary, int32_t unknown) {
  Tensor known = ids.Clone();
  for (int64_t i = 0; i < known.numel(); ++i) {
    int32_t& id = known.data<int32_t>()[i];
    if (id >= vocabulary) id = unknown;
  }
  return known;
}

/// Ids of each row's source at T steps. Shapes: ids i32 [B, S], result [T, R,
/// S].
Tensor OfRows(const Tensor& ids, int64_t T, int64_t R) {
  const int64_t B = ids.dim(0), S = ids.dim(1);
  Tensor all({T, R, S}, DType::kI32);
  for (int64_t r = 0; r < T * R; ++r) {
    std::copy_n(ids.row<int32_t>(r % R / (R / B)), S, all.row<int32_t>(r));
  }
  return all;
}

Decoder& CheckedToCopy(Decoder& decoder) {
  if (decoder.target_embedding() == nullptr ||
      decoder.alignment_attention().empty() || decoder.hard_choices()) {
    throw ConfigError(
        "copy: the weights of an attention to the source are the "
        "probabilities of its tokens, and this model has none; choose a model "
        "with soft attention, such as bahdanau, luong or transformer");
  }
  return decoder;
}

}  // namespace

CopyingDecoder::CopyingDecoder(std::unique_ptr<Decoder> generating,
                               CopyTable table)
    : Decoder(kNoSeed, DType::kF32, kernels::Precision::kNative),
      generating_(std::move(generating)),
      table_(std::move(table)),
      output_(CheckedToCopy(*generating_).output()),
      context_(
          Scope(generating_->parameters(), "copy.context")
              .Add("weight", {generating_->source_features(), 1}, kGlorotInit)),
      state_(Scope(generating_->parameters(), "copy.state")
                 .Add("weight", {output_.features(), 1}, kGlorotInit)),
      input_(Scope(generating_->parameters(), "copy.input")
                 .Add("weight",
                      {generating_->target_embedding()->weight().value().dim(1),
                       1},
                      kGlorotInit)),
      bias_(Scope(generating_->parameters(), "copy")
                .Add("bias", {1}, kZeroInit)) {}

/// Target ids of the source positions, −1: not copied. Shapes: i32 [B, S].
Tensor CopyingDecoder::CopiedIds(const Inputs& inputs) const {
  const int64_t B = inputs.size(), S = inputs.ids.dim(0);
  const auto known = std::ssize(table_.target_ids);
  Tensor ids = Tensor::Full({B, S}, -1, DType::kI32);
  for (int64_t b = 0; b < B; ++b) {
    std::unordered_map<int32_t, int32_t> first;  // position of a source id
    int32_t* own = ids.row<int32_t>(b);
    for (int32_t s = 0; s < inputs.lengths.data<int32_t>()[b]; ++s) {
      const int32_t id = inputs.ids.row<int32_t>(s)[b];
      CheckShapes(id >= 0 && id < known + S, "copying decoder",
                  "a source id that is neither in the vocabulary nor temporary",
                  {inputs.ids.shape()});
      if (id >= known) {
        own[s] = table_.target_size + id - static_cast<int32_t>(known);
      } else if (At(table_.target_ids, id) >= 0) {
        own[s] = At(table_.target_ids, id);
      } else {
        own[s] = table_.target_size + first.try_emplace(id, s).first->second;
      }
    }
  }
  return ids;
}

Encoding CopyingDecoder::Encode(const Context& ctx,
                                const Inputs& inputs) const {
  CheckShapes(inputs.kind == Inputs::Kind::kIds, "copying decoder",
              "a source that is not tokens", {});
  inputs.Check("copying decoder");
  Inputs known = inputs;
  known.ids = WithoutCopies(inputs.ids, std::ssize(table_.target_ids),
                            table_.source_unknown);
  Encoding encoding = generating_->Encode(ctx, known);
  encoding.copied_ids = CopiedIds(inputs);
  return encoding;
}

DecoderState CopyingDecoder::Start(const Context& ctx,
                                   const Encoding& encoding) const {
  CheckShapes(encoding.copied_ids.defined(), "copying decoder",
              "an encoding without ids to copy", {encoding.vectors.shape()});
  DecoderState state = generating_->Start(ctx, encoding);
  state.At(kCopiedIds, StateRole::kSource) = encoding.copied_ids;
  state.At(kProjected, StateRole::kSource) =
      MatMul(encoding.vectors, ctx.Use(context_));
  return state;
}

Var CopyingDecoder::Gate(const Context& ctx, const Var& h, const Tensor& read,
                         const Var& a, const DecoderState& state) const {
  const int64_t T = a.dim(0), R = a.dim(1), S = a.dim(2);
  const Var& projected = *state.Find(kProjected);
  // The R / B rows of a source are queries of its keys, as its T steps are.
  const int64_t B = projected.dim(0);
  const Var queries = T == 1 ? Reshape(a, {B, R / B, S}) : TransposeLeading(a);
  const Var context = WeightedSum(queries, projected);
  Var gate = T == 1 ? Reshape(context, {1, R, 1}) : TransposeLeading(context);
  gate = MatMulAdd(std::move(gate), h, ctx.Use(state_));
  gate =
      MatMulAdd(std::move(gate), (*generating_->target_embedding())(ctx, read),
                ctx.Use(input_));
  return AddRow(gate, ctx.Use(bias_));
}

Var CopyingDecoder::Features(const Context& ctx, const Tensor& tokens,
                             DecoderState& state) const {
  const int64_t T = tokens.dim(0), R = tokens.dim(1);
  const Tensor read =
      WithoutCopies(tokens, table_.target_size, table_.target_unknown);
  Var h;
  Var a;
  if (state.whole) {
    CopiedWeights weights(alignment_attention(), ctx.observer);
    Context watched = ctx;
    watched.observer = &weights;
    h = generating_->Features(watched, read, state);
    a = StepWeights(weights.steps(), alignment_head());
  } else {
    CheckShapes(T == 1, "copying decoder", "several tokens in one step",
                {tokens.shape()});
    const bool wanted = std::exchange(state.wants_weights, true);
    h = generating_->Features(ctx, read, state);
    state.wants_weights = wanted;
    a = Reshape(Var(state.weights), {1, R, state.weights.dim(1)});
  }
  const Tensor ids = OfRows(state.Find(kCopiedIds)->value(), T, R);
  return CopyOutput::Join(h, Gate(ctx, h, read, a, state), a, ids);
}

Var CopyingDecoder::Generates(const Context& ctx, const Inputs& inputs,
                              const Tensor& target_in) const {
  return Sigmoid(Reshape(output_.Gate(WholeFeatures(ctx, inputs, target_in)),
                         target_in.shape()));
}

Var StepWeights(std::span<const Var> weights, int64_t head) {
  std::vector<Var> steps;
  for (const Var& part : weights) {
    CheckShapes(part.shape().rank() == 4 && head < part.dim(1) &&
                    (weights.size() == 1 || part.dim(2) == 1),
                "weights of steps", "weights that are not [B, H, T, S]",
                {part.shape()});
    const int64_t B = part.dim(0), H = part.dim(1), T = part.dim(2);
    const int64_t S = part.dim(3);
    const Var heads = TransposeLeading(Reshape(part, {B, H, T * S}));
    Var one = Select(heads, std::max<int64_t>(head, 0));
    for (int64_t h = 1; h < H && head < 0; ++h) {
      one = Add(one, Select(heads, h));
    }
    if (head < 0 && H > 1) one = Scale(one, 1 / static_cast<double>(H));
    if (weights.size() == 1) return TransposeLeading(Reshape(one, {B, T, S}));
    steps.push_back(one);
  }
  return Stack(steps);
}

}  // namespace heed
