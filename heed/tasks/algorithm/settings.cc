
#include <algorithm>
#include <array>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/tasks/algorithm/algorithm.h"

namespace heed::algorithm {
namespace {

/// Sizes of machines for each problem, in the order of Problem.
/// Paper: Graves et al. 2014, tables 1 to 3.
constexpr std::array<MachineUse, 5> kMachines = {{
    {"layers=1 units=100 read_heads=1 write_heads=1",
     "layers=1 units=100 read_heads=1 write_heads=1", "layers=3 units=256"},
    {"layers=1 units=100 read_heads=1 write_heads=1",
     "layers=1 units=100 read_heads=1 write_heads=1", "layers=3 units=512"},
    {"layers=1 units=256 read_heads=4 write_heads=4",
     "layers=1 units=100 read_heads=1 write_heads=1", "layers=3 units=256"},
    {"layers=1 units=100 read_heads=1 write_heads=1",
     "layers=1 units=100 read_heads=1 write_heads=1", "layers=3 units=128"},
    {"layers=1 units=512 read_heads=8 write_heads=8",
     "layers=2 units=100 read_heads=5 write_heads=5", "layers=3 units=128"},
}};

void FillOpen(int& setting, int64_t value) {
  if (setting == 0) setting = static_cast<int>(value);
}

}  // namespace

TaskRow Task() {
  TaskRow row;
  row.name = "algorithm";
  row.description = "copying, recalling, sorting and counting bits";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.input = {"memory", InputKind::Line::kText, {}};
  row.input_label = "Sequence";
  row.answer_label = "Answer";
  row.prompt = "Type vectors of bits, or random 20, and press Enter";
  row.examples = {{"random 10"}};
  row.training = {"--problem copy"};
  return row;
}

void Settings::Visit(FieldList& v) {
  v.Section("Data");
  v("problem", problem,
    "problem to learn: copy a sequence; repeat-copy it a given number of "
    "times; recall the item after a given one; ngrams: predict the next bit; "
    "sort by priority")
      .Main();
  v("bits", bits, Range(0, 1000),
    "bits of a vector; 0: 8, of recall 6, of ngrams 1");
  v("min_length", min_length, Range(0, kMaxVectors),
    "vectors (recall: items, ngrams: bits) of the shortest sequence; 0: 1, 1, "
    "2, 200, 20");
  v("max_length", max_length, Range(0, kMaxVectors),
    "vectors of the longest sequence; 0: 20, 10, 6, 200, 20. Train on a wide "
    "range; a narrow one often fails to generalise");
  v("min_repeats", min_repeats, Range(0, 1000),
    "repeat-copy: minimum repeats; 0: 1");
  v("max_repeats", max_repeats, Range(0, 1000),
    "repeat-copy: maximum repeats; 0: 10");
  v("batch_sequences", batch_sequences, Range(1, 100000),
    "sequences per update, all of one length")
      .Alias("batch_size")
      .Alias("bs");
  v("epoch_sequences", epoch_sequences, Range(1, 1e8),
    "sequences drawn per epoch; none is drawn twice");
  v("valid_sequences", valid_sequences, Range(1, 1e6),
    "sequences for validation, from a separate random stream");
  model.VisitName(v, "network with a memory (ntm), or without one (lstm)");
  model->Visit(v);
}

void Settings::SetDefaults(TrainingConfig& training) const {
  training.optimizer.optimizer = OptimizerKind::kRmsprop;
  training.optimizer.momentum = 0.9;
  training.optimizer.learning_rate = 1e-4;
  training.optimizer.clip = 10;
  training.run.epochs = 40;
  training.run.ema = 0.999;
  training.run.patience = 0;
}

void Settings::Resolve() {
  const ProblemLengths lengths = DefaultLengths(problem);
  const bool repeated = min_repeats > 1 ||
                        (max_repeats > 0 && max_repeats != lengths.max_repeats);
  if (problem != Problem::kRepeatCopy && repeated) {
    throw ConfigError("{}: problem {} has none",
                      min_repeats > 1 ? "min_repeats" : "max_repeats",
                      problem.word());
  }
  FillOpen(bits, DefaultShape(problem).bits);
  FillOpen(max_length, std::max<int64_t>(lengths.max, min_length));
  FillOpen(min_length, std::min<int64_t>(lengths.min, max_length));
  FillOpen(max_repeats, std::max<int64_t>(lengths.max_repeats, min_repeats));
  FillOpen(min_repeats, std::min<int64_t>(lengths.min_repeats, max_repeats));
  if (min_length > max_length) {
    throw ConfigError("min_length {} is above max_length {}", min_length,
                      max_length);
  }
  if (min_repeats > max_repeats) {
    throw ConfigError("min_repeats {} is above max_repeats {}", min_repeats,
                      max_repeats);
  }
  const int64_t min = MinLength(problem);
  if (min_length < min) {
    throw ConfigError("min_length {}: problem {} needs at least {}", min_length,
                      problem.word(), min);
  }
  if (problem == Problem::kNgrams && bits != 1) {
    throw ConfigError("bits {}: problem ngrams has vectors of one bit", bits);
  }
  model->Fill(At(kMachines, problem.value()));
}

std::unique_ptr<Model> Settings::MakeModel(const Data& /*data*/,
                                           uint64_t seed) const {
  return std::make_unique<Model>(*this, seed);
}
}  // namespace heed::algorithm
