#include "heed/decode/sample.h"

#include <algorithm>
#include <tuple>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/decode/generation.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"

namespace heed {
namespace {

struct Candidate {
  float probability;
  int32_t column;  // in the scores
};

bool Likelier(const Candidate& a, const Candidate& b) {
  return std::tuple(-a.probability, a.column) <
         std::tuple(-b.probability, b.column);
}

double Mass(const std::vector<Candidate>& candidates) {
  double mass = 0;
  for (const Candidate& candidate : candidates) mass += candidate.probability;
  return mass;
}

void KeepMostProbable(std::vector<Candidate>& candidates, int top_k) {
  const size_t kept = static_cast<size_t>(top_k);
  if (kept == 0 || kept >= candidates.size()) return;
  std::partial_sort(candidates.begin(), candidates.begin() + top_k,
                    candidates.end(), Likelier);
  candidates.resize(kept);
}

// Keeps the smallest set with probability mass top_p. Usually few tokens are
// needed, so they are sorted in growing portions.
void KeepNucleus(std::vector<Candidate>& candidates, double top_p) {
  if (top_p >= 1) return;
  const double enough = top_p * Mass(candidates);
  double mass = 0;
  size_t sorted = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (i == sorted) {
      sorted = std::min(candidates.size(), 2 * sorted + 32);
      const auto begin = candidates.begin() + static_cast<long>(i);
      const auto end = candidates.begin() + static_cast<long>(sorted);
      std::nth_element(begin, end, candidates.end(), Likelier);
      std::sort(begin, end, Likelier);
    }
    mass += candidates[i].probability;
    if (mass >= enough) return candidates.resize(i + 1);
  }
}

int32_t Pick(const std::vector<Candidate>& candidates, double uniform) {
  double rest = uniform * Mass(candidates);
  for (const Candidate& candidate : candidates) {
    rest -= candidate.probability;
    if (rest < 0) return candidate.column;
  }
  return candidates.back().column;  // remainder of rounding
}

class Sampling : public Generation {
 public:
  Sampling(const Decoder& model, const Inputs& inputs,
           const DecodeOptions& options, std::span<const int64_t> numbers,
           const OutputLists& outputs, const SearchHooks& hooks)
      : Generation(model, inputs, options, outputs, hooks, options.nbest, 0),
        numbers_(numbers) {}

 private:
  void Prepare() override {
    probabilities_ = kernels::Exp(kernels::LogSoftmax(
        kernels::Scale(scores(), 1 / options().temperature)));
  }

  std::vector<Continuation> Choose(const Sentence& sentence) override {
    std::vector<Continuation> drawn;
    for (size_t parent = 0; parent < sentence.live.size(); ++parent) {
      const Partial& partial = sentence.live[parent];
      const int32_t column =
          Draw(partial.row, Uniform(sentence.column, partial.draw));
      drawn.push_back(
          {parent, TokenOf(column),
           partial.log_probability +
               LogProbability(partial.row,
                              scores().row<float>(partial.row)[column])});
    }
    return drawn;
  }

  // Uniform number determined by seed, sentence, sample and step.
  double Uniform(int64_t column, int draw) const {
    const auto number = static_cast<uint64_t>(At(numbers_, column));
    const uint64_t key = Rng(options().seed, number).Next();
    const uint64_t position =
        (static_cast<uint64_t>(draw) << 32) + static_cast<uint64_t>(step());
    return Rng(key, position).Uniform();
  }

  int32_t Draw(int64_t row, double uniform) {
    const float* probabilities = probabilities_.row<float>(row);
    candidates_.clear();
    for (int64_t v = 0; v < probabilities_.cols(); ++v) {
      const float score = scores().row<float>(row)[v];
      if (!MayFollow(TokenOf(v)) || IsUnlisted(score)) continue;
      candidates_.push_back({probabilities[v], static_cast<int32_t>(v)});
    }
    KeepMostProbable(candidates_, options().top_k);
    KeepNucleus(candidates_, options().top_p);
    return Pick(candidates_, uniform);
  }

  std::span<const int64_t> numbers_;
  Tensor probabilities_;  // with temperature applied
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<std::vector<Hypothesis>> Sample(const Decoder& model,
                                            const Inputs& inputs,
                                            const DecodeOptions& options,
                                            std::span<const int64_t> numbers,
                                            const OutputLists& outputs,
                                            const SearchHooks& hooks) {
  if (std::ssize(numbers) != inputs.size()) {
    throw ShapeError("sample: {} numbers for {} sentences", numbers.size(),
                     inputs.size());
  }
  return Sampling(model, inputs, options, numbers, outputs, hooks).Run();
}

}  // namespace heed
