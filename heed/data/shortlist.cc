#include "heed/data/shortlist.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/lexicon.h"
#include "heed/data/word_aligner.h"
#include "heed/io/file.h"
#include "heed/io/safetensors.h"

namespace heed {
namespace {

constexpr int kIterations = 5;
/// Minimum probability of a shortlist entry.
constexpr double kMinProbability = 1e-3;
/// Maximum number of counted token pairs, about a gigabyte if all differ. Of
/// larger corpora, only every n-th sentence pair is used.
constexpr int64_t kMaxPairs = 50'000'000;

constexpr const char* kFrequent = "frequent";
constexpr const char* kFirst = "first";
constexpr const char* kTargets = "targets";
constexpr const char* kFill = "fill";  // optional

/// Sentence pairs that are counted.
Corpus SampleOf(const Corpus& corpus) {
  int64_t pairs = 0;
  for (size_t i = 0; i < corpus.source.size(); ++i) {
    pairs += std::ssize(corpus.source[i]) * std::ssize(corpus.target[i]);
  }
  const auto step = static_cast<size_t>(pairs / kMaxPairs + 1);
  Corpus sample;
  for (size_t i = 0; i < corpus.source.size(); i += step) {
    sample.source.push_back(corpus.source[i]);
    sample.target.push_back(corpus.target[i]);
  }
  return sample;
}

/// Most frequent tokens; ties are broken by the lower id.
std::vector<int32_t> MostFrequent(const Corpus& corpus, int size, int count) {
  std::vector<int64_t> occurrences(static_cast<size_t>(size));
  for (const auto& sentence : corpus.target) {
    for (const int32_t t : sentence) ++At(occurrences, t);
  }
  std::vector<int32_t> tokens(occurrences.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  std::ranges::stable_sort(tokens, [&](int32_t a, int32_t b) {
    return At(occurrences, a) > At(occurrences, b);
  });
  tokens.resize(std::min(tokens.size(), static_cast<size_t>(count)));
  return tokens;
}

std::unordered_map<std::string, int32_t> IdsOf(const Vocabulary& vocabulary) {
  std::unordered_map<std::string, int32_t> ids;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    ids.emplace(vocabulary.Piece(id), id);
  }
  return ids;
}

Tensor AsTensor(const std::vector<int32_t>& values) {
  return Tensor::Of(values, {std::ssize(values)});
}

/// Tensor `name`, checked to have elements in [0, limit].
std::vector<int32_t> IdsIn(const SafetensorsFile& file, const char* name,
                           int64_t limit, const std::string& path) {
  const auto found = std::ranges::find(file.tensors, name, &NamedTensor::name);
  if (found == file.tensors.end() || found->value.dtype() != DType::kI32 ||
      found->value.rank() != 1) {
    throw FormatError("{}: not a shortlist (no list '{}'); make it again", path,
                      name);
  }
  std::vector<int32_t> values = found->value.ToVector<int32_t>();
  for (const int32_t value : values) {
    if (value >= 0 && value <= limit) continue;
    throw FormatError(
        "{}: '{}' holds {}, which is not from 0 to {}; the shortlist is "
        "damaged or was made for another vocabulary",
        path, name, value, limit);
  }
  return values;
}

}  // namespace

Shortlist::Shortlist(std::vector<Entry> entries, std::vector<int32_t> frequent,
                     int source_size, int target_size, int best)
    : target_size_(target_size), frequent_(std::move(frequent)) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tuple(a.source, -a.probability, a.target) <
           std::tuple(b.source, -b.probability, b.target);
  });
  first_.push_back(0);
  size_t next = 0;
  for (int32_t s = 0; s < source_size; ++s) {
    for (int i = 0; next < entries.size() && entries[next].source == s;
         ++next, ++i) {
      if (i < best) targets_.push_back(entries[next].target);
    }
    first_.push_back(static_cast<int32_t>(targets_.size()));
  }
}

Shortlist Shortlist::Train(const Corpus& corpus, int source_size,
                           int target_size, const ShortlistOptions& options) {
  const Corpus sample = SampleOf(corpus);
  const WordAligner aligner({sample.source, sample.target}, source_size,
                            target_size,
                            {.diagonal = false,
                             .null_word = false,
                             .iterations = kIterations,
                             .alpha = 0});
  std::vector<Entry> entries;
  for (int32_t s = 0; s < source_size; ++s) {
    const std::span<const int32_t> targets = aligner.table().targets(s);
    const std::span<const double> values = aligner.table().values(s);
    for (size_t i = 0; i < targets.size(); ++i) {
      if (values[i] < kMinProbability) continue;
      entries.push_back({s, targets[i], values[i]});
    }
  }
  return {std::move(entries),
          MostFrequent(corpus, target_size, options.frequent), source_size,
          target_size, options.best};
}

Shortlist Shortlist::ReadLexicon(const std::string& path,
                                 const Vocabulary& source,
                                 const Vocabulary& target,
                                 const ShortlistOptions& options) {
  const auto source_ids = IdsOf(source);
  const auto target_ids = IdsOf(target);
  std::vector<Entry> entries;
  ForEachTranslationOfTokens(
      path, [&](std::string_view target_token, std::string_view source_token,
                double probability) {
        const auto t = target_ids.find(std::string(target_token));
        const auto s = source_ids.find(std::string(source_token));
        if (t == target_ids.end() || s == source_ids.end()) return;
        entries.push_back({s->second, t->second, probability});
      });
  if (entries.empty()) {
    throw FormatError(path +
                      ": no line has tokens of the model's vocabularies; it "
                      "must be made from text in the same tokens");
  }
  std::vector<int32_t> frequent(static_cast<size_t>(
      std::min(options.frequent + kSpecialTokens, target.size())));
  std::iota(frequent.begin(), frequent.end(), 0);
  return {std::move(entries), std::move(frequent), source.size(), target.size(),
          options.best};
}

Shortlist Shortlist::Of(std::vector<int32_t> frequent,
                        std::vector<int32_t> first,
                        std::vector<int32_t> targets, int target_size,
                        int32_t fill) {
  Shortlist list;
  list.target_size_ = target_size;
  list.frequent_ = std::move(frequent);
  list.first_ = std::move(first);
  list.targets_ = std::move(targets);
  list.fill_ = fill;
  return list;
}

Shortlist Shortlist::Read(const std::string& path, int source_size,
                          int target_size) {
  const SafetensorsFile file = ReadSafetensors(path);
  Shortlist list;
  list.target_size_ = target_size;
  list.frequent_ = IdsIn(file, kFrequent, target_size - 1, path);
  list.targets_ = IdsIn(file, kTargets, target_size - 1, path);
  list.first_ = IdsIn(file, kFirst, std::ssize(list.targets_), path);
  if (std::ranges::count(file.tensors, kFill, &NamedTensor::name) > 0) {
    const std::vector<int32_t> fill = IdsIn(file, kFill, target_size - 1, path);
    if (!fill.empty()) list.fill_ = fill.front();
  }
  if (std::ssize(list.first_) != source_size + 1 || list.first_.front() != 0 ||
      list.first_.back() != std::ssize(list.targets_) ||
      !std::ranges::is_sorted(list.first_)) {
    throw FormatError(
        "{}: a shortlist of {} source tokens, not of the model's {}; make it "
        "again",
        path, std::ssize(list.first_) - 1, source_size);
  }
  return list;
}

void Shortlist::Write(const std::string& path) const {
  std::vector<NamedTensor> tensors = {{kFrequent, AsTensor(frequent_)},
                                      {kFirst, AsTensor(first_)},
                                      {kTargets, AsTensor(targets_)}};
  if (fill_ >= 0) tensors.push_back({kFill, AsTensor({fill_})});
  WriteSafetensors(path, tensors, {});
}

std::vector<int32_t> Shortlist::Outputs(std::span<const int32_t> source) const {
  std::vector<uint8_t> used(static_cast<size_t>(target_size_));
  const auto use = [&](int32_t t) { At(used, t) = 1; };
  for (int32_t t = 0; t < kSpecialTokens; ++t) use(t);
  std::ranges::for_each(frequent_, use);
  for (const int32_t s : source) {
    std::ranges::for_each(TargetsOf(s), use);
  }
  if (fill_ >= 0) {
    // Marian has neither <pad> nor <s>.
    constexpr int64_t kMultiple = 8;
    int64_t count = std::ranges::count(used, 1) - 2;
    for (int32_t t = fill_; count % kMultiple != 0 && t < target_size_; ++t) {
      count += At(used, t) == 0 ? 1 : 0;
      use(t);
    }
  }
  std::vector<int32_t> outputs;
  for (size_t t = 0; t < used.size(); ++t) {
    if (used[t] != 0) outputs.push_back(static_cast<int32_t>(t));
  }
  return outputs;
}

}  // namespace heed
