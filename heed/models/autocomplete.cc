#include "heed/models/autocomplete.h"

#include <cmath>

#include "heed/ops/check.h"

namespace heed {

Autocomplete::Autocomplete(const EncoderConfig& config,
                           const AutocompleteSizes& sizes, uint64_t seed,
                           DType dtype)
    : parameters_(seed, dtype, ParsePrecision(config.precision())),
      embedding_(Scope(parameters_, "embedding"), sizes.characters,
                 sizes.embedding, kEmbeddingInit),
      encoder_(config.Make(Scope(parameters_, "encoder"), sizes.embedding,
                           /*causal=*/true)),
      words_(Scope(parameters_, "words"), encoder_->output_size(), sizes.words,
             kGlorotInit, true) {}

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
        std::log(static_cast<double>(counts[static_cast<size_t>(i)] + 1) / sum);
  }
  bias.mutable_value().CopyFrom(start.To(bias.value().dtype()));
  bias.Changed();
}

Var Autocomplete::States(const Context& ctx, const Tensor& ids,
                         const Tensor& lengths) const {
  CheckShapes(ids.rank() == 2 && ids.dtype() == DType::kI32, "autocomplete",
              "characters that are not i32 [B, S]", {ids.shape()});
  return (*encoder_)(ctx, embedding_(ctx, ids), lengths);
}

Var Autocomplete::Scores(const Context& ctx, const Var& states) const {
  return words_(ctx, states);
}

CrossEntropyLoss Autocomplete::Loss(const Context& ctx, const Tensor& ids,
                                    const Tensor& lengths,
                                    const Tensor& targets,
                                    const CrossEntropyOptions& options) const {
  return words_.Loss(ctx, States(ctx, ids, lengths), targets, options);
}

}  // namespace heed
