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
// A fused kernel, which never builds the T x S matrix, computes a spec wherever
// one exists. Other specs run as single ops and give equal results.
#ifndef HEED_ATTENTION_ATTENTION_H_
#define HEED_ATTENTION_ATTENTION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/decoder_state.h"
#include "heed/attention/mask.h"
#include "heed/attention/memory.h"
#include "heed/attention/modifier.h"
#include "heed/attention/normalizer.h"
#include "heed/attention/score.h"
#include "heed/base/inline_vector.h"
#include "heed/kernels/step_attention.h"

namespace heed {

/// Parts and sizes of an attention: a value.
struct AttentionSpec {
  Choice<Score> score = ChooseScore("scaled_dot");
  std::vector<Choice<Modifier>> modifiers;
  Mask mask;
  Choice<Normalizer> normalizer = ChooseNormalizer("softmax");
  double dropout = 0;  // dropout rate of the weights in training

  int64_t heads = 1;      // H
  int64_t key_heads = 0;  // K, a divisor of H; 0: equal to heads
  /// Features of a query, a key and a value, over all heads.
  int64_t query = 0;
  int64_t key = 0;
  int64_t value = 0;  // 0: equal to key

  int64_t units = 0;  // width of hidden layers, per head
  int64_t layers = 2;
  int64_t positions = 0;
  Init init;
  kernels::Precision precision = kernels::Precision::kNative;

  /// Labels for observers, copied to the AttentionInfo.
  std::string query_axis = "source";
  std::string key_axis = "source";
  std::string output = {};
};

/// Attention weights that Attend returns; they take memory T * S.
enum class WantWeights : uint8_t {
  kNo,
  kValues,          // without a gradient
  kDifferentiable,  // runs composed
};

/// Choices of one call of Attend.
struct AttendOptions {
  WantWeights want = WantWeights::kNo;
  /// Fills Attended::last with the weights of this head; -1: the mean of all
  /// heads.
  std::optional<int64_t> last = {};
  /// True if the queries [B, T, H*A] are already projected by the caller. Not
  /// with modifiers that read the query.
  bool prepared = false;
};

struct Attended {
  Var context = {};  // [B, T, H*D]
  Var weights = {};  // [B, H, T, S] if requested
  Tensor last =
      {};  // weights of the last query of each row [B, S] if requested
  /// Log-probability [B, H, T] and entropy of a hard sample; see ReinforceLoss.
  Var log_probability = {};
  Var entropy = {};
};

/// Immutable; thread-safe. A query whose keys are all masked gets a zero
/// context and a zero gradient.
class Attention {
 public:
  static constexpr size_t kMaxModifiers = 8;

  /// Throws: ConfigError if parts do not fit together, for example heads that
  /// do not divide the features, a score that needs queries and keys of one
  /// size, or a modifier that needs a query where the score has none.
  Attention(const Scope& scope, const AttentionSpec& spec);

  /// Projects keys and values. `mask` is combined with the mask of the spec by
  /// AND. Shapes: keys [B, S, key], values [B, S, value]. Throws: ShapeError,
  /// naming the attention.
  Memory Prepare(const Context& ctx, const Var& keys, const Var& values,
                 const Mask& mask = {}) const;

  /// The memory of a source for the steps of a decoder, in the layout and
  /// precision of `state`. Shapes: `lengths` i32 [B] or undefined (all S).
  /// Throws: ShapeError.
  Memory Prepare(const Context& ctx, const Var& keys, const Var& values,
                 const Tensor& lengths, const DecoderState& state) const;

  /// Appends keys and values [B, N, ·] to `memory` (undefined at first): a
  /// key/value cache, which grows in place if the caller moves it in. Not
  /// differentiable. Throws: ShapeError.
  Memory Extend(const Context& ctx, Memory memory, const Var& keys,
                const Var& values) const;

  /// Attends from all queries at once. ctx.observer receives the weights and
  /// parts that it requests. Shapes: query [B, T, query], undefined for a score
  /// without queries. Throws: ShapeError, naming the attention; ConfigError for
  /// prepared queries that a part does not accept.
  Attended Attend(const Context& ctx, const Var& query, const Memory& memory,
                  const AttendOptions& options = {}) const;

  /// Attends from queries that follow those of earlier calls; advances
  /// memory->position. In a decoder R may be a multiple of its B sources.
  /// Shapes: query [R, T, query].
  Attended Attend(const Context& ctx, const Var& query, Memory* memory,
                  const AttendOptions& options = {}) const;

  /// True if the result for a query depends on that query and the memory alone,
  /// not on its position or on earlier queries.
  bool independent() const {
    return score_->takes_query() && !history_ && modifiers_.empty() &&
           mask_.all();
  }
  const AttentionInfo& info() const { return info_; }
  /// True if f32 tensors run through a fused kernel.
  bool fused() const { return fused_; }

 private:
  struct Call;
  /// Inputs of the fused kernel: q, k, v, w, then x of each step of a modifier.
  using Inputs = InlineVector<Var, 4 + 2 * kMaxModifiers>;
  void CheckSource(const Var& keys, const Var& values) const;
  void Check(bool holds, const std::string& message, const Var& x,
             const Memory& memory) const;
  void CheckQuery(const Var& query, int64_t features,
                  const Memory& memory) const;
  std::optional<Memory> Turned(const Context& ctx, const Memory& memory,
                               int64_t queries) const;
  Var PrepareKeys(const Context& ctx, const Var& keys, int64_t offset) const;
  Attended AttendFrom(const Context& ctx, const Var& query,
                      const Memory& memory, Memory* left,
                      const AttendOptions& options) const;
  Attended StepByStep(const Context& ctx, const Var& query,
                      const Memory& memory, Memory* left,
                      const AttendOptions& options) const;
  Attended AttendStep(const Context& ctx, const Var& query,
                      const Memory& memory, Memory* left,
                      const AttendOptions& options) const;
  Attended Nothing(int64_t batch, const Memory& memory, WantWeights want) const;
  Attended Finish(const Context& ctx, Call& call, const Var& prepared,
                  const Memory& memory) const;
  Var Extended(const Var& known, int64_t batch, const Memory& memory,
               double at_first) const;
  int64_t QuerySize(const Memory& memory, const AttendOptions& options) const;
  void CheckTakesPrepared() const;
  Attended Run(Call& call) const;
  kernels::AttentionArgs Arguments(const Call& call, Inputs& inputs) const;
  Attended Fused(Call& call) const;
  Attended Sparse(Call& call) const;
  Attended Composed(Call& call) const;
  bool StepsByKernel(const Context& ctx, const Tensor& x) const;
  kernels::StepQueries StepQueriesOf(const Context& ctx, const Tensor& q) const;
  Tensor Turn(const Tensor& x, int64_t position) const;
  void AppendPositions(const Tensor& keys, const Tensor& values,
                       Memory& memory) const;
  Attended AttendPositions(const Context& ctx, const Tensor& query,
                           Memory& memory) const;
  Attended AttendPairs(const Context& ctx, const Tensor& query,
                       const Memory& memory,
                       const AttendOptions& options) const;

  AttentionInfo info_;
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

/// Options that request the mean weights of the last query if the state wants
/// them.
inline AttendOptions WantedWeights(const DecoderState& state) {
  AttendOptions options;
  if (state.wants_weights) options.last = -1;
  return options;
}

/// Weights [B, H, T, S] of one head as [B, T, S]; head -1: the mean of all.
Tensor HeadWeights(const Tensor& weights, int64_t head = -1);
/// Position T - 1 of each row. Shapes: x [R, T, S], result [R, S].
Tensor LastOfEach(const Tensor& x);

}  // namespace heed

#endif  // HEED_ATTENTION_ATTENTION_H_
