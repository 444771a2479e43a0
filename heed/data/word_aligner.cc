#include "heed/data/word_aligner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/data/diagonal_prior.h"

namespace heed {
namespace {

// Hyperparameters of the tension, from the authors' program fast_align.
constexpr int kTensionSteps = 8;
constexpr double kTensionRate = 20;
constexpr double kMinTension = 0.1;
constexpr double kMaxTension = 14;

/// Probability t(f | e) of known words that never co-occur.
constexpr double kUnseen = 1e-9;

// Counts of a chunk of sentences are sorted by part of the table. Then each
// part is summed on its own, chunk by chunk. All boundaries depend on the text
// only, so the sums do, too.
constexpr int64_t kCellsOfChunk = 1 << 15;
constexpr size_t kChunksOfBlock = 64;
constexpr size_t kParts = 64;
constexpr int64_t kRowsOfChunk = 64;

void CheckOptions(const AlignerOptions& options) {
  if (options.iterations < 1) {
    throw ConfigError("word aligner: {} iterations", options.iterations);
  }
  if (!(options.tension > 0 && options.tension <= 100)) {
    throw ConfigError("word aligner: a tension of {}, not in (0, 100]",
                      options.tension);
  }
  if (!(options.null_probability >= 0 && options.null_probability < 1)) {
    throw ConfigError("word aligner: a null probability of {}, not in [0, 1)",
                      options.null_probability);
  }
  if (!(options.alpha >= 0)) {
    throw ConfigError("word aligner: alpha {} is below 0", options.alpha);
  }
}

/// Prior p(a_j = i) for the words of a pair.
class Prior {
 public:
  Prior(const AlignerOptions& options, int64_t S, int64_t T)
      : options_(options), diagonal_{T, S, options.tension} {
    if (!options.diagonal) return;
    // exp(λ h) is a product of a factor of s and a factor of t on each side.
    for (int64_t s = 0; s <= S; ++s) {
      rising_.push_back(std::exp(options.tension * static_cast<double>(s) /
                                 static_cast<double>(S)));
    }
  }

  double empty_word() const {
    if (!options_.null_word) return 0;
    return options_.diagonal ? options_.null_probability : uniform();
  }

  /// Fills the prior of target word t (from 0). Shapes: row [S].
  void Fill(int64_t t, std::span<double> row) const {
    if (!options_.diagonal) {
      std::ranges::fill(row, uniform());
      return;
    }
    const double all = options_.null_word ? 1 - options_.null_probability : 1;
    const double scale = all / diagonal_.Normalizer(t + 1);
    const double at = std::exp(options_.tension * static_cast<double>(t + 1) /
                               static_cast<double>(diagonal_.T));
    const int64_t split = (t + 1) * diagonal_.S / diagonal_.T;
    for (int64_t s = 0; s < diagonal_.S; ++s) {
      const double here = rising_[static_cast<size_t>(s) + 1];
      At(row, s) = scale * (s < split ? here / at : at / here);
    }
  }

  double Feature(int64_t s, int64_t t) const {
    return diagonal_.Feature(s + 1, t + 1);
  }

 private:
  double uniform() const {
    return 1.0 /
           static_cast<double>(diagonal_.S + (options_.null_word ? 1 : 0));
  }

  const AlignerOptions& options_;
  DiagonalPrior diagonal_;
  std::vector<double> rising_;
};

/// An increment of a table entry.
struct Count {
  int64_t place;
  double value;
};

/// Contribution of a chunk of sentences to the sums of an iteration.
struct ChunkCounts {
  std::vector<Count> counts;  // sorted by part of the table
  std::array<size_t, kParts + 1> first = {};
  std::vector<double> linked;  // per target word: 1 − p(empty word)
  double feature = 0;          // Σ p h
  double log_likelihood = 0;

  /// Sorts the counts by part; a part has 2^`shift` entries.
  void Sort(int shift) {
    const auto part = [shift](const Count& count) {
      return static_cast<size_t>(count.place >> shift);
    };
    for (const Count& count : counts) ++first[part(count) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::array<size_t, kParts + 1> next = first;
    std::vector<Count> sorted(counts.size());
    for (const Count& count : counts) sorted[next[part(count)]++] = count;
    counts = std::move(sorted);
  }
};

/// Expected linked words by target position, for each size of pairs.
using SizeMasses = std::map<std::pair<int64_t, int64_t>, std::vector<double>>;

/// Expectation maximisation of a table.
class Learner {
 public:
  Learner(const IdPairs& pairs, AlignerOptions& options, LexicalTable& table)
      : pairs_(pairs), options_(options), table_(table) {
    while (table.size() >> shift_ >= static_cast<int64_t>(kParts)) ++shift_;
    PlanChunks();
  }

  /// Runs one iteration. Returns the log-likelihood before it.
  double Improve(bool learn_tension) {
    counts_.assign(static_cast<size_t>(table_.size()), 0);
    log_likelihood_ = 0;
    feature_ = 0;
    words_ = 0;
    masses_.clear();
    for (size_t begin = 0; begin + 1 < chunks_.size();
         begin += kChunksOfBlock) {
      CountBlock(begin, std::min(begin + kChunksOfBlock, chunks_.size() - 1));
    }
    Maximise();
    if (learn_tension) LearnTension();
    return log_likelihood_;
  }

 private:
  /// Sets boundaries of chunks with about equal numbers of cells.
  void PlanChunks() {
    chunks_ = {0};
    int64_t cells = 0;
    for (size_t i = 0; i < pairs_.source.size(); ++i) {
      cells += std::ssize(pairs_.source[i]) * std::ssize(pairs_.target[i]);
      if (cells < kCellsOfChunk) continue;
      chunks_.push_back(i + 1);
      cells = 0;
    }
    if (chunks_.back() != pairs_.source.size()) {
      chunks_.push_back(pairs_.source.size());
    }
  }

  /// Adds the counts of chunks [begin, end).
  void CountBlock(size_t begin, size_t end) {
    std::vector<ChunkCounts> block(end - begin);
    ParallelForEach(std::ssize(block), 1, [&](int64_t c) {
      const auto chunk = static_cast<size_t>(c);
      block[chunk].counts.reserve(kCellsOfChunk);
      for (size_t i = chunks_[begin + chunk]; i < chunks_[begin + chunk + 1];
           ++i) {
        CountPair(pairs_.source[i], pairs_.target[i], block[chunk]);
      }
      block[chunk].Sort(shift_);
    });
    ParallelForEach(kParts, 1, [&](int64_t part) {
      const auto p = static_cast<size_t>(part);
      for (const ChunkCounts& chunk : block) {
        for (size_t k = chunk.first[p]; k < chunk.first[p + 1]; ++k) {
          At(counts_, chunk.counts[k].place) += chunk.counts[k].value;
        }
      }
    });
    for (size_t c = 0; c < block.size(); ++c) {
      log_likelihood_ += block[c].log_likelihood;
      feature_ += block[c].feature;
      if (options_.diagonal) AddMasses(begin + c, block[c].linked);
    }
  }

  void CountPair(std::span<const int32_t> source,
                 std::span<const int32_t> target, ChunkCounts& chunk) const {
    if (source.empty() || target.empty()) return;
    const Prior prior(options_, std::ssize(source), std::ssize(target));
    std::vector<double> joint(source.size());
    std::vector<int64_t> places(source.size());
    const int32_t empty_word = table_.rows() - 1;
    for (size_t t = 0; t < target.size(); ++t) {
      prior.Fill(static_cast<int64_t>(t), joint);
      double sum = 0;
      double empty = 0;
      int64_t empty_place = 0;
      if (options_.null_word) {
        empty_place = table_.Place(empty_word, target[t]);
        empty = prior.empty_word() * table_.value(empty_place);
        sum = empty;
      }
      for (size_t s = 0; s < source.size(); ++s) {
        places[s] = table_.Place(source[s], target[t]);
        joint[s] *= table_.value(places[s]);
        sum += joint[s];
      }
      // A zero sum means that all t(f | e) underflowed in f64.
      chunk.linked.push_back(sum > 0 ? 1 - empty / sum : 0);
      if (!(sum > 0)) continue;
      chunk.log_likelihood += std::log(sum);
      if (options_.null_word)
        chunk.counts.push_back({empty_place, empty / sum});
      for (size_t s = 0; s < source.size(); ++s) {
        const double p = joint[s] / sum;
        chunk.counts.push_back({places[s], p});
        if (options_.diagonal) {
          chunk.feature += p * prior.Feature(static_cast<int64_t>(s),
                                             static_cast<int64_t>(t));
        }
      }
    }
  }

  void AddMasses(size_t chunk, std::span<const double> linked) {
    size_t next = 0;
    for (size_t i = chunks_[chunk]; i < chunks_[chunk + 1]; ++i) {
      const int64_t S = std::ssize(pairs_.source[i]);
      const int64_t T = std::ssize(pairs_.target[i]);
      if (S == 0 || T == 0) continue;
      std::vector<double>& masses = masses_[{T, S}];
      masses.resize(static_cast<size_t>(T));
      for (double& mass : masses) mass += linked[next++];
      words_ += static_cast<double>(T);
    }
  }

  /// Updates t(f | e) from the counts, row by row.
  void Maximise() {
    ParallelForEach(table_.rows(), kRowsOfChunk, [&](int64_t r) {
      const auto row = static_cast<int32_t>(r);
      const std::span<double> values = table_.values(row);
      const auto counts = std::span(counts_).subspan(
          static_cast<size_t>(table_.first(row)), values.size());
      double sum = 0;
      for (const double count : counts) sum += count + options_.alpha;
      if (!(sum > 0)) return;  // word of pairs with an empty side
      const double of_sum = options_.alpha > 0 ? Digamma(sum) : 0;
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = options_.alpha > 0
                        ? std::exp(Digamma(counts[i] + options_.alpha) - of_sum)
                        : counts[i] / sum;
      }
    });
  }

  /// Follows the gradient of the expected log-likelihood, Σ p(a_j = i) (h −
  /// E[h]) / words. Target words of the empty word do not contribute.
  void LearnTension() {
    if (words_ == 0) return;
    std::vector<const SizeMasses::value_type*> sizes;
    for (const auto& size : masses_) sizes.push_back(&size);
    std::vector<double> expected(sizes.size());
    for (int step = 0; step < kTensionSteps; ++step) {
      ParallelForEach(std::ssize(sizes), 16, [&](int64_t k) {
        const auto at = static_cast<size_t>(k);
        const DiagonalPrior prior = {sizes[at]->first.first,
                                     sizes[at]->first.second, options_.tension};
        expected[at] = 0;
        for (int64_t t = 0; t < prior.T; ++t) {
          expected[at] +=
              At(sizes[at]->second, t) * prior.ExpectedFeature(t + 1);
        }
      });
      const double all = std::accumulate(expected.begin(), expected.end(), 0.0);
      options_.tension = std::clamp(
          options_.tension + kTensionRate * (feature_ - all) / words_,
          kMinTension, kMaxTension);
    }
  }

  const IdPairs& pairs_;
  AlignerOptions& options_;
  LexicalTable& table_;
  int shift_ = 0;
  std::vector<size_t> chunks_;  // first pair of each chunk, and the end
  std::vector<double> counts_;
  double log_likelihood_ = 0;
  double feature_ = 0;
  double words_ = 0;  // number of target words
  SizeMasses masses_;
};

}  // namespace

double Digamma(double x) {
  double result = 0;
  for (; x < 8; ++x) result -= 1 / x;
  const double y = 1 / (x * x);
  // Asymptotic series; its first omitted term is below 1e-13.
  return result + std::log(x) - 0.5 / x -
         y * (1.0 / 12 -
              y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

WordAligner::WordAligner(const IdPairs& pairs, int32_t source_size,
                         int32_t target_size, const AlignerOptions& options,
                         const OnIteration& on_iteration)
    : options_(options),
      source_size_(source_size),
      target_size_(target_size),
      table_(pairs, source_size, target_size, options.null_word,
             1.0 / std::max(1, target_size)) {
  CheckOptions(options);
  Learner learner(pairs, options_, table_);
  for (int i = 0; i < options.iterations; ++i) {
    // In the first iteration translations are not informative about the
    // diagonal.
    const double likelihood =
        learner.Improve(options.diagonal && options.learn_tension && i > 0);
    if (on_iteration) on_iteration(i + 1, likelihood);
  }
}

double WordAligner::ProbabilityOf(int32_t source, int32_t target) const {
  const bool known_source = source >= 0 && source < table_.rows();
  // An unknown source word translates to all target words equally.
  if (!known_source) return 1.0 / std::max(1, target_size_);
  if (target < 0 || target >= target_size_) return kUnseen;
  const int64_t place = table_.Place(source, target);
  return place < 0 ? kUnseen : table_.value(place);
}

AlignerPosterior WordAligner::Posterior(std::span<const int32_t> source,
                                        std::span<const int32_t> target) const {
  AlignerPosterior posterior;
  posterior.columns = source.size() + 1;
  posterior.values.resize(target.size() * posterior.columns);
  const Prior prior(options_, std::ssize(source), std::ssize(target));
  for (size_t t = 0; t < target.size(); ++t) {
    const std::span<double> row =
        std::span(posterior.values)
            .subspan(t * posterior.columns, posterior.columns);
    const std::span<double> words = row.subspan(1);
    if (!source.empty()) prior.Fill(static_cast<int64_t>(t), words);
    for (size_t s = 0; s < source.size(); ++s) {
      const bool known = source[s] >= 0 && source[s] < source_size_;
      words[s] *= ProbabilityOf(known ? source[s] : -1, target[t]);
    }
    if (options_.null_word) {
      row[0] = prior.empty_word() * ProbabilityOf(source_size_, target[t]);
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(sum > 0)) {
      row[0] = 1;
      continue;
    }
    for (double& value : row) value /= sum;
  }
  return posterior;
}

int64_t AlignerPosterior::Best(size_t target) const {
  const auto row = values.begin() + static_cast<int64_t>(target * columns);
  return std::max_element(row, row + static_cast<int64_t>(columns)) - row - 1;
}

std::vector<int64_t> WordAligner::Align(std::span<const int32_t> source,
                                        std::span<const int32_t> target) const {
  const AlignerPosterior posterior = Posterior(source, target);
  std::vector<int64_t> links;
  for (size_t t = 0; t < target.size(); ++t) links.push_back(posterior.Best(t));
  return links;
}

}  // namespace heed
