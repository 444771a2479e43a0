// Which past characters a guess depends on: what a recurrent network remembers.
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

/// What one model guessed while a text of T characters was typed, and from
/// what. The guess after character t depends on character s ≤ t by
///   connectivity(t, s) = ‖∂ y_tk / ∂ x_s‖₂,
/// where y_tk is the logit of the word k that character t belongs to (of the
/// first suggestion where that word is unknown) and x_s the embedding of s.
/// Paper: Madsen 2019, "Visualizing memorization in RNNs", Distill.
struct Connectivity {
  std::string model;                    ///< its name in pictures: "GRU"
  std::vector<std::string> characters;  ///< [T]
  std::vector<std::string> words;       ///< [T] to be guessed; "": unknown
  std::vector<std::vector<Suggestion>> suggestions;  ///< [T], likeliest first
  std::vector<float> values;  ///< [T, T], row t: the guess; 0 where s > t

  int64_t size() const { return static_cast<int64_t>(characters.size()); }
  float value(int64_t t, int64_t s) const {
    return values[static_cast<size_t>(t * size() + s)];
  }
  /// value / the largest of the row, 0 to 1; 0 of a row of zeros.
  float Share(int64_t t, int64_t s) const;
  /// How far back the guess looks in the mean: Σ_s value (t − s) / Σ_s value.
  /// Units: characters.
  double MeanDistance(int64_t t) const;
};

/// Throws: ShapeError unless all parts fit the number of characters.
void CheckConnectivity(const Connectivity& c);

/// Throws: ShapeError also for models that read different texts.
void CheckSameText(std::span<const Connectivity> models);

/// Up to `count` characters whose guess looks furthest back, in the mean of the
/// models, in the order of the text: with at most two characters of their word
/// typed, one for each word. All models have the same text.
/// Throws: ShapeError.
std::vector<int64_t> FarthestAttention(std::span<const Connectivity> models,
                                       int count);

/// {"models":[{"model","characters","words","suggestions":[[{"word",
/// "probability"}]],"connectivity":[[row t: t + 1 numbers]]}]}
nlohmann::ordered_json ConnectivityJson(std::span<const Connectivity> models);

/// The text with each character shaded by its share in the guess after
/// character t, which is outlined; suggestions beside it; a panel for each
/// model and each of `moments`. Follows the reader's light or dark setting.
/// Throws: ShapeError.
std::string ConnectivitySvg(std::span<const Connectivity> models,
                            std::span<const int64_t> moments);

/// What the page shows: each guess as a target, with its suggestions, and
/// connectivity as what the characters contribute. Throws: ShapeError.
Explanation ConnectivityExplanation(const Connectivity& c);

/// The picture of one model and moment for a terminal; each line ends with a
/// newline. Without colour a line of marks · ░ ▒ ▓ █ stands under the text.
/// Throws: ShapeError.
std::string TerminalConnectivity(const Connectivity& c, int64_t t,
                                 const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_CONNECTIVITY_H_
