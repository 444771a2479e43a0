// Entry points of the sub-commands, each in its own file.
#ifndef HEED_APPS_HEED_COMMANDS_H_
#define HEED_APPS_HEED_COMMANDS_H_

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/options.h"

namespace heed {

int RunTrain(const Arguments& arguments);
/// Options of a heed train command by key, without training; null after
/// printing the help. Throws: as RunTrain for wrong options.
nlohmann::ordered_json CheckTraining(const Arguments& arguments);
int RunDistill(const Arguments& arguments);
int RunTranslate(const Arguments& arguments);
int RunPredict(const Arguments& arguments);
int RunAlign(const Arguments& arguments);
int RunServe(const Arguments& arguments);
int RunEvaluate(const Arguments& arguments);
int RunExplain(const Arguments& arguments);
int RunQuantize(const Arguments& arguments);
int RunShortlist(const Arguments& arguments);
int RunImport(const Arguments& arguments);
int RunExport(const Arguments& arguments);
int RunPlot(const Arguments& arguments);
int RunVerify(const Arguments& arguments);
int RunInfo(const Arguments& arguments);
int RunList(const Arguments& arguments);
int RunDemo(const Arguments& arguments);
int RunHelp(const Arguments& arguments);
int RunManual(const Arguments& arguments);
int RunCompletion(const Arguments& arguments);
/// Completes a command line for the scripts of RunCompletion: heed __complete
/// WORDS..., where the last word is incomplete (see CompletionAnswer).
int RunComplete(const Arguments& words);

/// Prints the help of the whole program.
void PrintMainHelp();

/// Says why a program without the course lacks most demos and some commands.
inline constexpr const char* kWithoutCourse =
    "this program was built without the course; ./dev build builds it with all "
    "demos, generators of data, exercises and benchmarks";
/// Sub-commands of `heed demo`; empty in a program without the course.
const std::vector<Command>& Demos();
/// Sets the sub-commands of `heed demo`. Call it before Main.
void SetDemos(std::vector<Command> demos);

}  // namespace heed

#endif  // HEED_APPS_HEED_COMMANDS_H_
