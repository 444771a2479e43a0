// Attention: a score, a softmax over the real keys, and a weighted sum.
#ifndef HEED_ATTENTION_ATTENTION_H_
#define HEED_ATTENTION_ATTENTION_H_

#include <memory>
#include <string>

#include "heed/attention/score.h"

namespace heed {

/// What can be attended to: made once per source, then only read, so that one
/// memory serves all steps and beams. A value; copies share the tensors.
struct Memory {
  PreparedKeys prepared;
  Var values;  // [B, S, D]

  bool defined() const { return values.defined(); }
  /// Rows `rows` (i32) of the batch, in that order.
  Memory Select(const Tensor& rows) const;
};

struct Attended {
  Var context;  // Σ_s a_ts v_s [B, T, D]
  Var weights;  // a [B, T, S]
};

/// c_t = Σ_s softmax_s(e(q_t, k_s)) v_s. A row without keys gives zeros.
class Attention {
 public:
  /// `score` is one of ScoreNames(). Throws: ConfigError if the score needs
  /// queries and keys of one size and they are not.
  Attention(const Scope& scope, const std::string& score,
            const ScoreOptions& options);

  /// Shapes: keys [B, S, key], which are also the values; lengths i32 [B].
  Memory Prepare(const Context& ctx, const Var& keys,
                 const Tensor& lengths) const;

  /// Shapes: query [B, T, query]. The weights go to ctx.recorder, if any.
  Attended Attend(const Context& ctx, const Var& query,
                  const Memory& memory) const;

 private:
  std::string path_;
  std::unique_ptr<Score> score_;
};

}  // namespace heed

#endif  // HEED_ATTENTION_ATTENTION_H_
