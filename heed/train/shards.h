// Division of a batch into shards, and the tree in which shards are summed.
#ifndef HEED_TRAIN_SHARDS_H_
#define HEED_TRAIN_SHARDS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heed {

/// Interval of indices [begin, end).
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

/// Part `i` of [0, n) divided into `parts` consecutive parts whose sizes differ
/// by at most one.
Interval EvenPart(int64_t n, int64_t parts, int64_t i);

/// Divides examples into consecutive parts with about equal sums of units; a
/// part may be empty. Depends only on the units.
std::vector<Interval> SplitByUnits(std::span<const int64_t> units,
                                   int64_t parts);

/// A node of the summation tree: shards [number · 2^level, (number + 1) ·
/// 2^level).
struct TreeNode {
  int level = 0;
  int64_t number = 0;
  bool operator==(const TreeNode&) const = default;
};

/// Smallest set of tree nodes that covers these shards, from left to right. A
/// single node if their number is a power of two that divides the start.
std::vector<TreeNode> NodesOf(Interval shards);

/// Sums leaves and nodes pushed from left to right in the order of the tree,
/// however they are grouped.
///   TreeSum<Tensor> sum(add);  // add(a, b): a += b
template <typename T>
class TreeSum {
 public:
  explicit TreeSum(std::function<void(T&, const T&)> add)
      : add_(std::move(add)) {}

  void Push(TreeNode node, T value) {
    while (!stack_.empty() && node.number % 2 == 1 &&
           stack_.back().node.level == node.level) {
      add_(stack_.back().value, value);
      value = std::move(stack_.back().value);
      stack_.pop_back();
      node = {node.level + 1, node.number / 2};
    }
    stack_.push_back({node, std::move(value)});
  }
  /// Remaining partial sums, one per node of NodesOf(everything pushed).
  std::vector<T> Take() {
    std::vector<T> values;
    for (auto& one : stack_) values.push_back(std::move(one.value));
    stack_.clear();
    return values;
  }

 private:
  struct Part {
    TreeNode node;
    T value;
  };
  std::function<void(T&, const T&)> add_;
  std::vector<Part> stack_;
};

}  // namespace heed

#endif  // HEED_TRAIN_SHARDS_H_
