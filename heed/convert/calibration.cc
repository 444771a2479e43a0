#include "heed/convert/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "heed/autograd/product_observer.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/data/batches.h"

namespace heed {
namespace {

constexpr int64_t kSentences = 32;  // of a batch
/// Firefox cuts longer sentences.
constexpr size_t kTokens = 128;
constexpr int64_t kTokensPerSource = 2;
constexpr double kDeviations = 1.1;

/// Largest absolute left factors of the calls of each product, without those of
/// padding.
class LargestFactors : public ProductObserver {
 public:
  /// Number of rows of each sentence in the encoder, and in a decoder's step.
  std::vector<int32_t> lengths;
  std::vector<int32_t> active;

  void OnProduct(const Parameter& weight, const Tensor& x) override {
    const int64_t sentences = std::ssize(lengths);
    Add(weight.name(),
        x.Contiguous().Reshape({sentences, x.rows() / sentences, x.dim(-1)}));
  }

  /// Shapes: x [B, T, K].
  void Add(const std::string& name, const Tensor& x) {
    const std::vector<int32_t>& rows = x.dim(1) == 1 ? active : lengths;
    float largest = 0;
    for (int64_t b = 0; b < x.dim(0); ++b) {
      for (int64_t t = 0; t < At(rows, b); ++t) {
        const float* row = x[b].row<float>(t);
        for (int64_t k = 0; k < x.dim(2); ++k) {
          largest = std::max(largest, std::abs(row[k]));
        }
      }
    }
    calls_[name].push_back(largest);
  }

  Multipliers Result() const {
    Multipliers multipliers;
    for (const auto& [name, calls] : calls_) {
      const auto count = static_cast<double>(calls.size());
      const double mean = std::reduce(calls.begin(), calls.end()) / count;
      double squares = 0;
      for (const double call : calls) squares += (call - mean) * (call - mean);
      const double bound = mean + kDeviations * std::sqrt(squares / count);
      multipliers[name] = {bound > 0 ? static_cast<float>(127 / bound) : 1};
    }
    return multipliers;
  }

 private:
  std::map<std::string, std::vector<double>> calls_;
};

/// Most probable token that is neither <pad>, <unk> nor <s>.
int32_t Best(const Tensor& scores, int64_t row) {
  const float* begin = scores.row<float>(row);
  const int64_t size = scores.cols();
  int32_t best = kEos;
  for (int32_t id = kEos; id < size; ++id) {
    if (begin[id] > begin[best]) best = id;
  }
  return best;
}

/// Translates a batch for the observer.
void Watch(const Decoder& model, const Batch& batch, const std::string& table,
           LargestFactors& factors) {
  Context ctx;
  ctx.observer = &factors;
  factors.lengths = batch.source_lengths;
  factors.active.assign(static_cast<size_t>(batch.B), 1);
  const Encoding encoding =
      model.Encode(ctx, {Tensor::Of(batch.source, {batch.S, batch.B}),
                         Tensor::Of(batch.source_lengths, {batch.B})});
  DecoderState state = model.Start(ctx, encoding);
  Tensor tokens = Tensor::Full({batch.B}, kBos, DType::kI32);
  for (int64_t t = 0; t < kTokensPerSource * batch.S; ++t) {
    const Tensor x = model.Next(ctx, tokens, state).value();
    factors.Add(table, x.Reshape({batch.B, 1, x.cols()}));
    const Tensor scores = model.output().Scores({}, x).value();
    for (int64_t b = 0; b < batch.B; ++b) {
      int32_t& active = At(factors.active, b);
      int32_t& token = tokens.data<int32_t>()[b];
      token = Best(scores, b);
      const bool goes_on = t + 1 < kTokensPerSource * At(factors.lengths, b);
      active = active != 0 && token != kEos && goes_on ? 1 : 0;
    }
    if (std::ranges::count(factors.active, 1) == 0) break;
  }
}

}  // namespace

Multipliers StoredMultipliers(const ParameterSet& parameters) {
  Multipliers multipliers;
  for (const auto& parameter : parameters.all()) {
    for (const NamedTensor& tensor : parameter->Tensors()) {
      if (!tensor.name.ends_with(kActivationsSuffix)) continue;
      multipliers[parameter->name()] = tensor.value.ToVector<float>();
    }
  }
  return multipliers;
}

Multipliers Calibrate(const translate::Model& model,
                      std::span<const std::string> lines,
                      const std::string& table) {
  std::vector<std::vector<int32_t>> sentences;
  for (const std::string& line : lines) {
    std::vector<int32_t> ids =
        EncodeSentence(model.vocabularies.source, line, model.data.lowercase)
            .ids;
    if (ids.size() < 2) continue;  // </s> alone
    if (ids.size() > kTokens) {
      ids.resize(kTokens);
      ids.back() = kEos;
    }
    sentences.push_back(std::move(ids));
  }
  if (sentences.empty()) {
    throw FormatError(
        "the calibration text has no words; it needs sentences of the source "
        "language, one in each line");
  }
  std::ranges::stable_sort(sentences, {}, &std::vector<int32_t>::size);
  LargestFactors factors;
  for (int64_t begin = 0; begin < std::ssize(sentences); begin += kSentences) {
    std::vector<int64_t> indices(static_cast<size_t>(
        std::min(kSentences, std::ssize(sentences) - begin)));
    std::iota(indices.begin(), indices.end(), begin);
    Watch(*model.model, MakeSourceBatch(sentences, indices), table, factors);
  }
  return factors.Result();
}

}  // namespace heed
