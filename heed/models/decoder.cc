#include "heed/models/decoder.h"

#include <fmt/format.h>

#include <array>

#include "heed/base/errors.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr const char* kPrompt = "prompt";

void CheckIds(const Tensor& ids) {
  CheckShapes(ids.rank() == 2 && ids.dtype() == DType::kI32, "decoder",
              "tokens that are not i32 [T, B]", {ids.shape()});
}

/// Prompts of one length, transposed to [B, S].
Tensor ReadPrompt(const Tensor& ids, const Tensor& lengths) {
  CheckShapes(ids.rank() == 2 && ids.dtype() == DType::kI32, "language model",
              "a prompt that is not i32 [S, B]", {ids.shape()});
  const int64_t longest = ids.dim(0);
  CheckLengths("language model", lengths, ids.dim(1), longest);
  for (int64_t b = 0; lengths.defined() && b < lengths.numel(); ++b) {
    if (lengths.data<int32_t>()[b] == longest) continue;
    throw ShapeError(
        "language model: prompt {} has {} tokens, but the longest {}; start "
        "prompts of one length together",
        b, lengths.data<int32_t>()[b], longest);
  }
  return kernels::TransposeLeading(ids);
}

}  // namespace

Inputs::Inputs(const Tensor& ids, const Tensor& lengths)
    : kind(ids.defined() ? Kind::kIds : Kind::kNone),
      ids(ids),
      lengths(lengths) {}

Inputs Inputs::Frames(const Var& x, const Tensor& lengths) {
  Inputs inputs;
  inputs.kind = Kind::kFrames;
  inputs.vectors = x;
  inputs.lengths = lengths;
  return inputs;
}

Inputs Inputs::Cells(const Var& x) {
  CheckShapes(x.shape().rank() == 4, "cells", "a grid that is not [B, Y, X, F]",
              {x.shape()});
  const int64_t cells = x.dim(1) * x.dim(2);
  Inputs inputs =
      Frames(Reshape(x, {x.dim(0), cells, x.dim(3)}),
             Tensor::Full({x.dim(0)}, static_cast<double>(cells), DType::kI32));
  inputs.kind = Kind::kCells;
  return inputs;
}

Inputs Inputs::Nodes(const Var& x, const Tensor& lengths,
                     const Mask& neighbours) {
  Inputs inputs = Frames(x, lengths);
  inputs.kind = Kind::kNodes;
  inputs.neighbours = neighbours;
  return inputs;
}

int64_t Inputs::size() const {
  if (kind == Kind::kNone) return 0;
  return kind == Kind::kIds ? ids.dim(1) : vectors.dim(0);
}

void Inputs::Check(const std::string& reader, int64_t features) const {
  const bool tokens = kind == Kind::kIds;
  const Tensor& x = tokens ? ids : vectors.value();
  const bool fits = tokens ? x.rank() == 2 && x.dtype() == DType::kI32
                           : x.defined() && x.rank() == 3 &&
                                 (features < 0 || x.dim(2) == features);
  CheckShapes(fits && lengths.defined(), reader,
              fmt::format("a source that is neither tokens, i32 [S, B], nor "
                          "vectors [B, S, {}], with lengths",
                          features < 0 ? "F" : std::to_string(features)),
              {x.defined() ? x.shape() : Shape()});
  CheckLengths(reader, lengths, size(), x.dim(tokens ? 0 : 1));
}

Var Decoder::WholeFeatures(const Context& ctx, const Inputs& inputs,
                           const Tensor& target_in) const {
  CheckIds(target_in);
  DecoderState state =
      Start(ctx, reads_source() ? Encode(ctx, inputs) : Encoding());
  state.whole = true;
  state.wants_weights = false;
  return Features(ctx, target_in, state);
}

Var Decoder::Logits(const Context& ctx, const Inputs& inputs,
                    const Tensor& target_in) const {
  return output().Scores(ctx, WholeFeatures(ctx, inputs, target_in));
}

CrossEntropyLoss Decoder::Loss(const Context& ctx, const Inputs& inputs,
                               const Tensor& target_in, const Tensor& targets,
                               const CrossEntropyOptions& options) const {
  return output().Loss(ctx, WholeFeatures(ctx, inputs, target_in), targets,
                       options);
}

Var Decoder::Next(const Context& ctx, const Tensor& tokens,
                  DecoderState& state) const {
  const int64_t R = tokens.numel();
  state.BeginStep(R);
  Tensor ids = tokens.Reshape({1, R});
  if (const Var* prompt = state.Find(kPrompt)) {
    ids = kernels::TransposeLeading(kernels::ConcatColumns(
        std::array<Tensor, 2>{tokens.Reshape({R, 1}), prompt->value()}));
    state.Erase(kPrompt);
  }
  const Var y = Features(ctx, ids, state);
  return y.dim(0) == 1 ? Reshape(y, {R, y.dim(2)}) : Select(y, y.dim(0) - 1);
}

Encoding LanguageModel::Encode(const Context& /*ctx*/,
                               const Inputs& inputs) const {
  Encoding encoding;
  encoding.sources = inputs.size();
  if (inputs.kind == Inputs::Kind::kNone) return encoding;
  encoding.prompt = ReadPrompt(inputs.ids, inputs.lengths);
  return encoding;
}

DecoderState LanguageModel::Start(const Context& /*ctx*/,
                                  const Encoding& encoding) const {
  DecoderState state(encoding.sources);
  if (encoding.prompt.defined() && encoding.prompt.dim(1) > 0) {
    state.At(kPrompt, StateRole::kRow) = encoding.prompt;
  }
  return state;
}

Tensor BatchFirst(const Tensor& ids) {
  CheckIds(ids);
  if (ids.dim(0) == 1 || ids.dim(1) == 1) {
    return ids.Reshape({ids.dim(1), ids.dim(0)});
  }
  return kernels::TransposeLeading(ids);
}

Var TimeFirst(const Var& x) {
  if (x.dim(0) == 1 || x.dim(1) == 1) {
    return Reshape(x, {x.dim(1), x.dim(0), x.dim(2)});
  }
  return TransposeLeading(x);
}

}  // namespace heed
