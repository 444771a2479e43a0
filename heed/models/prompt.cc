#include "heed/models/prompt.h"

#include <fmt/format.h>

#include <array>

#include "heed/base/errors.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"

namespace heed {

Tensor ReadPrompt(const Tensor& source, const Tensor& lengths) {
  CheckShapes(source.rank() == 2 && source.dtype() == DType::kI32,
              "language model", "a prompt that is not i32 [S, B]",
              {source.shape()});
  const int64_t longest = source.dim(0);
  CheckLengths("language model", lengths, source.dim(1), longest);
  for (int64_t b = 0; lengths.defined() && b < lengths.numel(); ++b) {
    if (lengths.data<int32_t>()[b] == longest) continue;
    throw ShapeError(fmt::format(
        "language model: prompt {} has {} tokens, but the longest {}; start "
        "prompts of one length together",
        b, lengths.data<int32_t>()[b], longest));
  }
  return kernels::TransposeLeading(source);
}

Tensor BeforePrompt(const Tensor& tokens, const Tensor& prompt) {
  Tensor first = tokens.Reshape({tokens.numel(), 1});
  if (!prompt.defined() || prompt.dim(1) == 0) return first;
  return kernels::ConcatColumns(std::array<Tensor, 2>{first, prompt});
}

}  // namespace heed
