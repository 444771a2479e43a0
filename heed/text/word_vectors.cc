#include "heed/text/word_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"

namespace heed {
namespace {

constexpr const char* kWords = "words";
constexpr const char* kVectors = "vectors";
constexpr int64_t kMaxFeatures = 16384;
constexpr int64_t kMaxWords = 1'000'000'000;
constexpr char kEnd = '\n';  // ends a word in a file; no word contains it

/// Removes the field after the last space from `text` and returns it.
std::string_view TakeLast(std::string_view& text) {
  const size_t space = text.find_last_of(" \t");
  const size_t begin = space == std::string_view::npos ? 0 : space + 1;
  const std::string_view last = text.substr(begin);
  text = TrimBlanks(text.substr(0, begin));
  return last;
}

int64_t CountFields(std::string_view text) {
  int64_t count = 0;
  for (; !text.empty(); TakeLast(text)) ++count;
  return count;
}

/// Tensor `name` of a file, which must have this dtype and rank.
Tensor TensorOf(const SafetensorsFile& file, const char* name, DType dtype,
                int rank, const std::string& path) {
  const Tensor& tensor = FindTensor(file.tensors, name, path);
  if (tensor.dtype() == dtype && tensor.rank() == rank) return tensor;
  throw FormatError("{}: no word vectors (no tensor '{}')", path, name);
}

}  // namespace

/// Parses the lines of a file.
class WordVectors::Reader {
 public:
  Reader(const std::string& path, int max_words)
      : path_(path),
        max_words_(max_words == 0 ? std::numeric_limits<int64_t>::max()
                                  : max_words) {}

  /// Adds a line. Returns false if no more lines are needed.
  bool Add(std::string_view line, int64_t number) {
    line = TrimBlanks(line);
    if (number == 1) {
      if (TakeHeader(line)) return true;
      features_ = CountFields(line) - 1;
      if (features_ < 1 || features_ > kMaxFeatures) {
        Fail(number, "not a word and its features between spaces");
      }
    }
    ++lines_;
    const size_t size = values_.size();
    const auto features = static_cast<size_t>(features_);
    values_.resize(size + features);
    for (size_t i = features; i > 0; --i) {
      const std::string_view field = TakeLast(line);
      const auto value = static_cast<float>(
          ParseNumber(field).value_or(std::numeric_limits<double>::infinity()));
      if (!std::isfinite(value)) {
        Fail(number, fmt::format("a word and {} features are wanted, but "
                                 "feature {} is '{}'",
                                 features_, i, field));
      }
      values_[size + i - 1] = value;
    }
    if (line.empty()) {
      Fail(number, fmt::format("{} features without a word", features_));
    }
    const auto row = static_cast<int32_t>(rows_.size());
    if (!rows_.try_emplace(NormalForm(line), row).second) {
      values_.resize(size);
    }
    return std::ssize(rows_) < max_words_;
  }

  WordVectors Finish() {
    if (lines_ == 0) throw FormatError(path_ + ": no vectors of words");
    if (expected_ && lines_ != *expected_ && std::ssize(rows_) < max_words_) {
      throw FormatError("{}: {} words, but its first line says {}{}", path_,
                        lines_, *expected_,
                        lines_ < *expected_ ? " (cut short?)" : "");
    }
    return {std::move(rows_),
            Tensor::Of(values_, {std::ssize(values_) / features_, features_})};
  }

 private:
  [[noreturn]] void Fail(int64_t number, std::string_view problem) const {
    throw FormatError("{}:{}: {}", path_, number, problem);
  }

  /// True if the line is a header "W D".
  bool TakeHeader(std::string_view line) {
    const auto features = ParseNumber(TakeLast(line));
    const auto words = ParseNumber(line);
    if (!words || !features || *words != std::floor(*words) ||
        *features != std::floor(*features)) {
      return false;
    }
    if (*words < 1 || *words > kMaxWords || *features < 1 ||
        *features > kMaxFeatures) {
      Fail(1, fmt::format("{} words with {} features", *words, *features));
    }
    expected_ = static_cast<int64_t>(*words);
    features_ = static_cast<int64_t>(*features);
    return true;
  }

  const std::string& path_;
  int64_t max_words_;
  std::optional<int64_t> expected_;
  int64_t features_ = 0;
  int64_t lines_ = 0;  // without the header
  Rows rows_;
  std::vector<float> values_;
};

WordVectors::WordVectors(Rows rows, Tensor vectors)
    : rows_(std::move(rows)), vectors_(std::move(vectors)) {}

WordVectors WordVectors::Read(const std::string& path, int max_words) {
  Reader reader(path, max_words);
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    return reader.Add(line, number);
  });
  return reader.Finish();
}

std::string WordVectors::Serialize() const {
  std::vector<std::string_view> words(rows_.size());
  for (const auto& [word, row] : rows_) At(words, row) = word;
  std::string text;
  for (const std::string_view word : words) {
    text += word;
    text += kEnd;
  }
  Tensor bytes({std::ssize(text)}, DType::kU8);
  std::memcpy(bytes.raw(), text.data(), text.size());
  const NamedTensor tensors[] = {{kVectors, vectors_}, {kWords, bytes}};
  return SerializeSafetensors(tensors, {});
}

WordVectors WordVectors::Parse(std::string_view bytes,
                               const std::string& name) {
  const SafetensorsFile file = ParseSafetensors(bytes, name);
  Tensor vectors = TensorOf(file, kVectors, DType::kF32, 2, name);
  const Tensor words = TensorOf(file, kWords, DType::kU8, 1, name);
  std::string_view text(static_cast<const char*>(words.raw()),
                        static_cast<size_t>(words.numel()));
  if (!text.ends_with(kEnd)) throw FormatError(name + ": a word is cut short");
  Rows rows;
  while (!text.empty()) {
    const size_t end = text.find(kEnd);
    rows.emplace(text.substr(0, end), static_cast<int32_t>(rows.size()));
    text.remove_prefix(end + 1);
  }
  if (vectors.numel() == 0 || std::ssize(rows) != vectors.dim(0)) {
    throw FormatError("{}: {} words with {} vectors", name, rows.size(),
                      vectors.dim(0));
  }
  return {std::move(rows), std::move(vectors)};
}

int32_t WordVectors::Find(const std::string& word) const {
  auto found = rows_.find(word);
  if (found == rows_.end()) found = rows_.find(NormalForm(word));
  if (found == rows_.end()) found = rows_.find(NormalForm(Lowercase(word)));
  return found == rows_.end() ? kNoVector : found->second;
}

Tensor WordVectors::Gather(std::span<const int32_t> rows) const {
  Tensor gathered = Tensor::Zeros({std::ssize(rows), features()});
  for (int64_t i = 0; i < gathered.dim(0); ++i) {
    const int32_t row = At(rows, i);
    if (row == kNoVector) continue;
    std::copy_n(vectors_.row<float>(row), features(), gathered.row<float>(i));
  }
  return gathered;
}

}  // namespace heed
