#include "apps/heed/commands.h"
#include "demos/demos.h"

namespace heed {

const std::vector<Command>& Demos() {
  static const std::vector<Command> demos = {
      {"gallery", "a heatmap of each score, modifier, mask and normaliser",
       RunDemoGallery},
      {"saturation", "softmax with and without 1/√d", RunDemoSaturation},
      {"equivariance", "words in another order, with and without positions",
       RunDemoEquivariance},
      {"cost", "a GRU and self-attention against length", RunDemoCost},
      {"autocomplete", "what recurrent cells remember to guess a word",
       RunDemoAutocomplete},
      {"gradients", "how far back gradients reach in 1 to 4 layers",
       RunDemoGradients},
      {"nodes", "classes of nodes, with and without attention to neighbours",
       RunDemoNodes},
      {"visits", "which codes of a patient's visits count", RunDemoVisits},
      {"documents", "which word of which sentence decides", RunDemoDocuments},
      {"words", "how much a word counts in texts of each label", RunDemoWords},
      {"ratings", "which reviews decide how a user rates an item",
       RunDemoRatings},
      {"read", "questions about stories, and the sentences that answer them",
       RunDemoRead},
      {"memory", "a network that writes a memory, and one that cannot",
       RunDemoMemory},
      {"images", "digits read as a whole, and by looks at parts of them",
       RunDemoImages},
      {"captions", "what drawn scenes show, word by word with where it looks",
       RunDemoCaptions},
      {"speech", "made-up digits, and where each was heard in the sound",
       RunDemoSpeech},
      {"labyrinth",
       "hard choices in a maze, by rewards and by a soft relaxation",
       RunDemoLabyrinth},
      {"preference",
       "what a network prefers to see that has learned the order of frames",
       RunDemoPreference},
      {"summaries", "who did what, of long sentences, with ROUGE",
       RunDemoSummaries},
      {"retrieve", "which text says the same as a question, beside BM25",
       RunDemoRetrieve},
  };
  return demos;
}

}  // namespace heed
