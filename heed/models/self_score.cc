#include "heed/models/self_score.h"

#include <fmt/format.h>

#include "heed/attention/attention.h"
#include "heed/models/settings.h"

namespace heed {
namespace {

/// Builds the score to see what it needs.
void CheckNeeds(const std::string& text) {
  const Choice<Score> choice = ChooseScore(text);
  ParameterSet unused(0, DType::kF32, kernels::Precision::kNative);
  AttentionSizes sizes;
  sizes.query = sizes.key = sizes.units = sizes.positions = 1;
  const auto score = choice.Make(Scope(unused, "score"), sizes);
  Require(score->takes_query(),
          fmt::format("'{}' gives one look for a whole text, but here every "
                      "position has its own; choose another score",
                      text));
  Require(!score->uses_history(),
          fmt::format("'{}' reads the weights of the step before, but here all "
                      "positions attend at once; choose another score",
                      text));
}

}  // namespace

void CheckSelfScore(const std::string& text) {
  OfSetting("score", [&] { CheckNeeds(text); });
}

}  // namespace heed
