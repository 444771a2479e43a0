#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "bench/benches.h"
#include "course/course.h"
#include "course/demos.h"
#include "course/exercises.h"

namespace heed {

namespace {

std::vector<Command> DemosOfCourse() {
  return {
      {"gallery", "What do scores, modifiers, masks and normalisers do?",
       RunDemoGallery},
      {"luong", "Global or local attention, and by which score?", RunDemoLuong},
      {"steps", "How does Luong's attention differ from Bahdanau's?",
       RunDemoSteps},
      {"smallest", "What does every number of a tiny attention do?",
       RunDemoSmallest},
      {"bottleneck", "Does a fixed vector forget long sentences?",
       RunDemoBottleneck},
      {"probe", "Can a word be read from the last state?", RunDemoProbe},
      {"gradients", "How far back do gradients reach in 1 to 4 layers?",
       RunDemoGradients},
      {"recall", "Does attention reach pages, or chapters, back?",
       RunDemoRecall},
      {"cost", "From which length does attention cost more than recurrence?",
       RunDemoCost},
      {"saturation", "Why are dot products divided by √d?", RunDemoSaturation},
      {"scaling", "Does 1/√d keep training stable?", RunDemoScaling},
      {"temperature", "How does temperature change the weights?",
       RunDemoTemperature},
      {"products", "Is QKᵀ the same as XXᵀ?", RunDemoProducts},
      {"heads", "Do heads learn different things?", RunDemoHeads},
      {"order", "What is lost without positions?", RunDemoOrder},
      {"equivariance", "Does attention see the order of words?",
       RunDemoEquivariance},
      {"hard", "What do hard choices cost?", RunDemoHard},
      {"labyrinth",
       "Are hard choices learned better by rewards or by a relaxation?",
       RunDemoLabyrinth},
      {"autocomplete", "What do recurrent cells remember to guess a word?",
       RunDemoAutocomplete},
      {"memory", "What can a network with a writable memory do?",
       RunDemoMemory},
      {"read", "Which sentences of a story answer a question?", RunDemoRead},
      {"documents", "Which word of which sentence decides?", RunDemoDocuments},
      {"words", "How much does a word count in texts of each label?",
       RunDemoWords},
      {"retrieve", "Which text is a paraphrase of a question?",
       RunDemoRetrieve},
      {"summaries", "Which words of a long sentence enter its summary?",
       RunDemoSummaries},
      {"nodes", "Does attention to neighbours help to classify nodes?",
       RunDemoNodes},
      {"visits", "Which codes of a patient's visits count?", RunDemoVisits},
      {"ratings", "Which reviews decide how a user rates an item?",
       RunDemoRatings},
      {"images", "Can a digit be recognised from a few glimpses?",
       RunDemoImages},
      {"captions", "Where does a model look for each word of a caption?",
       RunDemoCaptions},
      {"preference",
       "Which patches activate a network that learned the order of frames?",
       RunDemoPreference},
      {"speech", "Which part of the sound does each digit come from?",
       RunDemoSpeech},
  };
}

}  // namespace

void AddCourse() {
  SetDemos(DemosOfCourse());
  AddCommand(
      {"learn", "print and check exercises of the course in docs/tutorials",
       RunLearn},
      "demo");
  AddCommand({"generate", "generate synthetic data for a task", RunGenerate,
              &Generators()},
             "demo");
  AddCommand(
      {"bench", "measure training, attention and decoding on this machine",
       RunBench, &Benches()},
      "list");
}

}  // namespace heed
