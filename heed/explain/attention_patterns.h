// Mean weights on keys that have a meaning: first, own, previous, repeated.
#ifndef HEED_EXPLAIN_ATTENTION_PATTERNS_H_
#define HEED_EXPLAIN_ATTENTION_PATTERNS_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "heed/base/at.h"
#include "heed/explain/head_statistics.h"

namespace heed {

/// For each position, the last earlier position with an equal token; -1: none.
std::vector<int32_t> EarlierEqual(std::span<const int32_t> tokens);

/// Sums of the weights of rows on keys that have a meaning.
class PatternSums {
 public:
  /// `within_axis`: queries and keys are one sequence, so that own, previous
  /// and repeated keys exist. `earlier` is EarlierEqual of its tokens, empty if
  /// they are unknown, and must outlive this.
  PatternSums(bool within_axis, std::span<const int32_t> earlier)
      : within_axis_(within_axis), earlier_(earlier) {}

  /// Adds the row of query t. weight(s) is the weight of key s.
  template <class Weight>
  void Add(int64_t t, const Weight& weight) {
    first_.Add(weight(0));
    if (!within_axis_) return;
    own_.Add(weight(t));
    if (t > 0) previous_.Add(weight(t - 1));
    if (t >= std::ssize(earlier_) || At(earlier_, t) < 0) return;
    double equal = 0, next = 0;
    for (int32_t s = At(earlier_, t); s >= 0; s = At(earlier_, s)) {
      equal += weight(s);
      next += weight(s + 1);
    }
    repeated_.Add(equal);
    induction_.Add(next);
  }
  /// Adds the sums of later rows.
  void Add(const PatternSums& later) {
    first_.Add(later.first_);
    own_.Add(later.own_);
    previous_.Add(later.previous_);
    repeated_.Add(later.repeated_);
    induction_.Add(later.induction_);
  }

  /// Sets the means; those of no row are NaN.
  void SetMeans(HeadStatistics& statistics) const {
    statistics.first = first_.Mean();
    statistics.own = own_.Mean();
    statistics.previous = previous_.Mean();
    statistics.repeated = repeated_.Mean();
    statistics.induction = induction_.Mean();
  }

 private:
  struct Sum {
    double sum = 0;
    int64_t rows = 0;

    void Add(double weight) {
      sum += weight;
      ++rows;
    }
    void Add(const Sum& other) {
      sum += other.sum;
      rows += other.rows;
    }
    double Mean() const {
      return rows > 0 ? sum / static_cast<double>(rows)
                      : std::numeric_limits<double>::quiet_NaN();
    }
  };

  bool within_axis_;
  std::span<const int32_t> earlier_;
  Sum first_, own_, previous_, repeated_, induction_;
};

}  // namespace heed

#endif  // HEED_EXPLAIN_ATTENTION_PATTERNS_H_
