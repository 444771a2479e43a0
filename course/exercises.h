// The exercises of docs/learn/, with answers that are computed, not kept.
#ifndef HEED_COURSE_EXERCISES_H_
#define HEED_COURSE_EXERCISES_H_

#include <span>
#include <string_view>

#include "apps/heed/options.h"

namespace heed {

struct Chapter {
  int number = 0;  // from 1
  std::string_view title;
  std::string_view file;  // in docs/learn/
};

struct Exercise {
  int chapter = 0;
  int number = 0;  // in its chapter, from 1
  std::string_view question;
  std::string_view solution;  // how the answer comes about, in a line
  double (*answer)() = nullptr;
};

/// Runs `heed learn`.
int RunLearn(const Arguments& arguments);

/// In the order of the course.
std::span<const Chapter> Chapters();
/// In the order of the chapters.
std::span<const Exercise> Exercises();

/// Whole answers have to be met exactly.
bool IsWhole(double answer);

/// Whether `given` is the answer to the three digits that an exercise asks for:
/// within half a percent of it.
bool IsRight(double answer, double given);

}  // namespace heed

#endif  // HEED_COURSE_EXERCISES_H_
