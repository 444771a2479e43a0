#include "heed/tasks/translate/ibm_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/input_lines.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/train/progress.h"

namespace heed::translate {
namespace {

constexpr std::array<const char*, 2> kIbmModels = {"ibm1", "ibm2"};
constexpr std::array<const char*, 2> kIbmLabels = {"IBM model 1",
                                                   "IBM model 2"};
constexpr int64_t kMaxTrainingWords = 2000;  // words
constexpr int64_t kMaxBaselinePairs = 200'000;

/// The training pairs of baselines: all, or every n-th pair of a large text.
ParallelText BaselineSample(ParallelText text) {
  const auto step = static_cast<size_t>(
      (std::ssize(text.source) + kMaxBaselinePairs - 1) / kMaxBaselinePairs);
  if (step <= 1) return text;
  ParallelText sample;
  for (size_t i = 0; i < text.source.size(); i += step) {
    sample.source.push_back(std::move(text.source[i]));
    sample.target.push_back(std::move(text.target[i]));
  }
  return sample;
}

/// Training text of baselines, and its name.
struct BaselineText {
  ParallelText text;
  std::string name;
};

bool HasStandardInput(const std::vector<std::string>& paths) {
  return std::ranges::find(paths, "-") != paths.end();
}

std::optional<BaselineText> ReadBaselineText(const BaselineOptions& options,
                                             const DataConfig& data) {
  if (!options.learn.empty()) {
    return BaselineText{options.learn.Read("learn_"), "pairs"};
  }
  std::string why = "the model was trained on a store of tokens";
  const PairFiles& train = data.train;
  if (HasStandardInput(train.source) || HasStandardInput(train.target) ||
      HasStandardInput(train.tsv)) {
    why = "the model was trained on standard input";
  } else if (!data.large.stored()) {
    try {
      return BaselineText{train.Read(""), "training pairs"};
    } catch (const Error& error) {
      why = error.what();
    }
  }
  Warn(
      fmt::format("cannot compare with IBM models: {}; name the training pairs "
                  "with --learn-source and --learn-target, or --learn-tsv",
                  why));
  return std::nullopt;
}

std::vector<AlignmentLinks> LinksOfViews(
    const std::vector<AlignmentView>& views) {
  std::vector<AlignmentLinks> links;
  for (const AlignmentView& view : views) links.push_back(*view.links);
  return links;
}

}  // namespace

std::span<const char* const> IbmModelNames() { return kIbmModels; }

std::optional<AlignerOptions> IbmModelOf(std::string_view name) {
  if (name == kIbmModels[0]) {
    return AlignerOptions{.diagonal = false, .alpha = 0};
  }
  if (name == kIbmModels[1]) return AlignerOptions{};
  return std::nullopt;
}

void IbmOptions::Visit(FieldList& v) {
  v.Section("IBM models");
  v("iterations", iterations, Range(1, 1000),
    "iterations of expectation maximisation");
  v("tension", tension, Range(0.1, 14),
    "ibm2: initial strength of the preference for the diagonal");
  v("learn_tension", learn_tension,
    "ibm2: learn the tension from the second iteration on");
  v("null_probability", null_probability, Range(0, 0.99),
    "ibm2: probability that a target word has no source word");
  v("alpha", alpha, Range(-1, 1000),
    "Dirichlet prior of translation probabilities; 0: none (maximum "
    "likelihood); -1: 0.01 for ibm2, none for ibm1");
  v("lowercase", lowercase, "ibm1, ibm2: ignore the case of words");
}

AlignerOptions IbmOptions::Applied(std::string_view name) const {
  AlignerOptions options = IbmModelOf(name).value();
  options.iterations = iterations;
  options.tension = tension;
  options.learn_tension = learn_tension;
  options.null_probability = null_probability;
  if (alpha >= 0) options.alpha = alpha;
  return options;
}

IbmAligner::IbmAligner(const ParallelText& text, const AlignerOptions& options,
                       bool lowercase,
                       const WordAligner::OnIteration& on_iteration)
    : lowercase_(lowercase) {
  std::vector<std::vector<int32_t>> sources;
  std::vector<std::vector<int32_t>> targets;
  for (size_t i = 0; i < text.source.size(); ++i) {
    std::vector<int32_t> source = Learn(text.source[i], sources_);
    std::vector<int32_t> target = Learn(text.target[i], targets_);
    if (source.empty() || target.empty() ||
        std::ssize(source) > kMaxTrainingWords ||
        std::ssize(target) > kMaxTrainingWords) {
      continue;
    }
    sources.push_back(std::move(source));
    targets.push_back(std::move(target));
  }
  pairs_ = std::ssize(sources);
  aligner_.emplace(
      IdPairs{sources, targets}, static_cast<int32_t>(sources_.size()),
      static_cast<int32_t>(targets_.size()), options, on_iteration);
}

std::vector<int32_t> IbmAligner::Learn(std::string_view line,
                                       Numbers& numbers) const {
  const std::string lower = lowercase_ ? Lowercase(line) : std::string();
  std::vector<int32_t> ids;
  for (const std::string_view word :
       SplitWhitespace(lowercase_ ? std::string_view(lower) : line)) {
    const auto next = static_cast<int32_t>(numbers.size());
    ids.push_back(numbers.try_emplace(NormalForm(word), next).first->second);
  }
  return ids;
}

std::vector<int32_t> IbmAligner::Find(std::string_view line,
                                      const Numbers& numbers) const {
  const std::string lower = lowercase_ ? Lowercase(line) : std::string();
  std::vector<int32_t> ids;
  for (const std::string_view word :
       SplitWhitespace(lowercase_ ? std::string_view(lower) : line)) {
    const auto found = numbers.find(NormalForm(word));
    ids.push_back(found == numbers.end() ? -1 : found->second);
  }
  return ids;
}

std::vector<AlignmentView> IbmAligner::Align(const ParallelText& text) const {
  std::vector<AlignmentView> views(text.source.size());
  ParallelForEach(std::ssize(views), 16, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    AlignmentView& view = views[at];
    const auto words = [](const std::string& line) {
      const std::vector<std::string_view> parts = SplitWhitespace(line);
      return std::vector<std::string>(parts.begin(), parts.end());
    };
    view.source_tokens = words(text.source[at]);
    view.target_tokens = words(text.target[at]);
    const std::vector<int32_t> source = Find(text.source[at], sources_);
    const std::vector<int32_t> target = Find(text.target[at], targets_);
    const AlignerPosterior posterior = aligner_->Posterior(source, target);
    view.links.emplace();
    for (size_t t = 0; t < target.size(); ++t) {
      for (size_t s = 0; s < source.size(); ++s) {
        view.weights.push_back(static_cast<float>(
            posterior.probability(t, static_cast<int64_t>(s))));
      }
      const int64_t s = posterior.Best(t);
      if (s >= 0) view.links->insert({s, static_cast<int64_t>(t)});
    }
  });
  return views;
}

void BaselineOptions::Visit(FieldList& v) {
  v("ibm_baselines", baselines,
    "also print the error rates of IBM models 1 and 2");
  learn.Visit(v, "learn_",
              "training pairs of IBM models (default: those of the model; for "
              "ibm1 and ibm2, the pairs to align)");
}

AlignmentBaselines MeasureBaselines(const BaselineOptions& options,
                                    const DataConfig& data,
                                    const ParallelText& text,
                                    std::span<const GoldAlignment> gold,
                                    Symmetrization method) {
  if (!options.baselines) return {};
  std::optional<BaselineText> read = ReadBaselineText(options, data);
  if (!read) return {};
  const int64_t all = std::ssize(read->text.source);
  const ParallelText training = BaselineSample(std::move(read->text));
  const ParallelText swapped = Swapped(training);
  AlignmentBaselines result;
  const auto pairs = std::ssize(training.source);
  result.origin = pairs == all ? fmt::format("EM on the {} {}", all, read->name)
                               : fmt::format("EM on {} of the {} {}", pairs,
                                             all, read->name);
  Progress progress("pair", pairs <= kQuietIbmPairs);
  ProgressState state;
  for (const char* name : kIbmModels) {
    state.steps += 2 * IbmModelOf(name)->iterations;
  }
  const auto links = [&](const ParallelText& from, const ParallelText& of,
                         const AlignerOptions& model) {
    progress.Update(state);
    const IbmAligner aligner(from, model, data.lowercase,
                             [&](int /*done*/, double /*likelihood*/) {
                               ++state.step;
                               state.units += pairs;
                               progress.Update(state);
                             });
    return LinksOfViews(aligner.Align(of));
  };
  for (size_t m = 0; m < kIbmModels.size(); ++m) {
    const AlignerOptions model = *IbmModelOf(kIbmModels[m]);
    const std::string key = kIbmModels[m];
    const std::string label = kIbmLabels[m];
    state.label = label;
    const auto forward = links(training, text, model);
    auto backward = links(swapped, Swapped(text), model);
    std::vector<AlignmentLinks> both;
    for (size_t i = 0; i < backward.size(); ++i) {
      backward[i] = Reversed(backward[i]);
      both.push_back(Symmetrize(forward[i], backward[i], method));
    }
    result.rows.push_back({key, label, ScoreAlignments(forward, gold)});
    result.rows.push_back({key + "_backward", label + ", backward",
                           ScoreAlignments(backward, gold)});
    if (method == Symmetrization::kNone) continue;
    const std::string name = At(SymmetrizationNames(), method);
    result.rows.push_back({key + "_both", fmt::format("{}, {}", label, name),
                           ScoreAlignments(both, gold)});
  }
  return result;
}

}  // namespace heed::translate
