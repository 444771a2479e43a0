// How a batch is divided into shards, and whose shards are summed by whom.
#ifndef HEED_TRAIN_SHARDS_H_
#define HEED_TRAIN_SHARDS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heed {

/// Consecutive parts [begin, end).
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

/// Part `i` of `parts` consecutive ones of [0, n) that differ by one at most.
Interval EvenPart(int64_t n, int64_t parts, int64_t i);

/// Divides examples into consecutive parts of about the same sum of units; a
/// part may be empty. Depends on the units alone.
std::vector<Interval> SplitByUnits(std::span<const int64_t> units,
                                   int64_t parts);

/// A node of the tree in which shards are summed: shards
/// [number · 2^level, (number + 1) · 2^level).
struct TreeNode {
  int level = 0;
  int64_t number = 0;
  bool operator==(const TreeNode&) const = default;
};

/// The fewest nodes of the tree that make up these shards, from left to right:
/// one if their number is a power of two that the start is a multiple of.
std::vector<TreeNode> NodesOf(Interval shards);

/// Sums leaves and nodes that come from left to right in the order of the tree,
/// whatever the parts that they come in.
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
  /// What was not summed up further, as NodesOf of all that was pushed.
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
