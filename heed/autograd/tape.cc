#include "heed/autograd/tape.h"

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gemm.h"

namespace heed {
namespace {

/// sum (+)= g, without changing elements that are shared.
void AddInto(Tensor& sum, Tensor g) {
  if (!sum.defined()) {
    sum = std::move(g);
    return;
  }
  if (!sum.unique() || !sum.contiguous()) sum = sum.Clone();
  kernels::AddTo(sum, g);
}

Tensor AsMatrix(const Tensor& x) { return x.Reshape({x.rows(), x.cols()}); }

}  // namespace

Var Tape::Leaf(Tensor value) {
  NewNode("leaf", value);
  return Var(std::move(value), this, static_cast<int32_t>(nodes_.size()) - 1);
}

Var Tape::Leaf(Parameter& parameter) {
  if (parameter.quantized()) {
    throw ConfigError("parameter '" + parameter.name() +
                      "' is stored as int8: a quantised model cannot be "
                      "trained; train the model before quantisation");
  }
  parameter.Widen();
  const auto known = std::find_if(
      parameters_.begin(), parameters_.end(),
      [&](int32_t node) { return At(nodes_, node).parameter == &parameter; });
  Var leaf;
  if (known != parameters_.end()) {
    leaf = Var(Tensor(parameter.value()), this, *known);
  } else {
    leaf = Leaf(parameter.value());
    nodes_.back().parameter = &parameter;
    parameters_.push_back(leaf.node());
  }
  leaf.parameter_ = &parameter;
  return leaf;
}

void* Tape::Allocate(size_t bytes) {
  constexpr size_t kAlign = alignof(std::max_align_t);
  bytes = (bytes + kAlign - 1) / kAlign * kAlign;
  if (bytes > kBlockBytes) throw std::bad_alloc();
  if (blocks_.empty() || used_ + bytes > kBlockBytes) {
    if (!blocks_.empty()) ++block_;
    if (block_ == blocks_.size()) {
      blocks_.push_back(std::make_unique<std::byte[]>(kBlockBytes));
    }
    used_ = 0;
  }
  void* memory = blocks_[block_].get() + used_;
  used_ += bytes;
  return memory;
}

Tape::Node& Tape::NewNode(const char* name, const Tensor& value) {
  Node& node = nodes_.emplace_back();
  node.name = name;
  node.shape = value.shape();
  node.dtype = value.dtype();
  return node;
}

Tensor& Tape::GradientOf(int32_t node) { return At(nodes_, node).gradient; }

void Tape::SetColumnsOf(const Var& part, const Var& whole, int64_t column) {
  Node& node = At(nodes_, part.node());
  node.whole = whole.node();
  node.column = static_cast<int32_t>(column);
}

Tensor& Tape::Accumulate(int32_t index) {
  Node& node = At(nodes_, index);
  if (!node.gradient.defined() || node.in_place) {
    // Gradients added in place remain in the gradient of `whole`.
    node.gradient = Tensor::Zeros(node.shape, node.dtype);
    node.in_place = false;
  } else if (!node.has_parts &&
             (!node.gradient.unique() || !node.gradient.contiguous())) {
    node.gradient = node.gradient.Clone();
  }
  return node.gradient;
}

Tensor& Tape::AccumulateRows(int32_t index) {
  Node& node = At(nodes_, index);
  if (node.in_place) return node.gradient;
  if (node.whole < 0 || node.gradient.defined()) return Accumulate(index);
  const Tensor& whole = Accumulate(node.whole);
  At(nodes_, node.whole).has_parts = true;
  node.gradient = whole.Columns(
      node.column, node.column + node.shape[node.shape.rank() - 1]);
  node.in_place = true;
  return node.gradient;
}

void Tape::Backward(const Var& output, const Tensor& seed,
                    const Cancellation* cancellation) {
  if (output.tape() != this) {
    throw ShapeError("backward: the output does not depend on this tape");
  }
  AddInto(GradientOf(output.node()),
          seed.defined()
              ? seed
              : Tensor::Full(output.shape(), 1, output.value().dtype()));
  for (int32_t i = output.node(); i >= 0; --i) {
    Node& node = At(nodes_, i);
    if (node.backward == nullptr) FinishLeaf(i);
    if (node.backward == nullptr || !node.gradient.defined()) continue;
    if (cancellation != nullptr) cancellation->Check();
    if (node.in_place) {  // accumulated in place
      node.gradient = Tensor();
      Finish(node);
      continue;
    }
    const Tensor dy = node.gradient.Contiguous();
    node.gradient = Tensor();
    Grads grads(*this, node.first_input);
    node.backward(node.closure, dy, grads);
    Finish(node);
  }
}

/// Releases the values stored for a backward function.
void Tape::Finish(Node& node) {
  node.destroy(node.closure);
  node.backward = nullptr;
  node.destroy = nullptr;
}

/// Finishes a leaf when all operations that read it are differentiated:
/// releases the values stored for its products and reports its gradient.
void Tape::FinishLeaf(int32_t index) {
  Node& node = At(nodes_, index);
  bool complete = false;
  if (node.parameter != nullptr && node.gradient.defined()) {
    AddInto(node.parameter->mutable_gradient(), std::move(node.gradient));
    node.gradient = Tensor();
    complete = true;
  }
  complete |= AddProducts(index);  // last: adds to the existing gradient
  if (complete && ready_ && node.parameter != nullptr) ready_(*node.parameter);
}

/// Computes the gathered products of a weight at once. False if there are none.
bool Tape::AddProducts(int32_t index) {
  for (PendingProduct& product : pending_) {
    if (product.node == index) fellows_.push_back(std::move(product.factors));
  }
  if (fellows_.empty()) return false;
  std::erase_if(pending_, [index](const PendingProduct& product) {
    return product.node == index;
  });
  Node& node = At(nodes_, index);
  Tensor& sum = node.parameter != nullptr ? node.parameter->mutable_gradient()
                                          : node.gradient;
  const bool accumulate = sum.defined();
  if (!accumulate) {
    sum = Tensor(node.shape, node.dtype);
  } else if (!sum.unique()) {
    sum = sum.Clone();
  }
  kernels::MultiplyTransposed(fellows_, accumulate,
                              node.parameter != nullptr
                                  ? node.parameter->precision()
                                  : kernels::Precision::kNative,
                              sum);
  fellows_.clear();
  return true;
}

Tensor Tape::Gradient(const Var& leaf) const {
  if (leaf.tape() != this) {
    throw ShapeError("gradient: the variable is not on this tape");
  }
  if (leaf.parameter() != nullptr) return leaf.parameter()->gradient();
  return At(nodes_, leaf.node()).gradient;
}

void Tape::Clear() {
  for (Node& node : nodes_) {
    if (node.destroy != nullptr) node.destroy(node.closure);
  }
  nodes_.clear();
  inputs_.clear();
  pending_.clear();
  fellows_.clear();
  parameters_.clear();
  block_ = 0;
  used_ = 0;
}

void Grads::Add(int i, Tensor g) {
  if (!Needs(i)) return;
  const Tape::Node& node = At(tape_.nodes_, Node(i));
  Tensor& sum = tape_.GradientOf(Node(i));
  if (node.in_place || node.has_parts) {
    kernels::AddTo(sum, g);
  } else {
    AddInto(sum, std::move(g));
  }
}

Tensor Grads::Take(int i) {
  if (!Needs(i)) return {};
  const Tape::Node& node = At(tape_.nodes_, Node(i));
  Tensor& sum = tape_.GradientOf(Node(i));
  if (!node.in_place && !node.has_parts) return std::exchange(sum, Tensor());
  Tensor taken = sum.Clone();
  sum.Fill(0);
  return taken;
}

Tensor& Grads::Accumulate(int i) { return tape_.Accumulate(Node(i)); }
Tensor& Grads::AccumulateRows(int i) { return tape_.AccumulateRows(Node(i)); }

void Grads::AddProduct(int i, const Tensor& x, const Tensor& dy) {
  if (!Needs(i)) return;
  if (At(tape_.nodes_, Node(i)).backward != nullptr) {
    // A computed weight (not a leaf) passes its gradient on before the pass
    // ends.
    kernels::MultiplyTransposed(AsMatrix(x), AsMatrix(dy), true,
                                kernels::Precision::kNative, Accumulate(i));
    return;
  }
  tape_.pending_.push_back({Node(i), {AsMatrix(x), AsMatrix(dy)}});
}

}  // namespace heed
