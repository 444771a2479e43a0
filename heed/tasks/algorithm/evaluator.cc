#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/tasks/algorithm/algorithm.h"

namespace heed::algorithm {
namespace {

using Json = nlohmann::ordered_json;

/// Random stream of evaluation, distinct from those of training and validation.
constexpr uint64_t kEvaluationStream = 0x74657374;

/// Scores of a model on sequences of one kind.
struct LengthScores {
  std::string name;  // "20", "20 x3", "1 to 20"
  ProblemLengths lengths;
  SequenceScores scores;
  double optimal = 0;  // for ngrams: Σ bits of the optimal predictor
};

/// Parses "10,20" or "10 20". Throws: ConfigError.
std::vector<int64_t> NumbersOf(const std::vector<std::string>& words,
                               const char* option, int64_t min) {
  std::vector<int64_t> numbers;
  for (const std::string& word : words) {
    for (const std::string_view part : SplitAt(word, ",")) {
      const auto number = ParseInteger<int64_t>(part);
      if (!number || *number < min || *number > kMaxVectors) {
        throw ConfigError("{}: '{}' is not a number from {} to {}", option,
                          std::string(part), min, kMaxVectors);
      }
      numbers.push_back(*number);
    }
  }
  return numbers;
}

/// The requested lengths, or those of training.
std::vector<LengthScores> Cases(const Config& config,
                                const Evaluation& options) {
  const bool repeated = config.problem == Problem::kRepeatCopy;
  if (!repeated && !options.repeats.empty()) {
    throw ConfigError("repeats: problem {} has none", config.problem.word());
  }
  std::vector<int64_t> lengths =
      NumbersOf(options.lengths, "lengths", MinLength(config.problem));
  std::vector<int64_t> repeats = NumbersOf(options.repeats, "repeats", 1);
  std::vector<LengthScores> cases;
  if (lengths.empty() && repeats.empty()) {
    const ProblemLengths own = config.Lengths();
    return {{own.min == own.max ? fmt::format("{}", own.max)
                                : fmt::format("{} to {}", own.min, own.max),
             own,
             {}}};
  }
  if (lengths.empty()) lengths = {config.max_length};
  if (repeats.empty()) repeats = {config.max_repeats};
  if (!repeated) repeats = {1};
  for (const int64_t length : lengths) {
    for (const int64_t times : repeats) {
      if (length * times > kMaxVectors) {
        throw ConfigError("lengths: {} vectors {} times are more than {}",
                          length, times, kMaxVectors);
      }
      cases.push_back({repeated ? fmt::format("{} x{}", length, times)
                                : fmt::format("{}", length),
                       {length, length, times, times},
                       {}});
    }
  }
  return cases;
}

void Run(const Model& model, const Evaluation& options, LengthScores& one) {
  const ProblemShape shape = model.config.Shape();
  for (int64_t begin = 0; begin < options.sequences; begin += options.batch) {
    std::vector<BitSequence> sequences;
    const int64_t end =
        std::min<int64_t>(begin + options.batch, options.sequences);
    for (int64_t number = begin; number < end; ++number) {
      sequences.push_back(DrawSequence(shape, one.lengths,
                                       options.seed ^ kEvaluationStream, number,
                                       begin / options.batch));
      if (shape.problem == Problem::kNgrams) {
        one.optimal += OptimalNgramBits(sequences.back());
      }
    }
    one.scores.Add(model.Score({}, GroupOf(shape, sequences)));
  }
}

/// Share of sequences without bit errors. Units: per cent
double Percent(const SequenceScores& scores) {
  return 100 * scores.Mean(static_cast<double>(scores.faultless));
}

Json ToJson(const LengthScores& one, bool optimal) {
  const SequenceScores& s = one.scores;
  Json json = {{"length", one.name},
               {"bits", s.Mean(s.bits)},
               {"bit_errors", s.Mean(s.bit_errors)},
               {"faultless", Percent(s)}};
  if (optimal) json["optimal_bits"] = s.Mean(one.optimal);
  return json;
}

std::string TableOf(const std::vector<LengthScores>& cases) {
  std::string table = fmt::format("{:<12} {:>12} {:>12} {:>12}\n", "length",
                                  "bits", "bit errors", "faultless");
  for (const LengthScores& one : cases) {
    const SequenceScores& s = one.scores;
    table += fmt::format("{:<12} {:>12.4f} {:>12.3f} {:>11.0f}%\n", one.name,
                         s.Mean(s.bits), s.Mean(s.bit_errors), Percent(s));
  }
  return table;
}

}  // namespace

void Evaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("lengths", lengths, Any{"N"},
    "lengths to measure, such as 10,20,50 (default: sequences as in training)");
  v("repeats", repeats, Any{"N"},
    "repeat-copy: repeats to measure, such as 10,20");
  v("sequences", sequences, Range(1, 1e6), "sequences of each length");
  v("batch", batch, Range(1, 10000), "sequences at once");
  v("seed", seed, "seed of the sequences, which training has never drawn");
  v("by_length", by_length, Any{"FILE.svg"},
    "plot bit errors per sequence by length; .svg or .png")
      .Alias("plot");
}

Report Settings::Evaluate(const Model& algorithm,
                          const Evaluation& options) const {
  std::vector<LengthScores> cases = Cases(algorithm.config, options);
  const bool ngrams = problem == Problem::kNgrams;
  Report report;
  SequenceScores all;
  double optimal = 0;
  Series curve;
  report.details["lengths"] = Json::array();
  for (LengthScores& one : cases) {
    Run(algorithm, options, one);
    all.Add(one.scores);
    optimal += one.optimal;
    report.details["lengths"].push_back(ToJson(one, ngrams));
    curve.x.push_back(static_cast<double>(one.lengths.max));
    curve.y.push_back(one.scores.Mean(one.scores.bit_errors));
  }
  report.heading = fmt::format("{} sequences", all.sequences);
  report.figures = {
      {"bits", "bits", all.Mean(all.bits), 4, "", "-log2 p per sequence"},
      {"bit_errors", "bit errors", all.Mean(all.bit_errors), 4, "",
       "per sequence"},
      {"faultless", "faultless", Percent(all), 1, "%",
       "sequences without an error"}};
  if (ngrams) {
    report.figures.push_back({"optimal_bits", "optimal bits", all.Mean(optimal),
                              4, "", "of the best predictor that counts"});
  }
  report.text = TableOf(cases);
  if (!options.by_length.empty()) report.curve = std::move(curve);
  report.axes = {"Bit errors by length", "length", "bit errors"};
  return report;
}

}  // namespace heed::algorithm
