// A custom attention score.
#ifndef HEED_TESTS_OPEN_HOUSE_UNIT_KEYS_H_
#define HEED_TESTS_OPEN_HOUSE_UNIT_KEYS_H_

#include "heed/attention/score.h"

namespace heed {

/// Score e = q · k / |k|: projection of the query onto the direction of the
/// key.
ScoreInfo UnitKeysInfo();

}  // namespace heed

#endif  // HEED_TESTS_OPEN_HOUSE_UNIT_KEYS_H_
