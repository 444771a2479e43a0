#include "heed/autograd/tape.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/gemm.h"

namespace heed {
namespace {

/// Makes x dense and its elements its own.
void MakeOwn(Tensor& x) {
  if (!x.unique() || !x.contiguous()) x = x.Clone();
}

/// sum (+)= g, without changing elements that are shared.
void AddInto(Tensor& sum, Tensor g) {
  if (!sum.defined()) {
    sum = std::move(g);
    return;
  }
  MakeOwn(sum);
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
  } else if (!node.has_parts) {
    MakeOwn(node.gradient);
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
/// releases the values stored for its terms and reports its gradient.
void Tape::FinishLeaf(int32_t index) {
  Node& node = At(nodes_, index);
  Parameter* const parameter = node.parameter;
  if (parameter != nullptr && keeps_terms_) return;
  if (parameter == nullptr && products_.empty() && rows_.empty()) return;
  MoveTerms(index, terms_);
  if (terms_.empty()) return;
  Tensor& sum =
      parameter != nullptr ? parameter->mutable_gradient() : node.gradient;
  terms_.parameter = parameter;
  terms_.AddTo(sum, node.shape, node.dtype);
  terms_.Clear();
  if (parameter != nullptr && ready_) ready_(*parameter);
}

/// Appends the terms of a leaf, which are removed from the tape.
void Tape::MoveTerms(int32_t index, Terms& terms) {
  const auto own = [index](const auto& one) { return one.node == index; };
  for (PendingProduct& product : products_) {
    if (own(product)) terms.products.push_back(std::move(product.factors));
  }
  for (PendingRows& rows : rows_) {
    if (own(rows)) terms.rows.push_back(std::move(rows));
  }
  std::erase_if(products_, own);
  std::erase_if(rows_, own);
  Node& node = At(nodes_, index);
  if (node.parameter == nullptr || !node.gradient.defined()) return;
  terms.sums.push_back(std::exchange(node.gradient, Tensor()));
}

void Tape::Terms::AddTo(Tensor& gradient, const Shape& shape, DType dtype) {
  if (!products.empty()) {
    const bool accumulate = gradient.defined();
    if (accumulate) {
      MakeOwn(gradient);
    } else {
      gradient = Tensor(shape, dtype);
    }
    kernels::MultiplyTransposed(products, accumulate,
                                parameter != nullptr
                                    ? parameter->precision()
                                    : kernels::Precision::kNative,
                                gradient);
  }
  for (Tensor& sum : sums) AddInto(gradient, std::move(sum));
  if (rows.empty()) return;
  if (gradient.defined()) {
    MakeOwn(gradient);
  } else {
    gradient = Tensor::Zeros(shape, dtype);
  }
  for (const PendingRows& one : rows) {
    kernels::ScatterAddTo(gradient, one.ids, one.dy, one.scale);
  }
}

void Tape::Terms::Clear() {
  products.clear();
  sums.clear();
  rows.clear();
}

void Tape::AddKept(std::span<const std::unique_ptr<Tape>> tapes,
                   const Ready& ready) {
  std::vector<Terms> all;  // by parameter, last used first
  for (const auto& tape : tapes) {
    for (auto leaf = tape->parameters_.rbegin();
         leaf != tape->parameters_.rend(); ++leaf) {
      Parameter* const parameter = At(tape->nodes_, *leaf).parameter;
      auto terms = std::ranges::find(all, parameter, &Terms::parameter);
      if (terms == all.end()) {
        all.push_back({.parameter = parameter});
        terms = all.end() - 1;
      }
      tape->MoveTerms(*leaf, *terms);
    }
  }
  std::mutex mutex;
  ParallelForEach(std::ssize(all), 1, [&](int64_t i) {
    Terms& terms = At(all, i);
    if (terms.empty()) return;
    Parameter& parameter = *terms.parameter;
    terms.AddTo(parameter.mutable_gradient(), parameter.value().shape(),
                parameter.value().dtype());
    terms.Clear();
    if (!ready) return;
    const std::lock_guard lock(mutex);
    ready(parameter);
  });
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
  products_.clear();
  rows_.clear();
  terms_.Clear();
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
  tape_.products_.push_back({Node(i), {AsMatrix(x), AsMatrix(dy)}});
}

void Grads::AddRows(int i, const Tensor& ids, const Tensor& dy, double scale) {
  if (!Needs(i)) return;
  if (At(tape_.nodes_, Node(i)).backward != nullptr) {
    kernels::ScatterAddTo(Accumulate(i), ids, dy, scale);
    return;
  }
  tape_.rows_.push_back({Node(i), ids, dy, scale});
}

}  // namespace heed
