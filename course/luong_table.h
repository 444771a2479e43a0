// Global and local attention of Luong et al. by score, on sequence reversal.
#ifndef HEED_COURSE_LUONG_TABLE_H_
#define HEED_COURSE_LUONG_TABLE_H_

#include <array>
#include <cstdint>
#include <string>

#include "heed/tasks/translate/parallel_text.h"

namespace heed {

/// Makes sequences of 3 to `longest` of 20 symbols. The target is the reversed
/// sequence, or with `copied` the sequence itself.
ParallelText MakeReversals(int count, int longest, bool copied, uint64_t seed);

/// Range of an attention: all keys, a window around the target's position, or a
/// window around a predicted position.
enum class LuongKind : uint8_t { kGlobal, kLocalM, kLocalP };
constexpr auto WordsOf(LuongKind) {
  return std::array{"global", "local_m", "local_p"};
}

struct LuongCell {
  LuongKind kind = LuongKind::kGlobal;
  std::string score;    // "dot"
  bool copied = false;  // copy instead of reverse
};

struct LuongTraining {
  std::string model;  // registry name of the model of Luong et al.
  int sequences = 3000;
  int longest = 10;
  int window = 2;  // keys on each side of a local attention
  int epochs = 8;
  uint64_t seed = 1;
};

/// Trains a small model of Luong et al. with this attention in memory. Returns
/// the share of 300 held-out sequences without an error. Units: percent. Paper:
/// Luong et al. 2015, arXiv:1508.04025, table 4.
double ExactReversals(const LuongCell& cell, const LuongTraining& training);

}  // namespace heed

#endif  // HEED_COURSE_LUONG_TABLE_H_
