#include "heed/convert/bergamot_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/convert/translation_parts.h"

namespace heed {
namespace {

constexpr float kLargest = 127;
/// Bias of a token that is never written.
constexpr float kUnusedBias = -1e4F;

/// An f32 m near `guess` for which 1 / m, times `factor`, is `wanted`: what the
/// importer computes. `guess` if there is none.
float Inverse(float guess, float factor, float wanted) {
  for (const float m :
       {guess, std::nextafter(guess, 0.0F), std::nextafter(guess, 2 * guess)}) {
    if (factor * (1 / m) == wanted) return m;
  }
  return guess;
}

float Largest(const Tensor& w) {
  float largest = 0;
  for (int64_t i = 0; i < w.numel(); ++i) {
    largest = std::max(largest, std::abs(w.data<float>()[i]));
  }
  return largest;
}

/// Largest magnitude of a sum of two neighbours of one sign in a column
/// (`by_row`: in a row) of w, of the places 2 i and 2 i + 1.
float LargestPair(const Tensor& w, bool by_row) {
  float largest = 0;
  const int64_t step = by_row ? 1 : w.cols();
  const auto* data = w.data<float>();
  for (int64_t i = 0; i + step < w.numel(); ++i) {
    const int64_t place = by_row ? i % w.cols() : i / w.cols();
    if (place % 2 != 0 || data[i] * data[i + step] < 0) continue;
    largest = std::max(largest, std::abs(data[i] + data[i + step]));
  }
  return largest;
}

/// Multiplier to int8. On most processors the engine adds the products of two
/// neighbours with numbers up to 254 in 16 bits; the sums fit with this one.
float MultiplierFor(const Tensor& w, bool by_row) {
  constexpr float kPair = 128;  // 254 (128 + 1 for rounding) < 2^15
  const float largest = Largest(w);
  if (largest == 0) return 1;
  return std::min(kLargest / largest,
                  kPair / std::max(largest, LargestPair(w, by_row)));
}

MarianTensor Rounded(const Tensor& w, float multiplier) {
  MarianTensor result;
  result.multiplier = multiplier;
  result.value = Tensor(w.shape(), DType::kI8);
  for (int64_t i = 0; i < w.numel(); ++i) {
    const float q = std::nearbyint(w.data<float>()[i] * multiplier);
    result.value.data<int8_t>()[i] =
        static_cast<int8_t>(std::clamp(q, -kLargest, kLargest));
  }
  return result;
}

MarianTensor Quantised(const Tensor& matrix) {
  const Tensor w = matrix.Contiguous();
  return Rounded(w, MultiplierFor(w, /*by_row=*/false));
}

/// Quantises the rows of tokens. The engine quantises the output projection
/// again, by its largest weight, so an unused row gets that weight.
MarianTensor QuantisedTable(const Tensor& table, std::span<const int32_t> ids) {
  const Tensor rows = TakeRows(table, ids);
  const auto unused = std::ranges::find(ids, -1);
  if (unused == ids.end()) return Rounded(rows, kLargest / Largest(rows));
  MarianTensor result = Rounded(rows, MultiplierFor(rows, /*by_row=*/true));
  result.value.row<int8_t>(unused - ids.begin())[0] =
      static_cast<int8_t>(kLargest);
  return result;
}

/// True if all scales are equal and not 0.
bool AreEqual(const std::vector<float>& scales) {
  return scales.front() > 0 &&
         std::ranges::count(scales, scales.front()) == std::ssize(scales);
}

MarianTensor KeptBytes(Tensor values, float scale) {
  MarianTensor result;
  result.value = std::move(values);
  result.multiplier = Inverse(1 / scale, 1, scale);
  return result;
}

/// Columns [begin, end) of a matrix.
MarianTensor BlockOf(const Parameter& parameter, int64_t begin, int64_t end) {
  if (!parameter.quantized()) {
    return Quantised(parameter.numbers().Columns(begin, end));
  }
  const kernels::QuantizedMatrix bytes = parameter.bytes();
  const auto scales = bytes.scales.Slice(begin, end).ToVector<float>();
  if (AreEqual(scales)) {
    return KeptBytes(bytes.values.Columns(begin, end).Contiguous(),
                     scales.front());
  }
  return Quantised(kernels::Dequantize(bytes).Columns(begin, end));
}

/// Rows of a table.
MarianTensor TableOf(const Parameter& table, std::span<const int32_t> ids) {
  if (!table.quantized()) return QuantisedTable(table.numbers(), ids);
  const kernels::QuantizedMatrix bytes = table.bytes();
  if (!KeepsBytes(table)) {
    return QuantisedTable(kernels::Dequantize(bytes), ids);
  }
  return KeptBytes(TakeRows(bytes.values, ids), bytes.scales.data<float>()[0]);
}

class StudentWriter {
 public:
  StudentWriter(const TransformerConfig& config, const ParameterSet& from,
                const Multipliers& multipliers)
      : config_(config), from_(from), multipliers_(multipliers) {}

  const Parameter& Find(const std::string& name) const {
    const Parameter* parameter = from_.Find(name);
    if (parameter == nullptr) throw ConfigError("the model has no '{}'", name);
    return *parameter;
  }

  void AddNumbers(const std::string& name, const Tensor& x) {
    MarianTensor tensor;
    tensor.name = name;
    tensor.value = x.Contiguous().Reshape({1, x.numel()});
    tensors_.push_back(std::move(tensor));
  }
  void Add(const std::string& name, MarianTensor tensor) {
    tensor.name = name;
    tensors_.push_back(std::move(tensor));
  }

  /// Multiplier of the activations of part `i` of a parameter.
  float MultiplierOf(const std::string& name, size_t i) const {
    const auto found = multipliers_.find(name);
    if (found == multipliers_.end()) {
      throw ConfigError(
          "parameter '{}' has no fixed scale of activations; give source text "
          "to measure it: --calibrate FILE",
          name);
    }
    return found->second.size() == 1 ? found->second.front()
                                     : At(found->second, i);
  }

  void AddPart(const Part& part) {
    const bool norm = part.kind == Part::Kind::kNorm;
    const Parameter* bias = from_.Find(part.ours + ".bias");
    if (norm) {
      AddNumbers(NameOfPart(part.theirs[0], kMarianLayout.gain),
                 Find(part.ours + ".gain").value());
      AddNumbers(NameOfPart(part.theirs[0], kMarianLayout.norm_bias),
                 bias->value());
      return;
    }
    const Parameter& weight = Find(part.ours + ".weight");
    const int64_t out = weight.value().cols() / std::ssize(part.theirs);
    for (size_t i = 0; i < part.theirs.size(); ++i) {
      const std::string name = NameOfPart(part.theirs[i], kMarianLayout.weight);
      const int64_t begin = static_cast<int64_t>(i) * out;
      Add(name, BlockOf(weight, begin, begin + out));
      AddNumbers(name + kMarianActivations,
                 Tensor::Full({1}, MultiplierOf(weight.name(), i)));
      if (bias == nullptr) continue;
      AddNumbers(NameOfPart(part.theirs[i], kMarianLayout.weight_bias),
                 bias->value().Slice(begin, begin + out));
    }
  }

  void AddTables(const BergamotTokens& tokens) {
    const bool joint = SharesSides(config_.tie.value());
    const std::string target = TargetTable(config_);
    const std::string name = joint ? "Wemb" : "decoder_Wemb";
    Add(name, TableOf(Find(target), tokens.target));
    if (!joint) {
      Add("encoder_Wemb", TableOf(Find(SourceTable(config_)), tokens.source));
    }
    const float multiplier = MultiplierOf(target, 0);
    AddNumbers(std::string("none") + kMarianActivations,
               Tensor::Full({1}, multiplier));
    MarianTensor byte;  // all names with Wemb are in int8
    byte.value = Tensor::Full({1, 1}, kLargest, DType::kI8);
    byte.multiplier = Inverse(kLargest / multiplier, kLargest, multiplier);
    Add(name + kMarianActivations, std::move(byte));
    Tensor biases = Tensor::Full({std::ssize(tokens.target)}, kUnusedBias);
    const Parameter* bias = from_.Find("decoder.output.bias");
    for (size_t row = 0; row < tokens.target.size(); ++row) {
      const int32_t id = tokens.target[row];
      if (id < 0) continue;
      biases.data<float>()[row] =
          bias == nullptr ? 0 : bias->value().data<float>()[id];
    }
    AddNumbers("decoder_ff_logit_out_b", biases);
  }

  std::vector<MarianTensor> TakeTensors() { return std::move(tensors_); }

 private:
  const TransformerConfig& config_;
  const ParameterSet& from_;
  const Multipliers& multipliers_;
  std::vector<MarianTensor> tensors_;
};

}  // namespace

bool KeepsBytes(const Parameter& table) {
  if (!table.quantized()) return false;
  const kernels::QuantizedMatrix bytes = table.bytes();
  const std::span<const int8_t> all(bytes.values.data<int8_t>(),
                                    static_cast<size_t>(bytes.values.numel()));
  return AreEqual(bytes.scales.ToVector<float>()) &&
         std::ranges::any_of(all,
                             [](int8_t q) { return std::abs(q) == kLargest; });
}

std::vector<MarianTensor> ExportWeights(const TransformerConfig& config,
                                        const ParameterSet& parameters,
                                        const BergamotTokens& tokens,
                                        const Multipliers& multipliers) {
  MarianTransformer marian;
  marian.config = config;
  StudentWriter writer(config, parameters, multipliers);
  for (const Part& part : MarianParts(marian)) writer.AddPart(part);
  for (int i = 0; i < config.decoder_layers; ++i) {
    writer.AddNumbers(
        fmt::format("decoder_l{}_rnn_bf", i + 1),
        writer.Find(fmt::format("decoder.layers.{}.recurrence.gate.bias", i))
            .value());
  }
  writer.AddTables(tokens);
  return writer.TakeTensors();
}

}  // namespace heed
