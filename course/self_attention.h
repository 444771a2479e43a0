// Self-attention with projections of its own.
#ifndef HEED_COURSE_SELF_ATTENTION_H_
#define HEED_COURSE_SELF_ATTENTION_H_

#include <utility>

#include "heed/attention/attention.h"
#include "heed/nn/linear.h"

namespace heed {

/// What the heads read of words x [B, T, M], mixed. Parameters: query, key,
/// value, output, attention.
class SelfAttention {
 public:
  /// Words have as many features as queries.
  SelfAttention(ParameterSet& set, const AttentionSpec& spec, Init init = {})
      : query_(Scope(set, "query"), spec.query, spec.query, init),
        key_(Scope(set, "key"), spec.query, spec.query, init),
        value_(Scope(set, "value"), spec.query, spec.query, init),
        output_(Scope(set, "output"), spec.query, spec.query, init),
        attention_(Scope(set, "attention"), spec) {}

  /// All words at once.
  Attended operator()(const Context& ctx, const Var& x,
                      WantWeights want) const {
    const Memory memory = attention_.Prepare(ctx, key_(ctx, x), value_(ctx, x));
    Attended attended =
        attention_.Attend(ctx, query_(ctx, x), memory, {.want = want});
    attended.context = output_(ctx, attended.context);
    return attended;
  }

  /// `memory` (undefined at first) with more words behind those it has: a cache
  /// of keys and values.
  Memory Remember(const Context& ctx, Memory memory, const Var& x) const {
    return attention_.Extend(ctx, std::move(memory), key_(ctx, x),
                             value_(ctx, x));
  }
  /// What words read of a memory.
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
