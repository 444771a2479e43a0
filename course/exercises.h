// Exercises of docs/tutorials/, whose answers are computed.
#ifndef HEED_COURSE_EXERCISES_H_
#define HEED_COURSE_EXERCISES_H_

#include <span>
#include <string_view>

#include "apps/heed/options.h"

namespace heed {

struct Chapter {
  int number = 0;  // from 1
  std::string_view title;
  std::string_view file;  // in docs/tutorials/
};

struct Exercise {
  int chapter = 0;
  int number = 0;  // in its chapter, from 1
  std::string_view question;
  std::string_view solution;  // derivation of the answer, one line
  double (*answer)() = nullptr;
};

/// Runs `heed learn`.
int RunLearn(const Arguments& arguments);

/// Returns the chapters in the order of the course.
std::span<const Chapter> Chapters();
/// Returns the exercises in the order of the chapters.
std::span<const Exercise> Exercises();

/// True if an answer is an integer, which must be given exactly.
bool IsWhole(double answer);

/// True if `given` matches the answer: exactly for integers, else within half a
/// percent (exercises ask for three digits).
bool IsRight(double answer, double given);

}  // namespace heed

#endif  // HEED_COURSE_EXERCISES_H_
