// Luong's table: global and local attention by score, on sequences to reverse.
#ifndef HEED_COURSE_LUONG_TABLE_H_
#define HEED_COURSE_LUONG_TABLE_H_

#include <array>
#include <cstdint>
#include <string>

#include "heed/tasks/translate/parallel_text.h"

namespace heed {

/// Sequences of 3 to `longest` of 20 symbols, and the same from their end, or
/// with `copied` as they are.
ParallelText MakeReversals(int count, int longest, bool copied, uint64_t seed);

/// Where an attention looks: everywhere, around the target's own place, or
/// around one that it predicts.
enum class LuongKind : uint8_t { kGlobal, kLocalM, kLocalP };
constexpr auto WordsOf(LuongKind) {
  return std::array{"global", "local_m", "local_p"};
}

struct LuongCell {
  LuongKind kind = LuongKind::kGlobal;
  std::string score;    // "dot"
  bool copied = false;  // instead of reversed
};

struct LuongTraining {
  std::string model;  // as the registry calls that of Luong et al.
  int sequences = 3000;
  int longest = 10;
  int window = 2;  // keys to each side of a local attention
  int epochs = 8;
  uint64_t seed = 1;
};

/// Trains a small model of Luong et al. with this attention in memory. Returns
/// how many of 300 other sequences are written without an error. Units:
/// percent. Paper: Luong et al. 2015, arXiv:1508.04025, table 4.
double ExactReversals(const LuongCell& cell, const LuongTraining& training);

}  // namespace heed

#endif  // HEED_COURSE_LUONG_TABLE_H_
