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
      {"cost", "From which length on does attention cost more than recurrence?",
       RunDemoCost},
      {"saturation", "Why are dot products divided by √d?", RunDemoSaturation},
      {"scaling", "Does 1/√d keep training stable?", RunDemoScaling},
      {"temperature", "How sure does softmax make it?", RunDemoTemperature},
      {"products", "Is QKᵀ the same as XXᵀ?", RunDemoProducts},
      {"heads", "Do heads learn different things?", RunDemoHeads},
      {"order", "What is lost without positions?", RunDemoOrder},
      {"equivariance", "Does attention see the order of words?",
       RunDemoEquivariance},
      {"hard", "What do hard choices cost?", RunDemoHard},
      {"labyrinth", "How are hard choices learned, by rewards or relaxed?",
       RunDemoLabyrinth},
      {"autocomplete", "What do recurrent cells remember to guess a word?",
       RunDemoAutocomplete},
      {"memory", "What can a network do that writes a memory?", RunDemoMemory},
      {"read", "Which sentences of a story answer a question?", RunDemoRead},
      {"documents", "Which word of which sentence decides?", RunDemoDocuments},
      {"words", "How much does a word count in texts of each label?",
       RunDemoWords},
      {"retrieve", "Which text says the same as a question?", RunDemoRetrieve},
      {"summaries", "What stays of a long sentence in its summary?",
       RunDemoSummaries},
      {"nodes", "Do nodes of a graph gain by attending to their neighbours?",
       RunDemoNodes},
      {"visits", "Which codes of a patient's visits count?", RunDemoVisits},
      {"ratings", "Which reviews decide how a user rates an item?",
       RunDemoRatings},
      {"images", "Can a digit be read by looks at parts of it?", RunDemoImages},
      {"captions", "Where does it look for each word of a caption?",
       RunDemoCaptions},
      {"preference",
       "What does a network prefer to see that has learned the order of "
       "frames?",
       RunDemoPreference},
      {"speech", "Where in the sound was each digit heard?", RunDemoSpeech},
  };
}

}  // namespace

void AddCourse() {
  SetDemos(DemosOfCourse());
  AddCommand(
      {"learn", "exercises of the course in docs/tutorials, and their answers",
       RunLearn},
      "demo");
  AddCommand({"generate", "make data up to learn a task from", RunGenerate,
              &Generators()},
             "demo");
  AddCommand(
      {"bench", "measure training, attention and decoding on this machine",
       RunBench, &Benches()},
      "list");
}

}  // namespace heed
