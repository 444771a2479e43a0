#include "course/luong_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "heed/base/rng.h"
#include "heed/models/preset.h"
#include "heed/tasks/translate/translation.h"
#include "heed/train/in_memory.h"

namespace heed {
namespace {

constexpr uint64_t kSymbols = 20;
constexpr uint64_t kShortest = 3;
constexpr int kTestSequences = 300;
constexpr double kLuongRate = 3e-3;

std::string AttentionPreset(LuongKind kind, int window) {
  switch (kind) {
    case LuongKind::kGlobal:
      break;
    case LuongKind::kLocalM:
      return fmt::format(" attention_mask=local_m({})", window);
    case LuongKind::kLocalP:
      return fmt::format(" modifiers=local_p({})", window);
  }
  return "";
}

}  // namespace

ParallelText MakeReversals(int count, int longest, bool copied, uint64_t seed) {
  Rng rng(seed);
  ParallelText text;
  for (int i = 0; i < count; ++i) {
    const uint64_t length =
        kShortest + rng.Below(static_cast<uint64_t>(longest) - kShortest + 1);
    std::vector<std::string> words;
    for (uint64_t t = 0; t < length; ++t) {
      words.push_back(std::to_string(rng.Below(kSymbols)));
    }
    text.source.push_back(fmt::format("{}", fmt::join(words, " ")));
    if (!copied) std::ranges::reverse(words);
    text.target.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return text;
}

double ExactReversals(const LuongCell& cell, const LuongTraining& training) {
  translate::Settings settings;
  settings.ChooseModel(training.model);
  SetPreset(
      FieldsOf(*settings.model),
      fmt::format("embedding=48 units=64 layers=1 dropout=0 "
                  "reverse_source=no score={}{}",
                  cell.score, AttentionPreset(cell.kind, training.window)));
  settings.data.vocabulary = "words";
  settings.data.batch_sentences = 32;
  settings.Resolve();
  const auto sequences = [&](int count, uint64_t seed) {
    return MakeReversals(count, training.longest, cell.copied, seed);
  };
  const translate::Data data = {{sequences(training.sequences, training.seed),
                                 sequences(kTestSequences, ~training.seed)},
                                {},
                                {}};
  TrainingConfig config;
  settings.SetDefaults(config);
  config.optimizer.learning_rate = kLuongRate;
  config.optimizer.schedule = Schedule::kCosine;
  config.run.epochs = training.epochs;
  config.run.metric = "loss";
  config.run.patience = 0;
  config.run.seed = training.seed;
  const auto model = settings.MakeModel(data, training.seed);
  TrainInMemory(*settings.MakeObjective(data, *model, training.seed), config);
  translate::EvaluationOptions evaluation;
  evaluation.decode.beam = 1;
  return Evaluate(
             *model,
             sequences(kTestSequences, training.seed ^ (uint64_t{1} << 40)),
             evaluation)
      .exact_match;
}

}  // namespace heed
