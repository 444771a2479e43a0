// The five algorithmic problems that introduced Neural Turing Machines: random
// or typed sequences of bits, and their targets. Paper: Graves et al. 2014,
// arXiv:1410.5401, section 4.
#ifndef HEED_DATA_ALGORITHMS_H_
#define HEED_DATA_ALGORITHMS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/rng.h"
#include "heed/tensor/tensor.h"

namespace heed {

enum class Problem : uint8_t {
  kCopy,        // repeat the vectors
  kRepeatCopy,  // repeat them a given number of times, then mark the end
  kRecall,      // given one item, answer the next one
  kNgrams,      // predict the next bit of a random 6-gram source
  kSort,        // output the vectors with the highest priorities in order
};
constexpr auto WordsOf(Problem) {
  return std::array{"copy", "repeat-copy", "recall", "ngrams", "sort"};
}

/// A problem and the number of bits of its vectors.
struct ProblemShape {
  Problem problem = Problem::kCopy;
  int64_t bits = 8;

  int64_t inputs() const;   ///< input channels per step
  int64_t outputs() const;  ///< target bits per step
};

/// Inclusive ranges of the lengths of random sequences.
struct ProblemLengths {
  int64_t min = 1;  // vectors; items of recall; bits of n-grams
  int64_t max = 20;
  int64_t min_repeats = 1;  // of repeat-copy
  int64_t max_repeats = 10;
};
/// Bits and training lengths of the paper.
ProblemShape DefaultShape(Problem problem);
ProblemLengths DefaultLengths(Problem problem);

inline constexpr int64_t kItemVectors = 3;  // of recall
inline constexpr int64_t kContextBits = 5;  // of n-grams
/// Maximum length of an input. Units: vectors
inline constexpr int64_t kMaxVectors = 10000;

/// A problem instance before its encoding for a network.
struct BitSequence {
  std::vector<std::vector<uint8_t>> vectors;  ///< each of `bits` 0 and 1
  int64_t repeats = 1;                        ///< of repeat-copy
  int64_t query = 0;  ///< of recall: item whose successor is the answer
  std::vector<double> priorities;  ///< of sort, one per vector

  /// Number of vectors; number of items for recall.
  int64_t length(Problem problem) const;
};

/// Random sequence `number` of stream `seed`, which determine the result. Its
/// length and its repeats only depend on `group`, so that all sequences of a
/// batch have one length.
BitSequence DrawSequence(const ProblemShape& shape,
                         const ProblemLengths& lengths, uint64_t seed,
                         int64_t number, int64_t group);

/// Parses a typed line of vectors of bits, separated by blanks.
///   copy         10110010 01100101
///   repeat-copy  10110010 01100101 x3
///   recall       101010 010101 111000 | 000111 ... ? 101010 010101 111000
///   ngrams       0110100110
///   sort         10110010@0.53 01100101@-0.2
/// Throws: FormatError that begins with `place` and names the vector.
BitSequence ParseSequence(const ProblemShape& shape, std::string_view text,
                          const std::string& place);
/// Parses a typed line, or draws a random sequence: "random" with the length,
/// and for repeat-copy the repeats ("random 20", "random 5 x3"); a further
/// number is the seed. Throws: as ParseSequence.
BitSequence ReadSequence(const ProblemShape& shape, std::string_view text,
                         const std::string& place);
/// Minimum length of a sequence that has an answer.
int64_t MinLength(Problem problem);
/// Line that ParseSequence parses as this sequence.
std::string FormatSequence(const ProblemShape& shape,
                           const BitSequence& sequence);

/// Inputs and targets of a network. Steps [begin, end) are scored; their
/// targets are not in the inputs.
///   copy         the vectors, a delimiter, then one step for each
///   repeat-copy  the vectors, a delimiter with (repeats − mean) / deviation
///                under training lengths, then one step for each and the end
///   recall       a delimiter before each item; a second one before and after
///                the query; then the steps of an item
///   ngrams       the bits; the target of a step is the next bit, from the
///                sixth bit on
///   sort         vectors and priorities, a delimiter, then one step for each
///                of the ⌈0.8 · vectors⌉ with the highest priorities
struct EncodedSequence {
  Tensor inputs;   // f32 [T, inputs]
  Tensor targets;  // f32 [T, outputs], 0 in unscored steps
  int64_t begin = 0;
  int64_t end = 0;
  /// Label of each step: "1", "2", "|", "?", ...
  std::vector<std::string> steps;
};
/// Throws: ShapeError for vectors with another number of bits.
EncodedSequence Encode(const ProblemShape& shape, const BitSequence& sequence);

/// −log2 p of the scored bits under the optimal predictor that knows the kind
/// of source, but not its probabilities: p(1) = (n1 + ½) / (n0 + n1 + 1), where
/// n1 and n0 count the ones and zeros after the same five bits. Units: bits.
/// Paper: Murphy 2012 (Beta prior); Graves et al. 2014, eq. 10.
double OptimalNgramBits(const BitSequence& sequence);

}  // namespace heed

#endif  // HEED_DATA_ALGORITHMS_H_
