// A score of one's own.
#ifndef HEED_TESTS_OPEN_HOUSE_UNIT_KEYS_H_
#define HEED_TESTS_OPEN_HOUSE_UNIT_KEYS_H_

#include "heed/attention/score.h"

namespace heed {

/// e = q · k / |k|: how far a query reaches in the direction of a key.
ScoreInfo UnitKeysInfo();

}  // namespace heed

#endif  // HEED_TESTS_OPEN_HOUSE_UNIT_KEYS_H_
