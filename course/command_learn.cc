// heed learn: exercises of the course, and a check of answers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/description.h"
#include "course/exercises.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

std::string NumberOf(const Exercise& exercise) {
  return fmt::format("{}.{}", exercise.chapter, exercise.number);
}

void PrintChapter(const Chapter& chapter) {
  fmt::print("{:>2}  {:<22}docs/tutorials/{}\n", chapter.number, chapter.title,
             chapter.file);
}

/// Prints the exercises of a chapter ("3"), or one exercise ("3.1").
void PrintExercises(std::string_view which) {
  std::string last;
  for (const Chapter& chapter : Chapters()) {
    for (const Exercise& exercise : Exercises()) {
      if (exercise.chapter != chapter.number) continue;
      if (which != std::to_string(chapter.number) &&
          which != NumberOf(exercise)) {
        continue;
      }
      if (last.empty()) PrintChapter(chapter);
      last = NumberOf(exercise);
      fmt::print("\n{}  {}\n", last,
                 WrapWords(std::string(exercise.question), last.size() + 2));
    }
  }
  if (last.empty()) {
    throw ConfigError(
        "there is no chapter or exercise '{}': chapters are 1 to {}, their "
        "exercises 1.1, 1.2, 2.1, ...",
        which, Chapters().size());
  }
  fmt::print("\nTo see whether 0.5 is right: heed learn {} 0.5\n", last);
}

const Exercise& ExerciseOf(std::string_view which) {
  const auto exercises = Exercises();
  const auto found = std::ranges::find_if(
      exercises, [&](const Exercise& e) { return NumberOf(e) == which; });
  if (found == exercises.end()) {
    throw ConfigError("there is no exercise '{}'; 'heed learn' lists them",
                      which);
  }
  return *found;
}

/// Parses an answer: a number, a fraction ("3/4") or a percentage ("75%").
double AnswerIn(const std::string& text) {
  const size_t slash = text.find('/');
  const bool percent = text.ends_with('%');
  const std::optional<double> number = ParseNumber(
      percent ? text.substr(0, text.size() - 1) : text.substr(0, slash));
  const std::optional<double> below =
      slash == std::string::npos ? 1 : ParseNumber(text.substr(slash + 1));
  if (!number || !below || *below == 0) {
    throw ConfigError(
        "the answer '{}' is no number: write it as 0.665, 3/4 or 66.5%", text);
  }
  return *number / *below / (percent ? 100 : 1);
}

int CheckAnswer(const Exercise& exercise, const std::string& given) {
  const double answer = exercise.answer();
  if (!IsRight(answer, AnswerIn(given))) {
    fmt::print("{} is not right.\nHow to find it: {}.\n", given,
               exercise.solution);
    return kExitFailure;
  }
  fmt::print("Right: {} is {}.\n",
             IsWhole(answer) ? fmt::format("{:.0f}", answer)
                             : fmt::format("{:.6g}", answer),
             exercise.solution);
  return 0;
}

}  // namespace

int RunLearn(const Arguments& arguments) {
  std::vector<std::string> words;
  Options options(
      "learn",
      "Prints the exercises of the course in docs/tutorials/: of a chapter (3) "
      "or one (3.1), or checks an answer (3.1 0.665). Answers have three "
      "digits, or are whole numbers; this program computes them. Exits with 1 "
      "if the answer is wrong.");
  options.OptionalPositionals("WHICH", words,
                              "chapter or exercise, and the answer to it");
  options.Example("heed learn");
  options.Example("heed learn 3");
  options.Example("heed learn 3.1 0.665");
  if (!options.Parse(arguments)) return 0;
  if (words.empty()) {
    for (const Chapter& chapter : Chapters()) PrintChapter(chapter);
    fmt::print("\nThe exercises of a chapter: heed learn 3\n");
    return 0;
  }
  if (words.size() > 2) {
    throw ConfigError("one exercise and one answer at a time");
  }
  if (words.size() == 2) return CheckAnswer(ExerciseOf(words[0]), words[1]);
  PrintExercises(words[0]);
  return 0;
}

}  // namespace heed
