// The five problems on which Neural Turing Machines were introduced: sequences
// of bits, drawn or typed, and what is to be answered.
// Paper: Graves et al. 2014, arXiv:1410.5401, section 4.
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
  kCopy,        // say the vectors again
  kRepeatCopy,  // say them again so often, then that this is the end
  kRecall,      // after one of the items, say the one that followed it
  kNgrams,      // predict the next bit of a random 6-gram source
  kSort,        // say the vectors of the highest priorities in order
};
constexpr auto WordsOf(Problem) {
  return std::array{"copy", "repeat-copy", "recall", "ngrams", "sort"};
}

/// A problem and how many bits its vectors have.
struct ProblemShape {
  Problem problem = Problem::kCopy;
  int64_t bits = 8;

  int64_t inputs() const;   ///< channels of a step that is read
  int64_t outputs() const;  ///< bits of a step that is answered
};

/// How long sequences are drawn, both limits included.
struct ProblemLengths {
  int64_t min = 1;  // vectors; items of recall; bits of n-grams
  int64_t max = 20;
  int64_t min_repeats = 1;  // of repeat-copy
  int64_t max_repeats = 10;
};
/// What the paper trains with: bits, and lengths.
ProblemShape DefaultShape(Problem problem);
ProblemLengths DefaultLengths(Problem problem);

inline constexpr int64_t kItemVectors = 3;  // of recall
inline constexpr int64_t kContextBits = 5;  // of n-grams
/// What is read at once at most. Units: vectors
inline constexpr int64_t kMostVectors = 10000;

/// What is asked, without how it is fed to a network.
struct BitSequence {
  std::vector<std::vector<uint8_t>> vectors;  ///< each of `bits` 0 and 1
  int64_t repeats = 1;                        ///< of repeat-copy
  int64_t query = 0;               ///< of recall: the item that is asked about
  std::vector<double> priorities;  ///< of sort, one for each vector

  /// Vectors; items of recall.
  int64_t length(Problem problem) const;
};

/// Sequence `number` of the stream `seed`: the same whenever it is drawn. Its
/// length and its repeats are those of its `group`, so that a batch of one
/// group is of one length.
BitSequence DrawSequence(const ProblemShape& shape,
                         const ProblemLengths& lengths, uint64_t seed,
                         int64_t number, int64_t group);

/// A line as a user types it: vectors of bits with blanks between them,
///   copy         10110010 01100101
///   repeat-copy  10110010 01100101 x3
///   recall       101010 010101 111000 | 000111 ... ? 101010 010101 111000
///   ngrams       0110100110
///   sort         10110010@0.53 01100101@-0.2
/// Throws: FormatError that begins with `place` and names the vector.
BitSequence ParseSequence(const ProblemShape& shape, std::string_view text,
                          const std::string& place);
/// The same, or a sequence that is drawn: "random", how long, and for
/// repeat-copy how often ("random 20", "random 5 x3"); a further number is its
/// seed. Throws: as ParseSequence.
BitSequence ReadSequence(const ProblemShape& shape, std::string_view text,
                         const std::string& place);
/// The shortest sequence that can be asked about.
int64_t LeastLength(Problem problem);
/// The line of a sequence back.
std::string FormatSequence(const ProblemShape& shape,
                           const BitSequence& sequence);

/// What a network reads and should answer. Steps [begin, end) are scored; what
/// it is asked there is not shown to it.
///   copy         the vectors, a delimiter, then one step for each
///   repeat-copy  the vectors, a delimiter with (repeats − mean) / deviation
///                under training lengths, then one step for each and the end
///   recall       a delimiter before each item; a second one before and behind
///                the query; then the steps of an item
///   ngrams       the bits; a step is asked for the bit that follows, from the
///                sixth bit on
///   sort         vectors and priorities, a delimiter, then one step for each
///                of the ⌈0.8 · vectors⌉ with the highest priorities
struct EncodedSequence {
  Tensor inputs;   // f32 [T, inputs]
  Tensor targets;  // f32 [T, outputs], 0 where nothing is scored
  int64_t begin = 0;
  int64_t end = 0;
  /// What each step stands for: "1", "2", "|", "?", ...
  std::vector<std::string> steps;
};
/// Throws: ShapeError for vectors of other bits.
EncodedSequence Encode(const ProblemShape& shape, const BitSequence& sequence);

/// −log2 p of the bits that are scored, by the best predictor that knows what
/// the source is, but not its probabilities: p(1) = (n1 + ½) / (n0 + n1 + 1),
/// from how often 1 and 0 followed the same five bits. Units: bits
/// Paper: Murphy 2012 (Beta prior); Graves et al. 2014, eq. 10.
double OptimalNgramBits(const BitSequence& sequence);

}  // namespace heed

#endif  // HEED_DATA_ALGORITHMS_H_
