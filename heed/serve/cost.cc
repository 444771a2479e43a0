#include "heed/serve/cost.h"

#include <algorithm>

#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr double kBytesOfToken = 4;
constexpr double kTokensMore = 10;         // that any translation may have
constexpr double kUsualContinuation = 64;  // of a language model
constexpr double kForwardAndBackward = 3;
// Two 16-wide fused multiply-adds a cycle at 3 GHz, with numbers of half the
// size twice as many.
constexpr double kPerSecondAndThread = 200e9;
// Of a forecast, at most; of a text with a tag for each word.
constexpr double kForecastTargets = 12;
constexpr double kBytesOfWord = 6;

double SizeOf(std::span<const std::string> texts) {
  double bytes = 0;
  for (const std::string& text : texts) {
    bytes += static_cast<double>(text.size() + 1);
  }
  return bytes;
}

double TargetsOf(const std::string& task, double bytes) {
  if (task == "translate" || task == "lm") return bytes / kBytesOfToken;
  if (task == "tag" || task == "slots") return bytes / kBytesOfWord;
  if (task == "forecast") return kForecastTargets;
  return 1;
}

}  // namespace

double TranslationTokens(std::span<const std::string> sentences, int beam,
                         double max_length_factor) {
  const double read = SizeOf(sentences) / kBytesOfToken;
  const auto count = static_cast<double>(sentences.size());
  return read + beam * (max_length_factor * read + kTokensMore * count);
}

double PredictionTokens(const std::string& task,
                        const nlohmann::ordered_json& options,
                        std::span<const std::string> texts) {
  const double bytes = SizeOf(texts);
  const double read = bytes / kBytesOfToken;
  const auto count = static_cast<double>(texts.size());
  const auto option = [&](const char* key, double otherwise) {
    return options.contains(key) ? options.at(key).get<double>() : otherwise;
  };
  if (task == "translate") {
    const int width =
        static_cast<int>(options.value("sample", false) ? option("nbest", 1)
                                                        : option("beam", 1));
    const double factor = option("max_length_factor", 1);
    const double length = option("max_length", 0);
    if (length == 0) return TranslationTokens(texts, width, factor);
    return read + width * count * length;
  }
  if (task != "lm") return read;
  const std::string mode = options.value("mode", "complete");
  if (mode == "sample") {
    const double length = option("length", 0);
    return read + count * option("samples", 1) *
                      (length > 0 ? length : kUsualContinuation);
  }
  if (mode == "complete") {
    return read + count * option("beam", 1) * option("max_tokens", 1);
  }
  return read;
}

double ExplanationTokens(const std::string& task, double bytes,
                         const AttributionOptions& attribution) {
  const double source = bytes / kBytesOfToken;
  const double targets = TargetsOf(task, bytes);
  double passes = 1;
  for (const std::string& method : attribution.methods) {
    if (method == "occlusion") {
      passes += targets * source;
      continue;
    }
    const int inputs = method == "integrated_gradients" ? attribution.steps
                       : method == "smooth_grad"        ? attribution.samples
                                                        : 1;
    passes += kForwardAndBackward * targets * inputs;
  }
  return passes * (task == "translate" ? 2 * source : source);
}

double LeastSeconds(double multiply_adds) {
  return multiply_adds / (kPerSecondAndThread * ThreadCount());
}

double RowsWithin(double seconds, double weights) {
  return seconds / LeastSeconds(std::max(weights, 1.0));
}

double BytesOfTokens(double tokens) { return kBytesOfToken * tokens; }

}  // namespace heed
