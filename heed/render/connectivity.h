// Connectivity: past characters that a prediction of a recurrent network
// depends on.
#ifndef HEED_RENDER_CONNECTIVITY_H_
#define HEED_RENDER_CONNECTIVITY_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/render/terminal.h"

namespace heed {

struct Suggestion {
  std::string word;
  double probability = 0;
};

/// Predictions of one model while a text of T characters was typed, with their
/// connectivity. The prediction after character t depends on character s ≤ t by
struct Connectivity {
  std::string model;                    ///< display name: "GRU"
  std::vector<std::string> characters;  ///< [T]
  std::vector<std::string> words;       ///< [T], correct words; "": unknown
  // [T], most probable first
  std::vector<std::vector<Suggestion>> suggestions;
  std::vector<float> values;  ///< [T, T], row t: prediction; 0 where s > t

  int64_t size() const { return static_cast<int64_t>(characters.size()); }
  float value(int64_t t, int64_t s) const {
    return values[static_cast<size_t>(t * size() + s)];
  }
  /// value / largest value of the row, 0 to 1; 0 for a row of zeros.
  float Share(int64_t t, int64_t s) const;
  /// Mean distance of the past characters, Σ_s value (t − s) / Σ_s value.
  /// Units: characters.
  double MeanDistance(int64_t t) const;
};

/// Validates one model. Throws: ShapeError unless all parts fit the number of
/// characters.
void CheckConnectivity(const Connectivity& c);

/// Validates several models. Throws: ShapeError, also if models read different
/// texts.
void CheckSameText(std::span<const Connectivity> models);

/// Up to `count` characters with the largest mean distance, averaged over the
/// models, in text order. Only the first two characters of a word qualify, with
/// one character per word. All models must have the same text.
/// Throws: ShapeError.
std::vector<int64_t> FarthestAttention(std::span<const Connectivity> models,
                                       int count);

/// {"models":[{"model","characters","words","suggestions":[[{"word",
/// "probability"}]],"connectivity":[[row t: t + 1 numbers]]}]}
nlohmann::ordered_json ConnectivityJson(std::span<const Connectivity> models);

/// The text with each character shaded by its share in the prediction after
/// character t, which is outlined, and suggestions beside it. One panel for
/// each model and each of `moments`. Follows the reader's light or dark
/// setting.
/// Throws: ShapeError.
std::string ConnectivitySvg(std::span<const Connectivity> models,
                            std::span<const int64_t> moments);

/// Explanation for the page: each prediction is a target with its suggestions;
/// connectivity is an attribution to the characters. Throws: ShapeError.
Explanation ConnectivityExplanation(const Connectivity& c);

/// Terminal picture of one model and moment; each line ends with a newline.
/// Without colour, a line of marks · ░ ▒ ▓ █ is below the text.
/// Throws: ShapeError.
std::string TerminalConnectivity(const Connectivity& c, int64_t t,
                                 const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_CONNECTIVITY_H_
