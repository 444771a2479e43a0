// Configuration of rating predictors.
#ifndef HEED_MODELS_RATINGS_RATING_CONFIG_H_
#define HEED_MODELS_RATINGS_RATING_CONFIG_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/models/settings.h"

namespace heed {

/// Gates applied to the words of D-Attn.
enum class WordGates : uint8_t { kBoth, kLocal, kGlobal, kNone };
constexpr auto WordsOf(WordGates) {
  return std::array{"both", "local", "global", "none"};
}

struct ResolvedDAttn {
  int64_t embedding = 0;  // M
  int64_t window = 0;     // of the local gate
  int64_t local_filters = 0;
  std::vector<int64_t> widths;
  int64_t global_filters = 0;  // of each width
  int64_t hidden = 0;
  int64_t factors = 0;
  int64_t document = 0;  // words
  WordGates gates = WordGates::kBoth;
  double dropout = 0;
  Init embedding_init, matrix_init;
};

/// User-facing configuration of a D-Attn.
struct DAttnConfig {
  int embedding = 32;
  int window = 5;
  int local_filters = 200;
  std::vector<std::string> widths = {"2", "3", "4"};
  int filters = 100;
  int hidden = 500;
  int factors = 50;
  int document = 300;
  Named<WordGates> gates = WordGates::kBoth;
  double dropout = 0.5;
  Named<InitKind> init = InitKind::kGlorot;
  double init_scale = 0.1;
  double word_scale = 0.1;

  void Visit(FieldList& v);
  /// Throws: ConfigError for an invalid width.
  ResolvedDAttn Resolve() const;
};

/// Selection of reviews by a pointer.
enum class Pointing : uint8_t { kGumbel, kSoft, kMean };
constexpr auto WordsOf(Pointing) {
  return std::array{"gumbel", "soft", "mean"};
}
enum class ReviewGate : uint8_t { kTanh, kRelu };
constexpr auto WordsOf(ReviewGate) { return std::array{"tanh", "relu"}; }
/// Combination of several pointers into one vector.
enum class PointerSum : uint8_t { kNetwork, kSum, kConcat };
constexpr auto WordsOf(PointerSum) {
  return std::array{"network", "sum", "concat"};
}

struct ResolvedMpcn {
  int64_t embedding = 0;  // M
  int64_t pointers = 0;
  int64_t factors = 0;  // of the factorisation machine
  int64_t reviews = 0;
  int64_t words = 0;  // of a review
  double temperature = 0;
  double soft_batches = 0;
  double dropout = 0;
  Pointing pointing = Pointing::kGumbel;
  ReviewGate gate = ReviewGate::kTanh;
  PointerSum combine = PointerSum::kNetwork;
  Init embedding_init, matrix_init;
};

/// User-facing configuration of an MPCN.
struct MpcnConfig {
  int embedding = 50;
  int pointers = 3;
  int factors = 10;
  int read_reviews = 20;
  int review_words = 30;
  double temperature = 5;
  double soft_batches = 0;
  double dropout = 0.2;
  Named<Pointing> pointing = Pointing::kGumbel;
  Named<ReviewGate> gate = ReviewGate::kRelu;
  Named<PointerSum> combine = PointerSum::kNetwork;
  Named<InitKind> init = InitKind::kGlorot;
  double init_scale = 0.1;
  double word_scale = 0.1;

  void Visit(FieldList& v);
  ResolvedMpcn Resolve() const;
};

struct RatingFactorsConfig {
  int factors = 20;
  double dropout = 0;

  void Visit(FieldList& v);
};

/// Empty configuration.
struct RatingBiasConfig {
  void Visit(FieldList& /*v*/) {}
};

}  // namespace heed

#endif  // HEED_MODELS_RATINGS_RATING_CONFIG_H_
