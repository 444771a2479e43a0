// Score functions: how well a query fits a key.
//
// A score is independent of the model that uses it. Each is one small file in
// scores/ with its formula and source, and one line in registry.cc.
#ifndef HEED_ATTENTION_SCORE_H_
#define HEED_ATTENTION_SCORE_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"

namespace heed {

/// What a score is built for.
struct ScoreOptions {
  int64_t query = 0;      // features of a query
  int64_t key = 0;        // features of a key
  int64_t units = 0;      // width of a hidden layer (additive, mlp)
  int64_t layers = 2;     // hidden layers (mlp)
  int64_t positions = 0;  // longest source that location sees
  Init init;              // of matrices
};

/// Keys as a score wants them, made once per source.
struct PreparedKeys {
  Var keys;        // [B, S, ·]
  Tensor lengths;  // i32 [B], keys that take part; undefined: all
};

/// e(q, k) for all pairs. Immutable; used from many threads.
class Score {
 public:
  virtual ~Score() = default;
  /// Shapes: keys [B, S, key].
  virtual PreparedKeys Prepare(const Context& ctx, const Var& keys,
                               const Tensor& lengths) const;
  /// Shapes: query [B, T, query]; result [B, T, S].
  virtual Var operator()(const Context& ctx, const Var& query,
                         const PreparedKeys& keys) const = 0;
};

/// A line of `heed list scores`.
struct ScoreInfo {
  std::string name;
  std::string formula;
  std::string source;
  bool equal_sizes;  // needs queries and keys of one size
  std::unique_ptr<Score> (*make)(const Scope& scope,
                                 const ScoreOptions& options);
};

/// All scores, in the order of their invention.
const std::vector<ScoreInfo>& Scores();
/// Throws: ConfigError that lists the names.
const ScoreInfo& FindScore(const std::string& name);
std::vector<std::string> ScoreNames();

}  // namespace heed

#endif  // HEED_ATTENTION_SCORE_H_
