#include "heed/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/kernels/attention_factors.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/normalizers.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/heads.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/score_modifiers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

using Kind = kernels::ScoreModifier::Kind;

void Require(bool holds, const std::string& message) {
  if (!holds) throw ConfigError(message);
}

/// Sizes of one head. Throws: ConfigError.
AttentionSizes SizesOf(const std::string& path, const AttentionSpec& spec) {
  AttentionSizes n;
  n.heads = spec.heads;
  n.key_heads = spec.key_heads == 0 ? spec.heads : spec.key_heads;
  Require(
      n.heads > 0 && n.key_heads > 0 && n.heads % n.key_heads == 0,
      fmt::format("{}: {} heads cannot share {} key heads; choose a divisor",
                  path, n.heads, n.key_heads));
  const auto divide = [&](const char* what, int64_t features, int64_t heads) {
    Require(features > 0 && features % heads == 0,
            fmt::format("{}: {} features of a {} do not divide into {} heads",
                        path, features, what, heads));
    return features / heads;
  };
  n.query = divide("query", spec.query, n.heads);
  n.key = divide("key", spec.key, n.key_heads);
  divide("value", spec.value == 0 ? spec.key : spec.value, n.key_heads);
  Require(spec.units >= 0 && spec.layers >= 1 && spec.positions >= 0,
          fmt::format("{}: {} units, {} layers and {} positions must not be "
                      "below 0, 1 and 0",
                      path, spec.units, spec.layers, spec.positions));
  Require(spec.dropout >= 0 && spec.dropout < 1,
          fmt::format("{}: dropout must be from 0 to below 1, not {}", path,
                      spec.dropout));
  n.units = spec.units;
  n.layers = spec.layers;
  n.positions = spec.positions;
  n.init = spec.init;
  return n;
}

/// Runs body(); prefixes errors of ops with the name of the attention.
template <class Body>
auto Named(const std::string& path, const Body& body) {
  const auto named = [&path](const std::exception& error) {
    const std::string what = error.what();
    return what.starts_with(path) ? what : fmt::format("{}: {}", path, what);
  };
  try {
    return body();
  } catch (const ShapeError& error) {
    throw ShapeError(named(error));
  } catch (const NumericError& error) {
    throw NumericError(named(error));
  }
}

/// Order in which steps are applied. Windows follow all other changes of
/// scores, because a soft cap would make their −∞ finite. Factors of weights
/// come last.
enum class Stage : uint8_t { kScores, kWindows, kWeights };

Stage StageOf(const ScoreStep& step) {
  if (step.kind == Kind::kWindow) return Stage::kWindows;
  return step.kind == Kind::kGaussianWeights ? Stage::kWeights : Stage::kScores;
}

/// One step of a modifier, composed of ops.
Var ApplyStep(const ScoreStep& step, int64_t heads, const Var& e) {
  const auto per_row = [&] {
    return Reshape(step.x, {step.x.dim(0) * step.x.dim(1), step.x.dim(2)});
  };
  switch (step.kind) {
    case Kind::kScale:
      return Scale(e, step.value);
    case Kind::kRowScale:
      return ScaleRows(e, per_row());
    case Kind::kSoftCap:
      return SoftCap(e, step.value);
    case Kind::kBias:
      return AddBias(e, step.x, heads);
    case Kind::kDistanceBias:
      return AddDistanceBias(e, step.x, heads);
    case Kind::kWindow:
      return MaskWindow(e, per_row().value(), step.value);
    case Kind::kGaussianScores:
    case Kind::kGaussianWeights:
      return GaussianFactor(e, per_row(), step.value);
  }
  return e;
}

/// 1 where the mask allows, else 0 [N, T, S].
Tensor Allowed(const Var& like, const kernels::MaskRule& rule, int64_t heads,
               int64_t offset) {
  const Tensor zeros = Tensor::Zeros(like.shape(), like.value().dtype());
  return kernels::Exp(kernels::MaskScores(zeros, rule, heads, offset));
}

/// Parts [B H, ., .] as [B, H, ., .].
AttentionParts ByHead(AttentionParts parts, const AttentionSite& site) {
  for (Tensor* x : {&parts.query, &parts.keys, &parts.values, &parts.scores,
                    &parts.weights, &parts.context}) {
    if (!x->defined() || x->rank() != 3) continue;
    *x = x->Contiguous().Reshape(
        {site.batch, x->dim(0) / site.batch, x->dim(1), x->dim(2)});
  }
  return parts;
}

/// The weights of a graph's edges [H, E] as a matrix [1, H, T, S].
Tensor Spread(const Tensor& edges, const kernels::Neighbourhood& graph) {
  const int64_t heads = edges.dim(0);
  Tensor weights =
      Tensor::Zeros({1, heads, graph.queries, graph.key_count}, edges.dtype());
  const int32_t* query = graph.queries_of_edges.data<int32_t>();
  const int32_t* key = graph.keys.data<int32_t>();
  const auto spread = [&]<typename T>(T) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < edges.dim(1); ++i) {
        weights.row<T>(h * graph.queries + query[i])[key[i]] =
            edges.row<T>(h)[i];
      }
    }
  };
  if (edges.dtype() == DType::kF64) {
    spread(double{});
  } else {
    spread(float{});
  }
  return weights;
}

}  // namespace

/// Inputs and intermediate values of one call of Attend.
struct Attention::Call {
  AttentionSite site;
  Var query = {};  // prepared
  Var keys;        // prepared
  Var values;
  Var history = {};         // weights [B*H, S] of earlier steps for the score
  int64_t key_heads = 1;    // of prepared keys
  int64_t value_heads = 1;  // of values
  Mask mask = {};
  std::vector<std::vector<ScoreStep>> steps = {};  // of each modifier
  WantWeights want = WantWeights::kNo;
  AttentionRequest request = {};  // requested by the observer
  AttentionParts parts = {};      // [B H, ., .], if requested
  const kernels::Neighbourhood* graph =
      nullptr;        // graph of the edges; null: all pairs
  Var observed = {};  // weights [B, H, T, S], of a graph [H, E]
  std::shared_ptr<const kernels::AttentionFactors> factors = {};
};

Attention::Attention(const Scope& scope, const AttentionSpec& spec)
    : info_{.path = scope.path(),
            .score = spec.score.info.name,
            .normalizer = spec.normalizer.info.name,
            .query_axis = spec.query_axis,
            .key_axis = spec.key_axis,
            .heads = spec.heads,
            .output = spec.output},
      sizes_(SizesOf(info_.path, spec)),
      query_(spec.query),
      key_(spec.key),
      value_(spec.value == 0 ? spec.key : spec.value),
      mask_(spec.mask),
      dropout_(spec.dropout),
      precision_(spec.precision) {
  const std::string& name = spec.score.info.name;
  Require(!spec.score.info.equal_sizes || sizes_.query == sizes_.key,
          fmt::format("{}: the score '{}' needs queries and keys of one size, "
                      "but they have {} and {} features; choose 'general' or "
                      "other units",
                      info_.path, name, sizes_.query, sizes_.key));
  score_ = spec.score.Make(scope, sizes_);
  normalizer_ = spec.normalizer.Make(scope, sizes_);
  fused_ = normalizer_->fused() && score_->fused();
  history_ = score_->uses_history();
  Require(spec.modifiers.size() <= kMaxModifiers,
          fmt::format("{}: {} modifiers are too many; at most {}", info_.path,
                      spec.modifiers.size(), kMaxModifiers));
  for (const Choice<Modifier>& choice : spec.modifiers) {
    modifiers_.push_back(choice.Make(scope, sizes_));
    info_.modifiers.push_back(choice.info.name);
    const Modifier& modifier = *modifiers_.back();
    Require(score_->takes_query() || !modifier.takes_query(),
            fmt::format("{}: the modifier '{}' reads the query, which the "
                        "score '{}' does not take",
                        info_.path, choice.info.name, name));
    Require(score_->turns() || !modifier.turns(),
            fmt::format("{}: the modifier '{}' turns queries and keys, which "
                        "only changes scores that are dot products, not '{}'",
                        info_.path, choice.info.name, name));
    fused_ = fused_ && modifier.fused();
    history_ = history_ || modifier.uses_history();
  }
}

Var Attention::PrepareKeys(const Context& ctx, const Var& keys,
                           int64_t offset) const {
  return Named(info_.path, [&] {
    Var prepared = score_->PrepareKeys(ctx, keys);
    for (const auto& modifier : modifiers_) {
      prepared =
          modifier->Keys(ctx, prepared, score_->PreparedHeads(sizes_), offset);
    }
    return prepared;
  });
}

void Attention::Check(bool holds, const std::string& message, const Var& x,
                      const Memory& memory) const {
  if (holds) return;
  throw ShapeError("{}: {} (queries or keys {}, memory {})", info_.path,
                   message, x.defined() ? x.shape().ToString() : "[]",
                   memory.values.shape().ToString());
}

void Attention::CheckQuery(const Var& query, int64_t features,
                           const Memory& memory) const {
  Check(query.shape().rank() == 3 && query.dim(2) == features &&
            query.dim(0) == memory.values.dim(0),
        fmt::format("queries that are not [{}, T, {}]", memory.values.dim(0),
                    features),
        query, memory);
  Check(query.value().dtype() == memory.computed_in(),
        fmt::format("queries of {}, but values of {}",
                    Name(query.value().dtype()),
                    Name(memory.values.value().dtype())),
        query, memory);
}

/// Returns `memory` converted to f32 if the kernels for this number of queries
/// cannot read bf16; else nothing.
std::optional<Memory> Attention::Turned(const Context& ctx,
                                        const Memory& memory,
                                        int64_t queries) const {
  if (memory.values.value().dtype() != DType::kBF16) return {};
  const auto score = score_->Fused(ctx, DType::kF32);
  if (fused_ && ctx.tape == nullptr && ctx.observer == nullptr &&
      memory.mask.graph() == nullptr && score_->steps() && score.has_value() &&
      kernels::ReadsBF16(score->kind, queries)) {
    return {};
  }
  Memory turned = memory;
  turned.keys = memory.keys.value().To(DType::kF32);
  turned.values = memory.values.value().To(DType::kF32);
  return turned;
}

Attended Attention::Attend(const Context& ctx, const Var& query,
                           const Memory& memory,
                           const AttendOptions& options) const {
  return AttendFrom(ctx, query, memory, nullptr, options);
}

/// `left` receives the state that later queries need; null: discarded.
Attended Attention::AttendFrom(const Context& ctx, const Var& query,
                               const Memory& memory, Memory* left,
                               const AttendOptions& options) const {
  const bool asks = query.defined() && score_->takes_query();
  Check(query.defined() || !score_->takes_query(),
        "no queries, which this score needs", query, memory);
  if (options.prepared) CheckTakesPrepared();
  if (asks) CheckQuery(query, QuerySize(memory, options), memory);
  const int64_t queries = asks ? query.dim(1) : 1;
  const std::optional<Memory> turned = Turned(ctx, memory, queries);
  const Memory& readable = turned ? *turned : memory;
  const int64_t offset = left == nullptr ? 0 : left->position;
  memory.mask.Check(info_.path, memory.values.dim(0), offset + queries,
                    memory.size(), left == nullptr);
  AttendOptions wanted = options;
  if (options.last) wanted.want = std::max(options.want, WantWeights::kValues);
  Attended attended = history_ && queries != 1
                          ? StepByStep(ctx, query, readable, left, wanted)
                          : AttendStep(ctx, query, readable, left, wanted);
  if (left != nullptr) left->position = offset + queries;
  if (options.last) {
    attended.last =
        LastOfEach(HeadWeights(attended.weights.value(), *options.last));
  }
  if (options.want == WantWeights::kNo) attended.weights = Var();
  return attended;
}

/// Features of the queries passed to a call.
int64_t Attention::QuerySize(const Memory& memory,
                             const AttendOptions& options) const {
  if (!options.prepared) return query_;
  return memory.keys.dim(2) / score_->PreparedHeads(sizes_) * sizes_.heads;
}

void Attention::CheckTakesPrepared() const {
  Require(!history_,
          fmt::format("{}: a part that reads the weights of the step before "
                      "takes no prepared queries",
                      info_.path));
  for (const auto& modifier : modifiers_) {
    Require(!modifier->takes_query(),
            fmt::format("{}: a modifier reads the query, which is not there "
                        "once it is prepared",
                        info_.path));
  }
}

Attended Attention::AttendStep(const Context& ctx, const Var& query,
                               const Memory& memory, Memory* left,
                               const AttendOptions& options) const {
  const int64_t batch = memory.values.dim(0);
  Call call{.site = {.ctx = ctx, .query = options.prepared ? Var() : query},
            .keys = memory.keys,
            .values = memory.values};
  call.site.offset = left == nullptr ? 0 : left->position;
  call.want = options.want;
  if (history_) {
    call.site.previous =
        Extended(left == nullptr ? Var() : left->previous, batch, memory, 1);
    call.history = score_->history() == EarlierWeights::kSum
                       ? Extended(left == nullptr ? Var() : left->coverage,
                                  batch, memory, 0)
                       : call.site.previous;
    if (left != nullptr) {
      call.want = ctx.tape != nullptr
                      ? WantWeights::kDifferentiable
                      : std::max(options.want, WantWeights::kValues);
    }
  }
  Attended attended = Named(info_.path, [&] {
    const Var prepared =
        options.prepared ? query : score_->PrepareQuery(ctx, query, batch);
    return Finish(ctx, call, prepared, memory);
  });
  if (history_ && left != nullptr) {
    left->previous =
        Reshape(attended.weights, {batch * sizes_.heads, memory.size()});
    if (score_->history() == EarlierWeights::kSum) {
      left->coverage =
          Add(Columns(call.history, 0, memory.size()), left->previous);
    }
  }
  if (options.want == WantWeights::kNo) attended.weights = Var();
  return attended;
}

Attended Attention::Finish(const Context& ctx, Call& call, const Var& prepared,
                           const Memory& memory) const {
  AttentionSite& site = call.site;
  site.batch = memory.values.dim(0);
  site.heads = sizes_.heads;
  site.queries = prepared.dim(1);
  site.keys = memory.values.dim(1);
  site.dtype = memory.computed_in();
  call.mask = memory.mask;
  if (memory.filled >= 0) {
    call.mask =
        call.mask &&
        Padding(Tensor::Full({site.batch}, static_cast<double>(memory.filled),
                             DType::kI32));
  }
  if (memory.lengths.defined()) {
    call.mask = call.mask && Padding(memory.lengths);
  }
  site.lengths = call.mask.lengths();
  call.query = prepared;
  if (score_->uses_history()) {
    call.keys = score_->KeysAfter(ctx, call.keys, call.history);
  }
  for (const auto& modifier : modifiers_) {
    call.query = modifier->Query(site, call.query);
    call.steps.push_back(modifier->Steps(site));
  }
  call.key_heads = score_->PreparedHeads(sizes_);
  call.value_heads = sizes_.key_heads;
  const bool grows = memory.size() < site.keys;
  if (ctx.observer != nullptr) call.request = ctx.observer->Wants(info_);
  if (grows && call.request.factors) {
    call.request.factors = false;
    call.request.weights = true;
  }
  Attended attended = Run(call);
  if (attended.weights.defined() && grows) {
    attended.weights = Columns(attended.weights, 0, memory.size());
  }
  if (ctx.observer == nullptr) return attended;
  if (call.request.any()) {
    if (grows) call.observed = Columns(call.observed, 0, memory.size());
    const AttentionParts parts = ByHead(call.parts, site);
    ctx.observer->OnAttention({info_, site.offset, call.observed, call.graph,
                               call.request.parts ? &parts : nullptr,
                               attended.log_probability, attended.entropy,
                               call.factors});
  }
  attended.context = ctx.observer->OnContext(info_, attended.context);
  return attended;
}

Attended Attention::Run(Call& call) const {
  const bool differentiable = call.want == WantWeights::kDifferentiable &&
                              call.site.ctx.tape != nullptr;
  if (!fused_ || differentiable || call.request.parts ||
      call.request.gradient) {
    return Composed(call);
  }
  const bool plain = std::all_of(call.steps.begin(), call.steps.end(),
                                 [](const auto& s) { return s.empty(); });
  const kernels::Neighbourhood* graph = call.mask.graph().get();
  if (graph != nullptr && graph->queries == call.site.queries &&
      graph->key_count == call.site.keys && call.site.batch == 1 && plain) {
    return Sparse(call);
  }
  if (call.site.dtype != DType::kF32) return Composed(call);
  return Fused(call);
}

kernels::AttentionArgs Attention::Arguments(const Call& call,
                                            Inputs& inputs) const {
  const FusedScore score = *score_->Fused(call.site.ctx, call.site.dtype);
  kernels::AttentionArgs args;
  args.score = score.kind;
  args.value = score.value;
  args.heads = sizes_.heads;
  args.key_heads = call.key_heads;
  args.query_offset = call.site.offset;
  args.precision = precision_;
  args.cancellation = call.site.ctx.cancellation;
  if (dropout_ > 0 && call.site.ctx.training) {
    args.dropout = dropout_;
    args.dropout_key = call.site.ctx.NextKey();
  }
  // The score has more key heads than value heads: repeat the values.
  const Var values =
      call.key_heads == call.value_heads
          ? call.values
          : MergeHeads(SplitHeads(call.values, call.value_heads,
                                  call.key_heads / call.value_heads),
                       call.key_heads);
  for (const Var& input : {call.query, call.keys, values, score.w}) {
    inputs.push_back(input);
  }
  for (const Stage stage : {Stage::kScores, Stage::kWindows, Stage::kWeights}) {
    for (const auto& steps : call.steps) {
      for (const ScoreStep& step : steps) {
        if (StageOf(step) != stage) continue;
        args.modifiers.push_back({step.kind, step.value, {}});
        inputs.push_back(step.x);
      }
    }
  }
  return args;
}

Attended Attention::Fused(Call& call) const {
  Inputs inputs;
  kernels::AttentionArgs args = Arguments(call, inputs);
  Tensor log_sum;
  Attended attended;
  attended.context =
      FusedAttention(args, call.mask.rule(), inputs.span(), log_sum);
  const bool factors = call.request.factors && args.dropout == 0;
  const bool observed = call.request.any() && !factors;
  if (call.want != WantWeights::kNo || observed) {
    attended.weights = kernels::FusedAttentionWeights(args, log_sum);
    if (observed) call.observed = attended.weights;
  }
  if (factors) {
    call.factors = std::make_shared<kernels::AttentionFactors>(
        std::move(args), log_sum, call.mask.rule());
  }
  return attended;
}

Attended Attention::Sparse(Call& call) const {
  Inputs inputs;
  kernels::AttentionArgs args = Arguments(call, inputs);
  Tensor edges;
  Attended attended;
  attended.context =
      SparseAttention(args, call.mask.graph(), inputs.span(), edges);
  call.observed = edges;
  call.graph = call.mask.graph().get();
  if (call.want != WantWeights::kNo) {
    attended.weights = Spread(edges, *call.graph);
  }
  return attended;
}

Attended Attention::Composed(Call& call) const {
  const AttentionSite& site = call.site;
  const int64_t heads = sizes_.heads;
  const auto split = [heads](const Var& x, int64_t own) {
    return SplitHeads(x, own, heads / own);
  };
  const Var query = split(call.query, heads);
  const Var keys = split(call.keys, call.key_heads);
  Var e = score_->Scores(site.ctx, query, keys);
  const auto apply = [&](Stage stage, size_t modifier, Var x) {
    for (const ScoreStep& step : call.steps[modifier]) {
      if (StageOf(step) == stage) x = ApplyStep(step, heads, x);
    }
    return x;
  };
  for (size_t i = 0; i < modifiers_.size(); ++i) {
    e = modifiers_[i]->Scores(site, apply(Stage::kScores, i, e));
  }
  for (size_t i = 0; i < modifiers_.size(); ++i) {
    e = apply(Stage::kWindows, i, e);
  }
  const kernels::MaskRule* rule = call.mask.rule().get();
  e = MaskScores(e, rule, heads, site.offset);
  const Normalized normalized = (*normalizer_)(site.ctx, e);
  Var a = normalized.weights;
  bool moved = false;
  for (size_t i = 0; i < modifiers_.size(); ++i) {
    a = apply(Stage::kWeights, i, a);
    const Var before = a;
    a = modifiers_[i]->Weights(site, a);
    moved = moved || !a.value().Aliases(before.value());
  }
  // Modifiers of weights may have moved mass to masked keys.
  if (moved && rule != nullptr) {
    a = Mul(a, Allowed(a, *rule, heads, site.offset));
  }
  const Var kept = Dropout(site.ctx, a, dropout_);
  const Var values = split(call.values, call.value_heads);
  const Var context = WeightedSum(kept, values);
  if (call.request.parts) {
    call.parts = {query.value(), keys.value(), values.value(),
                  e.value(),     kept.value(), context.value()};
  }
  Attended attended;
  attended.context = MergeHeads(context, heads);
  const auto by_head = [&](const Var& x) {
    return x.defined() ? Reshape(x, {site.batch, heads, site.queries}) : x;
  };
  const auto by_query = [&](const Var& x) {
    return Reshape(x, {site.batch, heads, site.queries, site.keys});
  };
  attended.weights = by_query(kept);
  call.observed = call.request.gradient ? by_query(a) : attended.weights;
  attended.log_probability = by_head(normalized.log_probability);
  attended.entropy = by_head(normalized.entropy);
  return attended;
}

}  // namespace heed
