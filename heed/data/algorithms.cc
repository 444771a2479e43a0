#include "heed/data/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using Bits = std::vector<uint8_t>;

/// Mean and deviation of the numbers 1 to 10, which normalise the repeats.
constexpr double kMeanRepeats = 5.5;
const double kRepeatDeviation = std::sqrt((10.0 * 10.0 - 1.0) / 12.0);

int64_t BetweenBoth(Rng& rng, int64_t min, int64_t max) {
  return min +
         static_cast<int64_t>(rng.Below(static_cast<uint64_t>(max - min + 1)));
}

Bits DrawBits(Rng& rng, int64_t count) {
  Bits bits(static_cast<size_t>(count));
  for (uint8_t& bit : bits) bit = static_cast<uint8_t>(rng.Below(2));
  return bits;
}

/// Samples Beta(½, ½) by its inverse distribution function.
double DrawArcsine(Rng& rng) {
  const double root = std::sin(rng.Uniform() * std::numbers::pi / 2);
  return root * root;
}

/// Five bits before vector t, as a number.
size_t ContextBefore(const BitSequence& sequence, int64_t t) {
  size_t context = 0;
  for (int64_t i = t - kContextBits; i < t; ++i) {
    context = 2 * context + At(sequence.vectors, i)[0];
  }
  return context;
}

void DrawNgrams(Rng& rng, int64_t length, BitSequence& sequence) {
  std::array<double, size_t{1} << kContextBits> p{};
  for (double& one : p) one = DrawArcsine(rng);
  for (int64_t t = 0; t < length; ++t) {
    if (t < kContextBits) {
      sequence.vectors.push_back(DrawBits(rng, 1));
      continue;
    }
    const bool one = rng.Uniform() < p[ContextBefore(sequence, t)];
    sequence.vectors.push_back({static_cast<uint8_t>(one)});
  }
}

/// True if items `a` and `b` of a recall sequence are equal.
bool SameItem(const BitSequence& s, int64_t a, int64_t b) {
  for (int64_t i = 0; i < kItemVectors; ++i) {
    if (At(s.vectors, a * kItemVectors + i) !=
        At(s.vectors, b * kItemVectors + i)) {
      return false;
    }
  }
  return true;
}

/// Builds an EncodedSequence step by step.
class StepWriter {
 public:
  StepWriter(const ProblemShape& shape, int64_t steps) {
    e_.inputs = Tensor::Zeros({steps, shape.inputs()});
    e_.targets = Tensor::Zeros({steps, shape.outputs()});
  }

  /// Adds a step with these bits in its first input channels.
  void Read(const Bits& bits, std::string name) {
    std::copy(bits.begin(), bits.end(), e_.inputs.row<float>(step()));
    e_.steps.push_back(std::move(name));
  }
  /// Adds a step with 1 in this input channel.
  void Mark(int64_t channel, std::string name) {
    Read({}, std::move(name));
    Set(channel, 1);
  }
  /// Sets another input channel of the last step.
  void Set(int64_t channel, double value) {
    e_.inputs.row<float>(step() - 1)[channel] = static_cast<float>(value);
  }
  /// Sets the target of the last step.
  void Target(const Bits& bits) {
    std::copy(bits.begin(), bits.end(), e_.targets.row<float>(step() - 1));
  }
  /// Adds a step without input, with these target bits.
  void Answer(const Bits& bits, std::string name) {
    Read({}, std::move(name));
    Target(bits);
  }
  /// Sets the first scored step: the next one, or step `at`.
  void Begin() { e_.begin = step(); }
  void Begin(int64_t at) { e_.begin = at; }
  EncodedSequence Take() {
    if (e_.end == 0) e_.end = step();
    return std::move(e_);
  }
  EncodedSequence Take(int64_t end) {
    e_.end = end;
    return std::move(e_);
  }

 private:
  int64_t step() const { return std::ssize(e_.steps); }

  EncodedSequence e_;
};

std::string Number(size_t i) { return fmt::format("{}", i + 1); }

EncodedSequence EncodeCopy(const ProblemShape& shape, const BitSequence& s) {
  const int64_t length = std::ssize(s.vectors);
  StepWriter w(shape, 2 * length + 1);
  for (size_t i = 0; i < s.vectors.size(); ++i) w.Read(s.vectors[i], Number(i));
  w.Mark(shape.bits, "|");
  w.Begin();
  for (size_t i = 0; i < s.vectors.size(); ++i) {
    w.Answer(s.vectors[i], Number(i));
  }
  return w.Take();
}

EncodedSequence EncodeRepeatCopy(const ProblemShape& shape,
                                 const BitSequence& s) {
  const int64_t length = std::ssize(s.vectors);
  StepWriter w(shape, length + 2 + length * s.repeats);
  for (size_t i = 0; i < s.vectors.size(); ++i) w.Read(s.vectors[i], Number(i));
  w.Mark(shape.bits, fmt::format("x{}", s.repeats));
  w.Set(shape.bits + 1,
        (static_cast<double>(s.repeats) - kMeanRepeats) / kRepeatDeviation);
  w.Begin();
  for (int64_t r = 0; r < s.repeats; ++r) {
    for (size_t i = 0; i < s.vectors.size(); ++i) {
      w.Answer(s.vectors[i], Number(i));
    }
  }
  Bits end(static_cast<size_t>(shape.bits));
  end.push_back(1);
  w.Answer(end, "end");
  return w.Take();
}

EncodedSequence EncodeRecall(const ProblemShape& shape, const BitSequence& s) {
  const int64_t items = s.length(Problem::kRecall);
  StepWriter w(shape, items * (kItemVectors + 1) + 2 * kItemVectors + 2);
  const auto vector = [&](int64_t item, int64_t i) -> const Bits& {
    return At(s.vectors, item * kItemVectors + i);
  };
  for (int64_t item = 0; item < items; ++item) {
    w.Mark(shape.bits, "|");
    for (int64_t i = 0; i < kItemVectors; ++i) {
      w.Read(vector(item, i), fmt::format("{}.{}", item + 1, i + 1));
    }
  }
  w.Mark(shape.bits + 1, "?");
  for (int64_t i = 0; i < kItemVectors; ++i) {
    w.Read(vector(s.query, i), fmt::format("?{}", i + 1));
  }
  w.Mark(shape.bits + 1, "?");
  w.Begin();
  for (int64_t i = 0; i < kItemVectors; ++i) {
    w.Answer(vector(s.query + 1, i), fmt::format("{}.{}", s.query + 2, i + 1));
  }
  return w.Take();
}

EncodedSequence EncodeNgrams(const ProblemShape& shape, const BitSequence& s) {
  const int64_t length = std::ssize(s.vectors);
  StepWriter w(shape, length);
  for (size_t i = 0; i < s.vectors.size(); ++i) {
    w.Read(s.vectors[i], Number(i));
    if (std::ssize(s.vectors) > static_cast<int64_t>(i) + 1) {
      w.Target(s.vectors[i + 1]);
    }
  }
  // The last bit has no successor as a target.
  w.Begin(std::min(kContextBits - 1, length - 1));
  return w.Take(length - 1);
}

/// Indices of the vectors by decreasing priority; ties keep their order.
std::vector<size_t> SortedByPriority(const BitSequence& s) {
  std::vector<size_t> order(s.vectors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return s.priorities[a] > s.priorities[b];
  });
  const auto kept =
      static_cast<size_t>(std::ceil(0.8 * static_cast<double>(order.size())));
  order.resize(kept);
  return order;
}

EncodedSequence EncodeSort(const ProblemShape& shape, const BitSequence& s) {
  const std::vector<size_t> order = SortedByPriority(s);
  StepWriter w(shape, std::ssize(s.vectors) + 1 + std::ssize(order));
  for (size_t i = 0; i < s.vectors.size(); ++i) {
    w.Read(s.vectors[i], Number(i));
    w.Set(shape.bits, s.priorities[i]);
  }
  w.Mark(shape.bits + 1, "|");
  w.Begin();
  for (const size_t i : order) w.Answer(s.vectors[i], Number(i));
  return w.Take();
}

Bits ParseBits(std::string_view word, int64_t bits, const std::string& place) {
  Bits parsed;
  for (const char c : word) {
    if (c != '0' && c != '1') {
      throw FormatError("{}: '{}' is not a row of 0 and 1", place,
                        std::string(word.substr(0, 40)));
    }
    parsed.push_back(static_cast<uint8_t>(c - '0'));
  }
  if (std::ssize(parsed) != bits) {
    throw FormatError("{}: '{}' has {} bits, but this model reads {}", place,
                      std::string(word.substr(0, 40)), parsed.size(), bits);
  }
  return parsed;
}

/// Parses "x3" as the number of repeats.
int64_t ParseRepeats(std::string_view word, const std::string& place) {
  const auto repeats = ParseInteger<int64_t>(word.substr(1));
  if (!repeats || *repeats < 1 || *repeats > kMaxVectors) {
    throw FormatError("{}: '{}' is not a number of repeats, as x3 (1 to {})",
                      place, std::string(word.substr(0, 40)), kMaxVectors);
  }
  return *repeats;
}

void CheckAnswered(int64_t vectors, int64_t repeats, const std::string& place) {
  if (vectors * repeats <= kMaxVectors) return;
  throw FormatError("{}: {} vectors {} times are {}; at most {} are answered",
                    place, vectors, repeats, vectors * repeats, kMaxVectors);
}

/// Parses the words of a line: vectors, separators and numbers.
class SequenceReader {
 public:
  SequenceReader(const ProblemShape& shape, const std::string& place)
      : shape_(shape), place_(place) {}

  BitSequence Read(std::string_view text) {
    for (const auto& word : SplitUnicodeWhitespace(text)) Take(word);
    if (s_.vectors.empty()) Fail("there is no vector to read");
    if (shape_.problem == Problem::kRecall) FinishRecall();
    if (shape_.problem == Problem::kRepeatCopy) {
      if (!repeats_) Fail("how often? End with x and a number, as in x3");
      CheckAnswered(std::ssize(s_.vectors), s_.repeats, place_);
    }
    return std::move(s_);
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    throw FormatError("{}: {}", place_, why);
  }
  std::string Place() const {
    return fmt::format("{}: vector {}", place_, s_.vectors.size() + 1);
  }

  void Add(std::string_view bits) {
    if (std::ssize(s_.vectors) >= kMaxVectors) {
      Fail(fmt::format("more than {} vectors", kMaxVectors));
    }
    s_.vectors.push_back(ParseBits(bits, shape_.bits, Place()));
  }

  void Take(std::string_view word) {
    if (repeats_) Fail("unexpected text after the number of repeats");
    switch (shape_.problem) {
      case Problem::kCopy:
        return Add(word);
      case Problem::kRepeatCopy:
        if (word.front() != 'x') return Add(word);
        s_.repeats = ParseRepeats(word, place_);
        repeats_ = true;
        return;
      case Problem::kRecall:
        return TakeRecall(word);
      case Problem::kNgrams:
        for (const char bit : word) Add(std::string_view(&bit, 1));
        return;
      case Problem::kSort:
        return TakeSort(word);
    }
  }

  void TakeRecall(std::string_view word) {
    if (word != "|" && word != "?") return Add(word);
    if (has_query_) Fail("the query after '?' must be the last item");
    if (s_.vectors.empty() || std::ssize(s_.vectors) % kItemVectors != 0) {
      Fail(fmt::format("an item has {} vectors: unexpected '{}' after {}",
                       kItemVectors, word, s_.vectors.size()));
    }
    has_query_ = word == "?";
    ++borders_;
  }

  void FinishRecall() {
    if (!has_query_) Fail("there is no query: end with '?' and an item");
    if (std::ssize(s_.vectors) != (borders_ + 1) * kItemVectors) {
      Fail(fmt::format("an item is {} vectors, with | between two items",
                       kItemVectors));
    }
    const int64_t items = borders_;
    for (int64_t item = 0; item < items; ++item) {
      if (!SameItem(s_, item, items)) continue;
      if (item + 1 == items) Fail("no item follows the queried one");
      s_.query = item;
      s_.vectors.resize(static_cast<size_t>(items * kItemVectors));
      return;
    }
    Fail("the item after '?' does not occur before it");
  }

  void TakeSort(std::string_view word) {
    const size_t at = word.find('@');
    if (at == word.npos) {
      Fail(fmt::format("'{}' has no priority, as in 10110010@0.5",
                       word.substr(0, 40)));
    }
    Add(word.substr(0, at));
    const auto priority = ParseNumber(word.substr(at + 1));
    if (!priority || !(*priority >= -1 && *priority <= 1)) {
      Fail(fmt::format("'{}' is not a priority from -1 to 1",
                       word.substr(at + 1).substr(0, 40)));
    }
    s_.priorities.push_back(*priority);
  }

  const ProblemShape& shape_;
  const std::string& place_;
  BitSequence s_;
  bool repeats_ = false;
  bool has_query_ = false;
  int64_t borders_ = 0;
};

std::string BitsText(const Bits& bits) {
  std::string text;
  for (const uint8_t bit : bits) text += bit != 0 ? '1' : '0';
  return text;
}

}  // namespace

int64_t ProblemShape::inputs() const {
  switch (problem) {
    case Problem::kCopy:
      return bits + 1;
    case Problem::kNgrams:
      return bits;
    case Problem::kRepeatCopy:
    case Problem::kRecall:
    case Problem::kSort:
      return bits + 2;
  }
  return 0;
}

int64_t ProblemShape::outputs() const {
  return problem == Problem::kRepeatCopy ? bits + 1 : bits;
}

ProblemShape DefaultShape(Problem problem) {
  if (problem == Problem::kRecall) return {problem, 6};
  return {problem, problem == Problem::kNgrams ? 1 : 8};
}

ProblemLengths DefaultLengths(Problem problem) {
  switch (problem) {
    case Problem::kCopy:
      return {1, 20};
    case Problem::kRepeatCopy:
      return {1, 10, 1, 10};
    case Problem::kRecall:
      return {2, 6};
    case Problem::kNgrams:
      return {200, 200};
    case Problem::kSort:
      return {20, 20};
  }
  return {};
}

int64_t BitSequence::length(Problem problem) const {
  const int64_t all = std::ssize(vectors);
  return problem == Problem::kRecall ? all / kItemVectors : all;
}

BitSequence DrawSequence(const ProblemShape& shape,
                         const ProblemLengths& lengths, uint64_t seed,
                         int64_t number, int64_t group) {
  // Two random streams: the group determines lengths, the number everything
  // else.
  Rng sizes(Rng(seed, 2 * static_cast<uint64_t>(group)).Next());
  const int64_t length = BetweenBoth(sizes, lengths.min, lengths.max);
  BitSequence s;
  if (shape.problem == Problem::kRepeatCopy) {
    s.repeats = BetweenBoth(sizes, lengths.min_repeats, lengths.max_repeats);
  }
  Rng rng(Rng(~seed, 2 * static_cast<uint64_t>(number) + 1).Next());
  if (shape.problem == Problem::kNgrams) {
    DrawNgrams(rng, length, s);
    return s;
  }
  const bool items = shape.problem == Problem::kRecall;
  for (int64_t i = 0; i < length * (items ? kItemVectors : 1); ++i) {
    s.vectors.push_back(DrawBits(rng, shape.bits));
  }
  if (items) s.query = BetweenBoth(rng, 0, length - 2);
  if (shape.problem == Problem::kSort) {
    for (int64_t i = 0; i < length; ++i) {
      s.priorities.push_back(rng.Uniform(-1, 1));
    }
  }
  return s;
}

BitSequence ParseSequence(const ProblemShape& shape, std::string_view text,
                          const std::string& place) {
  return SequenceReader(shape, place).Read(text);
}

int64_t MinLength(Problem problem) {
  if (problem == Problem::kRecall) return 2;
  return problem == Problem::kNgrams ? kContextBits + 1 : 1;
}

BitSequence ReadSequence(const ProblemShape& shape, std::string_view text,
                         const std::string& place) {
  const std::vector<std::string_view> words = SplitUnicodeWhitespace(text);
  if (words.empty() || words.front() != "random") {
    return ParseSequence(shape, text, place);
  }
  const int64_t min = MinLength(shape.problem);
  std::vector<int64_t> numbers;
  ProblemLengths lengths;
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (shape.problem == Problem::kRepeatCopy && word.front() == 'x') {
      lengths.min_repeats = ParseRepeats(word, place);
      continue;
    }
    const auto number = ParseInteger<int64_t>(word);
    if (!number || *number < 0 || numbers.size() == 2) {
      throw FormatError(
          "{}: '{}' is invalid; expected random, a length and optionally a "
          "seed",
          place, std::string(word.substr(0, 40)));
    }
    numbers.push_back(*number);
  }
  if (numbers.empty() || numbers[0] < min || numbers[0] > kMaxVectors) {
    throw FormatError(
        "{}: random needs a length from {} to {}, as in 'random "
        "20'",
        place, min, kMaxVectors);
  }
  CheckAnswered(numbers[0], lengths.min_repeats, place);
  lengths.min = lengths.max = numbers[0];
  lengths.max_repeats = lengths.min_repeats;
  const uint64_t seed =
      numbers.size() > 1 ? static_cast<uint64_t>(numbers[1]) : 1;
  return DrawSequence(shape, lengths, seed, 0, 0);
}

std::string FormatSequence(const ProblemShape& shape, const BitSequence& s) {
  std::string text;
  const auto add = [&](const std::string& word) {
    if (!text.empty() && shape.problem != Problem::kNgrams) text += ' ';
    text += word;
  };
  for (size_t i = 0; i < s.vectors.size(); ++i) {
    const bool item_begins =
        shape.problem == Problem::kRecall && i > 0 && i % kItemVectors == 0;
    if (item_begins) add("|");
    add(BitsText(s.vectors[i]));
    if (shape.problem == Problem::kSort) {
      text += fmt::format("@{:.6g}", s.priorities[i]);
    }
  }
  if (shape.problem == Problem::kRepeatCopy) add(fmt::format("x{}", s.repeats));
  if (shape.problem == Problem::kRecall) {
    add("?");
    for (int64_t i = 0; i < kItemVectors; ++i) {
      add(BitsText(At(s.vectors, s.query * kItemVectors + i)));
    }
  }
  return text;
}

EncodedSequence Encode(const ProblemShape& shape, const BitSequence& sequence) {
  for (const Bits& vector : sequence.vectors) {
    if (std::ssize(vector) == shape.bits) continue;
    throw ShapeError("a vector of {} bits in a problem of {}", vector.size(),
                     shape.bits);
  }
  switch (shape.problem) {
    case Problem::kCopy:
      return EncodeCopy(shape, sequence);
    case Problem::kRepeatCopy:
      return EncodeRepeatCopy(shape, sequence);
    case Problem::kRecall:
      return EncodeRecall(shape, sequence);
    case Problem::kNgrams:
      return EncodeNgrams(shape, sequence);
    case Problem::kSort:
      return EncodeSort(shape, sequence);
  }
  return {};
}

double OptimalNgramBits(const BitSequence& sequence) {
  std::array<std::array<double, 2>, size_t{1} << kContextBits> seen{};
  double bits = 0;
  for (int64_t t = kContextBits; t < std::ssize(sequence.vectors); ++t) {
    auto& counts = seen[ContextBefore(sequence, t)];
    const size_t bit = At(sequence.vectors, t)[0];
    bits -= std::log2((counts[bit] + 0.5) / (counts[0] + counts[1] + 1));
    ++counts[bit];
  }
  return bits;
}

}  // namespace heed
