// Attention: score, modifiers, mask, normaliser and weighted sum.
//
//   AttentionSpec spec;
//   spec.score = ChooseScore("scaled_dot");
//   spec.modifiers = ChooseModifiers("alibi");
//   spec.mask = Causal();
//   spec.heads = 8;
//   spec.query = spec.key = spec.value = 512;
//   const Attention attention(Scope(parameters, "attention"), spec);
//   const Memory memory = attention.Prepare(ctx, keys, values);
//   const Var context = attention.Attend(ctx, queries, memory).context;
//
// What a spec says is computed by a fused kernel wherever there is one, which
// never builds the T x S matrix, and else from single ops, with the same
// numbers.
#ifndef HEED_ATTENTION_ATTENTION_H_
#define HEED_ATTENTION_ATTENTION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/decoder_state.h"
#include "heed/attention/mask.h"
#include "heed/attention/modifier.h"
#include "heed/attention/normalizer.h"
#include "heed/attention/score.h"
#include "heed/base/inline_vector.h"
#include "heed/kernels/step_attention.h"

namespace heed {

/// What an attention computes: a value.
struct AttentionSpec {
  Choice<Score> score = ChooseScore("scaled_dot");
  std::vector<Choice<Modifier>> modifiers;
  Mask mask;
  Choice<Normalizer> normalizer = ChooseNormalizer("softmax");
  double dropout = 0;  // of weights, while training

  int64_t heads = 1;      // H
  int64_t key_heads = 0;  // K, a divisor of H; 0: as heads
  /// Features of a query, a key and a value, over all heads.
  int64_t query = 0;
  int64_t key = 0;
  int64_t value = 0;  // 0: as key

  int64_t units = 0;  // width of hidden layers, per head
  int64_t layers = 2;
  int64_t positions = 0;
  Init init;
  kernels::Precision precision = kernels::Precision::kNative;

  /// As AttentionInfo has them.
  std::string query_axis = "source";
  std::string key_axis = "source";
  std::string output = {};
};

/// What can be attended to: made once per source, then only read, so that one
/// memory serves all steps and beams. A value; copies share the tensors.
struct Memory {
  Var keys;    // prepared [B, S, ·]
  Var values;  // [B, S, K*D]
  Mask mask;
  int64_t filled = -1;  // keys of a growing memory that are there; -1: all

  bool defined() const { return values.defined(); }
  /// The same with keys and values in bf16: half the memory, and a few queries
  /// of a dot product, which are bound by reading it, take half the time. Other
  /// attention turns them back. Not for gradients.
  Memory InBF16() const;
  /// S, of those that are there.
  int64_t size() const { return filled < 0 ? values.dim(1) : filled; }
};

/// What an attention carries from one step to the next.
struct AttentionState {
  int64_t position = 0;  // of the next query
  Var previous;          // weights of the last query [B*H, S], if it is used
};

/// Whether Attend is to give the weights, which then takes memory T * S.
enum class WantWeights : uint8_t {
  kNo,
  kValues,          // without a gradient
  kDifferentiable,  // runs composed
};

struct Attended {
  Var context;  // [B, T, H*D]
  Var weights;  // [B, H, T, S] if wanted
  /// Of a hard sample [B, H, T], see ReinforceLoss.
  Var log_probability;
  Var entropy;
};

/// Immutable; used from many threads. A row that may look nowhere gives a zero
/// context and a zero gradient.
class Attention {
 public:
  static constexpr size_t kMaxModifiers = 8;

  /// Throws: ConfigError if parts do not fit together: heads that do not
  /// divide, a score that needs queries and keys of one size, a modifier that
  /// needs a query where there is none.
  Attention(const Scope& scope, const AttentionSpec& spec);

  /// Shapes: keys [B, S, key], values [B, S, value]; `mask` is and-ed to the
  /// spec's. Throws: ShapeError, naming the attention.
  Memory Prepare(const Context& ctx, const Var& keys, const Var& values,
                 const Mask& mask = {}) const;

  /// `memory` (undefined at first) with keys and values [B, N, ·] behind those
  /// it has: a key/value cache, which grows in place if the caller moves it in.
  /// Not for gradients. Throws: ShapeError.
  Memory Extend(const Context& ctx, Memory memory, const Var& keys,
                const Var& values) const;

  /// Shapes: query [B, T, query] (undefined for a score that has its own).
  /// With a state, the queries stand behind those before, and the state moves
  /// on. ctx.observer gets what it wants of it.
  /// Throws: ShapeError, naming the attention.
  Attended Attend(const Context& ctx, const Var& query, const Memory& memory,
                  AttentionState* state = nullptr,
                  WantWeights want = WantWeights::kNo) const;

  /// Attend for queries that are prepared already [B, T, H*A], without a
  /// state: what remains when all projections are done elsewhere.
  /// Throws: ShapeError; ConfigError if a modifier reads the query.
  Attended AttendPrepared(const Context& ctx, const Var& query,
                          const Memory& memory,
                          WantWeights want = WantWeights::kNo) const;

  /// Self attention of T positions, queries, keys and values side by side.
  /// `mask` is and-ed to the spec's. With a state that is not whole they stand
  /// behind those that it knows, whose keys and values it keeps, and `mask` is
  /// not read. Where score, modifiers and normaliser say that step kernels can
  /// do it, keys and values stay where they were written. Shapes: qkv [B, T,
  /// query + key + value], result [B, T, H*D].
  Var AttendSelf(const Context& ctx, const Var& qkv, const Mask& mask,
                 DecoderState* state) const;
  /// The same of queries, keys and values apart, with a state that is not
  /// whole, by the cache that any score can do with.
  Var AttendNext(const Context& ctx, const Var& query, const Var& keys,
                 const Var& values, DecoderState& state) const;

  /// Keeps what AttendSource looks at, unless that has been done. Shapes: keys
  /// [B, S, key], values [B, S, value], lengths i32 [B] or undefined (all S).
  void KeepSource(const Context& ctx, const Var& keys, const Var& values,
                  const Tensor& lengths, DecoderState& state) const;
  /// The same of keys and values side by side [B, S, key + value].
  void KeepSource(const Context& ctx, const Var& pairs, const Tensor& lengths,
                  DecoderState& state) const;
  bool HasSource(const DecoderState& state) const;
  /// T queries of each row, of which a source has R / B, about that source.
  /// With `show`, the state's weights become those of the last query, of head
  /// `head`, -1: the mean of all. Shapes: query [R, T, query], result [R, T,
  /// H*D].
  Var AttendSource(const Context& ctx, const Var& query, DecoderState& state,
                   bool show, int64_t head = -1) const;

  /// Whether what a query gets depends on itself and the memory alone: not on
  /// where it stands, nor on those before it.
  bool independent() const {
    return score_->takes_query() && !history_ && modifiers_.empty() &&
           mask_.all();
  }
  const AttentionInfo& info() const { return info_; }
  /// Whether f32 tensors run through a fused kernel.
  bool fused() const { return fused_; }

 private:
  struct Call;
  /// Of the fused kernel: q, k, v, w, then x of each step of a modifier.
  using Inputs = InlineVector<Var, 4 + 2 * kMaxModifiers>;
  void CheckSource(const Var& keys, const Var& values) const;
  void Check(bool holds, const std::string& message, const Var& x,
             const Memory& memory) const;
  void CheckQuery(const Var& query, int64_t features,
                  const Memory& memory) const;
  std::optional<Memory> Turned(const Context& ctx, const Memory& memory,
                               int64_t queries) const;
  Var PrepareKeys(const Context& ctx, const Var& keys, int64_t offset) const;
  Attended StepByStep(const Context& ctx, const Var& query,
                      const Memory& memory, AttentionState* state,
                      WantWeights want) const;
  Attended AttendStep(const Context& ctx, const Var& query,
                      const Memory& memory, AttentionState* state,
                      WantWeights want) const;
  Attended Nothing(int64_t batch, const Memory& memory, WantWeights want) const;
  Attended Finish(const Context& ctx, Call& call, const Var& prepared,
                  const Memory& memory) const;
  Var Previous(const AttentionState* state, int64_t batch,
               const Memory& memory) const;
  Attended Run(Call& call) const;
  kernels::AttentionArgs Arguments(const Call& call, Inputs& inputs) const;
  Attended Fused(Call& call) const;
  Attended Sparse(Call& call) const;
  Attended Composed(Call& call) const;
  bool StepsByKernel(const Context& ctx, const Tensor& x) const;
  kernels::StepQueries StepQueriesOf(const Context& ctx, const Tensor& q) const;
  Tensor SelfSteps(const Context& ctx, const Tensor& qkv,
                   DecoderState& state) const;
  Attended AttendKept(const Context& ctx, const Var& query,
                      const Memory& memory, DecoderState& state,
                      WantWeights want) const;

  /// Of what it keeps in a DecoderState.
  struct Names {
    std::string keys;
    std::string values;
    std::string lengths;
    std::string previous;  // weights [R*H, S]
    std::string pairs;     // keys and values side by side, for step kernels
  };

  AttentionInfo info_;
  Names names_;
  AttentionSizes sizes_;
  int64_t query_;
  int64_t key_;
  int64_t value_;
  Mask mask_;
  double dropout_;
  kernels::Precision precision_;
  std::unique_ptr<Score> score_;
  std::vector<std::unique_ptr<Modifier>> modifiers_;
  std::unique_ptr<Normalizer> normalizer_;
  bool fused_ = false;
  bool history_ = false;
};

/// Weights [B, H, T, S] as one [B, T, S]: of `head`, -1: the mean of all.
Tensor HeadWeights(const Tensor& weights, int64_t head = -1);

}  // namespace heed

#endif  // HEED_ATTENTION_ATTENTION_H_
