// Sequences of bits as users type them. The first byte selects the problem.
#include "heed/data/algorithms.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

void Read(uint8_t what, std::string_view text) {
  const auto problem = static_cast<Problem>(what % 5);
  const ProblemShape shape = DefaultShape(problem);
  const BitSequence sequence = ReadSequence(shape, text, "input");
  const std::string line = FormatSequence(shape, sequence);
  const BitSequence again = ParseSequence(shape, line, "input");
  Require(again.vectors == sequence.vectors, "vectors are written as read");
  Require(again.repeats == sequence.repeats, "and so are repeats");
  if (std::ssize(sequence.vectors) * sequence.repeats > 300) return;
  const EncodedSequence encoded = Encode(shape, sequence);
  Require(encoded.inputs.dim(0) == std::ssize(encoded.steps), "named steps");
  Require(0 <= encoded.begin && encoded.end <= encoded.inputs.dim(0),
          "scored steps are steps");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
