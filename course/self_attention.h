// Self-attention with its own projections.
#ifndef HEED_COURSE_SELF_ATTENTION_H_
#define HEED_COURSE_SELF_ATTENTION_H_

#include <utility>

#include "heed/attention/attention.h"
#include "heed/nn/linear.h"

namespace heed {

/// Multi-head self-attention over x [B, T, M] with an output projection.
/// Parameters: query, key, value, output, attention.
class SelfAttention {
 public:
  /// Words have as many features as queries.
  SelfAttention(ParameterSet& set, const AttentionSpec& spec, Init init = {})
      : query_(Scope(set, "query"), spec.query, spec.query, init),
        key_(Scope(set, "key"), spec.query, spec.query, init),
        value_(Scope(set, "value"), spec.query, spec.query, init),
        output_(Scope(set, "output"), spec.query, spec.query, init),
        attention_(Scope(set, "attention"), spec) {}

  /// Attends from all words to all words.
  Attended operator()(const Context& ctx, const Var& x,
                      WantWeights want) const {
    const Memory memory = attention_.Prepare(ctx, key_(ctx, x), value_(ctx, x));
    Attended attended =
        attention_.Attend(ctx, query_(ctx, x), memory, {.want = want});
    attended.context = output_(ctx, attended.context);
    return attended;
  }

  /// Appends words to `memory`, a key-value cache; undefined at first.
  Memory Remember(const Context& ctx, Memory memory, const Var& x) const {
    return attention_.Extend(ctx, std::move(memory), key_(ctx, x),
                             value_(ctx, x));
  }
  /// Attends from words to a memory.
  Var Read(const Context& ctx, const Var& x, const Memory& memory) const {
    return output_(ctx, attention_.Attend(ctx, query_(ctx, x), memory).context);
  }

 private:
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
  Attention attention_;
};

}  // namespace heed

#endif  // HEED_COURSE_SELF_ATTENTION_H_
