// Reverse-mode differentiation over a tape of coarse operations.
#ifndef HEED_AUTOGRAD_TAPE_H_
#define HEED_AUTOGRAD_TAPE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/autograd/parameter.h"
#include "heed/base/at.h"
#include "heed/base/cancellation.h"
#include "heed/tensor/tensor.h"

namespace heed {

class Tape;
class Grads;
struct Operand;

/// Tensor and, if it depends on a differentiated variable, its node on a tape.
/// Cheap to copy. A tensor converts to a constant.
class Var {
 public:
  Var() = default;
  Var(const Tensor& value) : value_(value) {}  // NOLINT: implicit by design
  Var(Tensor&& value) : value_(std::move(value)) {}  // NOLINT

  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  int64_t dim(int axis) const { return value_.dim(axis); }
  bool defined() const { return value_.defined(); }

  Tape* tape() const { return tape_; }
  int32_t node() const { return node_; }
  /// The parameter whose value this is, or null.
  const Parameter* parameter() const { return parameter_; }

 private:
  friend class Tape;
  friend class Context;
  Var(Tensor&& value, Tape* tape, int32_t node)
      : value_(std::move(value)), tape_(tape), node_(node) {}

  Tensor value_;
  Tape* tape_ = nullptr;
  int32_t node_ = -1;
  const Parameter* parameter_ = nullptr;
};

/// Position of an operand on a tape, for Record.
struct Operand {
  Operand(const Var& x) : tape(x.tape()), node(x.node()) {}  // NOLINT
  Tape* tape;
  int32_t node;
};

/// Operations of one computation, in order. Used by one thread at a time.
/// Clear() keeps the memory, so that a repeated computation allocates none.
class Tape {
 public:
  Tape() = default;
  ~Tape() { Clear(); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// A variable to differentiate with respect to; see Gradient.
  Var Leaf(Tensor value);
  /// Leaf of a parameter; its gradient is added to parameter.gradient(). Calls
  /// with one parameter return one leaf.
  Var Leaf(Parameter& parameter);

  /// Computes d(output)/d(everything), times `seed` (shape of output; ones if
  /// undefined). Throws: ShapeError if the output is not on this tape;
  /// Cancelled, after which the tape can only be cleared.
  void Backward(const Var& output, const Tensor& seed = {},
                const Cancellation* cancellation = nullptr);

  /// Receives each parameter with a gradient as soon as that gradient is
  /// complete.
  using Ready = std::function<void(Parameter&)>;
  /// Sets a callback that Backward calls on its thread; null: none.
  void OnGradient(Ready ready) { ready_ = std::move(ready); }

  /// Keeps the terms of parameters' gradients on the tape after Backward, for
  /// AddKept. Tapes of parts of a batch can then run on several threads.
  void KeepTerms(bool keep) { keeps_terms_ = keep; }
  /// Adds the terms that the tapes have kept to the gradients of parameters.
  /// Terms are added in the order of the tapes, and products of one weight are
  /// computed as one. `ready` is called by one thread at a time.
  static void AddKept(std::span<const std::unique_ptr<Tape>> tapes,
                      const Ready& ready);

  /// The gradient of a leaf after Backward; undefined if it has none.
  Tensor Gradient(const Var& leaf) const;

  /// Declares that `part` is a view of columns of `whole`, from `column` on, so
  /// that both accumulate into one gradient.
  void SetColumnsOf(const Var& part, const Var& whole, int64_t column);

  /// Removes all operations.
  void Clear();
  int64_t size() const { return static_cast<int64_t>(nodes_.size()); }

 private:
  friend class Grads;
  template <typename Inputs, typename Fn>
  friend Var RecordInputs(const char* name, Tensor&& value,
                          const Inputs& inputs, Fn&& backward);

  using BackwardFn = void (*)(void* closure, const Tensor& dy, Grads& grads);
  using DestroyFn = void (*)(void* closure);

  struct Node {
    const char* name = nullptr;
    BackwardFn backward = nullptr;
    DestroyFn destroy = nullptr;
    void* closure = nullptr;
    Parameter* parameter = nullptr;
    int32_t first_input = 0;
    DType dtype = DType::kF32;
    bool in_place = false;   // `gradient` is a view of the gradient of `whole`
    bool has_parts = false;  // others add to `gradient` in place
    int32_t whole = -1;      // node of which this node is columns
    int32_t column = 0;      // first of these columns
    Shape shape;
    Tensor gradient;
  };
  /// Gradient xᵀ dy of a weight, deferred to be computed with others of that
  /// weight.
  struct PendingProduct {
    int32_t node;
    kernels::RowPair factors;
  };
  /// Gradient dy of rows `ids` of a table, times `scale`, deferred.
  struct PendingRows {
    int32_t node;
    Tensor ids;
    Tensor dy;
    double scale;
  };
  /// Terms of the gradient of one leaf.
  struct Terms {
    Parameter* parameter = nullptr;
    std::vector<kernels::RowPair> products = {};
    std::vector<Tensor> sums = {};
    std::vector<PendingRows> rows = {};

    bool empty() const {
      return products.empty() && sums.empty() && rows.empty();
    }
    void AddTo(Tensor& gradient, const Shape& shape, DType dtype);
    void Clear();
  };

  void* Allocate(size_t bytes);
  Node& NewNode(const char* name, const Tensor& value);
  template <typename Fn>
  Var Append(const char* name, Tensor&& value, Fn&& backward);
  Tensor& GradientOf(int32_t node);
  Tensor& Accumulate(int32_t index);
  Tensor& AccumulateRows(int32_t index);
  void Finish(Node& node);
  void FinishLeaf(int32_t index);
  void MoveTerms(int32_t index, Terms& terms);

  static constexpr size_t kBlockBytes = size_t{256} << 10;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t block_ = 0;
  size_t used_ = 0;
  std::vector<Node> nodes_;
  std::vector<int32_t> inputs_;
  std::vector<PendingProduct> products_;  // in the order of the backward pass
  std::vector<PendingRows> rows_;         // in the order of the backward pass
  Terms terms_;                           // scratch
  std::vector<int32_t> parameters_;       // nodes of leaves that are parameters
  bool keeps_terms_ = false;
  Ready ready_;
};

/// Receiver of the results of a backward function. Input numbers are positions
/// in the list given to Record.
class Grads {
 public:
  /// False if input i is a constant, whose gradient need not be computed.
  bool Needs(int i) const { return Node(i) >= 0; }
  /// True if inputs i and j are one variable.
  bool Same(int i, int j) const { return Node(i) == Node(j); }
  /// Adds g to the gradient of input i.
  void Add(int i, Tensor g);
  /// Removes and returns the gradient of input i so far; undefined if there is
  /// none. For a result that passes on the gradient of another result.
  Tensor Take(int i);
  /// The gradient of input i (zeros at first), to accumulate into. A handle
  /// stays valid until the next access to the gradient of that variable.
  Tensor& Accumulate(int i);
  /// The gradient of input i with rows that may be apart, to accumulate into. A
  /// view of columns of another variable then needs no gradient of its own.
  Tensor& AccumulateRows(int i);
  /// Adds xᵀ dy to the gradient of input i, a weight [K, N]. Products of one
  /// leaf are gathered over the backward pass and computed as one, which makes
  /// small steps of a recurrence as fast as one large product. Shapes: x [R,
  /// K], dy [R, N].
  void AddProduct(int i, const Tensor& x, const Tensor& dy);
  /// Adds scale · dy to rows `ids` of the gradient of input i, a table [V, M].
  /// Rows of a leaf are gathered like products. Shapes: ids i32 [...], dy [...,
  /// M].
  void AddRows(int i, const Tensor& ids, const Tensor& dy, double scale = 1);

 private:
  friend class Tape;
  Grads(Tape& tape, int32_t first) : tape_(tape), first_(first) {}
  int32_t Node(int i) const { return At(tape_.inputs_, first_ + i); }
  Tape& tape_;
  int32_t first_;
};

template <typename Fn>
Var Tape::Append(const char* name, Tensor&& value, Fn&& backward) {
  using Closure = std::decay_t<Fn>;
  static_assert(alignof(Closure) <= alignof(std::max_align_t));
  void* closure =
      ::new (Allocate(sizeof(Closure))) Closure(std::forward<Fn>(backward));
  Node& node = NewNode(name, value);
  node.closure = closure;
  node.backward = [](void* c, const Tensor& dy, Grads& grads) {
    (*static_cast<Closure*>(c))(dy, grads);
  };
  node.destroy = [](void* c) { static_cast<Closure*>(c)->~Closure(); };
  return Var(std::move(value), this, static_cast<int32_t>(nodes_.size()) - 1);
}

template <typename Inputs, typename Fn>
Var RecordInputs(const char* name, Tensor&& value, const Inputs& inputs,
                 Fn&& backward) {
  Tape* tape = nullptr;
  for (const Operand input : inputs) {
    if (input.tape != nullptr) tape = input.tape;
  }
  if (tape == nullptr) return Var(std::move(value));
  Var result = tape->Append(name, std::move(value), std::forward<Fn>(backward));
  Tape::Node& node = tape->nodes_.back();
  node.first_input = static_cast<int32_t>(tape->inputs_.size());
  for (const Operand input : inputs) tape->inputs_.push_back(input.node);
  return result;
}

/// Result of an operation. If an input is on a tape, the operation is recorded
/// with `backward(const Tensor& dy, Grads&)`. dy is dense.
template <typename Fn>
Var Record(const char* name, Tensor value,
           std::initializer_list<Operand> inputs, Fn&& backward) {
  return RecordInputs(name, std::move(value), inputs,
                      std::forward<Fn>(backward));
}

/// Result of an operation whose number of operands is known at run time.
template <typename Fn>
Var Record(const char* name, Tensor value, std::span<const Var> inputs,
           Fn&& backward) {
  return RecordInputs(name, std::move(value), inputs,
                      std::forward<Fn>(backward));
}

}  // namespace heed

#endif  // HEED_AUTOGRAD_TAPE_H_
