// What attention of a sequence to itself asks of a score.
#ifndef HEED_MODELS_SELF_SCORE_H_
#define HEED_MODELS_SELF_SCORE_H_

#include <string>

namespace heed {

/// Whether all positions of a sequence can look at one another at once.
/// Throws: ConfigError that names the setting `score`, if `text` is no score,
/// takes no query, or reads the weights of the step before.
void CheckSelfScore(const std::string& text);

}  // namespace heed

#endif  // HEED_MODELS_SELF_SCORE_H_
