#include "heed/models/autocomplete.h"

#include <cmath>

#include "heed/base/at.h"
#include "heed/models/outline_parts.h"
#include "heed/models/text_encoder.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

/// Replaces embeddings by a leaf, to differentiate with respect to it.
class InputLeaf : public Observer {
 public:
  explicit InputLeaf(Tape& tape) : tape_(tape) {}

  bool WantsInput(const std::string& /*name*/) override { return true; }
  Var OnInput(const std::string& /*name*/, const Var& x) override {
    leaf_ = tape_.Leaf(x.value());
    return leaf_;
  }
  const Var& leaf() const { return leaf_; }

 private:
  Tape& tape_;
  Var leaf_;
};

double NormOf(const Tensor& x) {
  double sum = 0;
  for (const double element : x.To(DType::kF64).ToVector<double>()) {
    sum += element * element;
  }
  return std::sqrt(sum);
}

}  // namespace

Autocomplete::Autocomplete(const EncoderSettings& encoder,
                           const AutocompleteSizes& sizes, uint64_t seed,
                           DType dtype)
    : parameters_(seed, dtype, encoder.precision()),
      embedding_(Scope(parameters_, "embedding"), sizes.characters,
                 sizes.embedding, Init{Init::Kind::kNormal, 1}),
      encoder_(encoder.Make(Scope(parameters_, "encoder"), sizes.embedding,
                            /*causal=*/true)),
      words_(Scope(parameters_, "words"), encoder_->output_size(), sizes.words,
             kGlorotInit, true),
      word_count_(sizes.words) {}

void Autocomplete::StartFrom(std::span<const int64_t> counts) {
  Parameter& bias = *parameters_.Find("words.bias");
  const int64_t words = bias.value().numel();
  CheckShapes(std::ssize(counts) == words, "autocomplete",
              "counts that do not fit the words",
              {Shape{std::ssize(counts)}, bias.value().shape()});
  double sum = 0;
  for (const int64_t count : counts) sum += static_cast<double>(count + 1);
  Tensor start({words}, DType::kF64);
  for (int64_t i = 0; i < words; ++i) {
    start.data<double>()[i] =
        std::log(static_cast<double>(At(counts, i) + 1) / sum);
  }
  bias.mutable_value().CopyFrom(start.To(bias.value().dtype()));
  bias.Changed();
}

Var Autocomplete::States(const Context& ctx, const Tensor& ids,
                         const Tensor& lengths) const {
  CheckShapes(ids.rank() == 2 && ids.dtype() == DType::kI32, "autocomplete",
              "characters that are not i32 [B, S]", {ids.shape()});
  return (*encoder_)(ctx, ctx.Input("source", embedding_(ctx, ids)), lengths);
}

Var Autocomplete::Scores(const Context& ctx, const Var& states) const {
  return words_.Scores(ctx, states);
}

CrossEntropyLoss Autocomplete::Loss(const Context& ctx, const Tensor& ids,
                                    const Tensor& lengths,
                                    const Tensor& targets,
                                    const CrossEntropyOptions& options) const {
  return words_.Loss(ctx, States(ctx, ids, lengths), targets, options);
}

Tensor Autocomplete::InputGradients(
    const Tensor& ids, std::span<const int64_t> places,
    const std::function<Output(const Context&, const Var&)>& output) const {
  CheckShapes(ids.rank() == 1, "autocomplete", "a text that is not [S]",
              {ids.shape()});
  const int64_t B = std::ssize(places);
  const int64_t S = ids.dim(0);
  Tape tape;
  InputLeaf input(tape);
  Context ctx;
  ctx.tape = &tape;
  ctx.fixed_parameters = true;
  ctx.observer = &input;
  // Copies of the text, each differentiated at its own place.
  Tensor copies({B, S}, DType::kI32);
  Tensor rows({B}, DType::kI32);
  for (int64_t b = 0; b < B; ++b) {
    copies[b].CopyFrom(ids);
    rows.data<int32_t>()[b] = static_cast<int32_t>(b * S + At(places, b));
  }
  const Tensor lengths = Tensor::Full({B}, static_cast<double>(S), DType::kI32);
  const Output out = output(ctx, StatesAt(States(ctx, copies, lengths), rows));
  tape.Backward(out.y, out.dy);
  const Tensor dx = tape.Gradient(input.leaf());
  Tensor norms({B, S}, DType::kF64);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t s = 0; s < S; ++s) {
      norms.row<double>(b)[s] = NormOf(dx[b][s]);
    }
  }
  return norms;
}

ModelOutline Autocomplete::Outline() const {
  const Shape& shape = embedding_.weight().value().shape();
  return {{},
          {{"reader", "source", false, false,
            WithBlock(OnBlock(EmbeddingOutline(shape[0], shape[1]),
                              encoder_->Outline()),
                      OutputOutline("softmax", word_count_))}}};
}

}  // namespace heed
