#include "heed/data/pretraining.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

using Tokens = std::vector<int32_t>;

struct Instance {
  Tokens ids;
  int32_t second = 0;
  bool random_next = false;
  Tokens positions;
  Tokens labels;
};
using Instances = std::vector<Instance>;

constexpr int64_t kSentencesPerChunk = 256;
constexpr int64_t kDocumentsPerChunk = 16;
constexpr int kMarksOfPair = 3;  // [CLS], [SEP], [SEP]
constexpr int kMarksOfText = 2;  // [CLS], [SEP]
constexpr int kTries = 10;

/// Uniform random number in {low, ..., high}.
size_t Between(Rng& rng, size_t low, size_t high) {
  return low + rng.Below(high - low + 1);
}

void Append(const Tokens& tokens, Tokens& to) {
  to.insert(to.end(), tokens.begin(), tokens.end());
}

/// Truncates a and b until both together have at most `max` tokens.
void Truncate(std::span<const int32_t>& a, std::span<const int32_t>& b,
              size_t max, Rng& rng) {
  while (a.size() + b.size() > max) {
    auto& longer = a.size() > b.size() ? a : b;
    const bool front = rng.Uniform() < 0.5;
    longer = longer.subspan(front ? 1 : 0, longer.size() - 1);
  }
}

class InstanceMaker {
 public:
  InstanceMaker(std::span<const Document> documents,
                const Vocabulary& vocabulary, const PretrainingOptions& options)
      : documents_(documents),
        special_(vocabulary.special()),
        words_(static_cast<size_t>(vocabulary.size())),
        options_(options),
        max_(static_cast<size_t>(options.max_length - (options.next_sentence
                                                           ? kMarksOfPair
                                                           : kMarksOfText))) {}

  void AddOf(size_t number, Rng& rng, Instances& instances) const {
    const Document& document = documents_[number];
    const size_t target =
        rng.Uniform() < options_.short_rate ? Between(rng, 2, max_) : max_;
    for (size_t begin = 0; begin < document.size();) {
      size_t end = begin;
      for (size_t length = 0; end < document.size() && length < target; ++end) {
        length += document[end].size();
      }
      if (!options_.next_sentence) {
        instances.push_back(Join(Gather(document, begin, end), {}, rng));
        Mask(instances.back(), rng);
        begin = end;
        continue;
      }
      const size_t count = end - begin;
      const size_t middle =
          count >= 2 ? begin + Between(rng, 1, count - 1) : end;
      const Tokens a = Gather(document, begin, middle);
      const bool random_next = count == 1 || rng.Uniform() < 0.5;
      const Tokens b = random_next ? FromElsewhere(number, a, target, rng)
                                   : Gather(document, middle, end);
      begin = random_next ? middle : end;
      instances.push_back(Join(a, b, rng));
      instances.back().random_next = random_next;
      Mask(instances.back(), rng);
    }
  }

 private:
  static Tokens Gather(const Document& document, size_t begin, size_t end) {
    Tokens tokens;
    for (size_t i = begin; i < end; ++i) Append(document[i], tokens);
    return tokens;
  }

  /// Sentences of another document that extend `a` to `target` tokens.
  Tokens FromElsewhere(size_t number, const Tokens& a, size_t target,
                       Rng& rng) const {
    size_t other = number;
    for (int i = 0; i < kTries && other == number; ++i) {
      other = rng.Below(documents_.size());
    }
    const Document& document = documents_[other];
    Tokens b;
    for (size_t i = rng.Below(document.size()); i < document.size(); ++i) {
      Append(document[i], b);
      if (a.size() + b.size() >= target) break;
    }
    return b;
  }

  Instance Join(std::span<const int32_t> a, std::span<const int32_t> b,
                Rng& rng) const {
    Truncate(a, b, max_, rng);
    Instance instance;
    Tokens& ids = instance.ids;
    ids.push_back(special_.bos);
    ids.insert(ids.end(), a.begin(), a.end());
    ids.push_back(special_.eos);
    instance.second = static_cast<int32_t>(ids.size());
    if (!options_.next_sentence) return instance;
    ids.insert(ids.end(), b.begin(), b.end());
    ids.push_back(special_.eos);
    return instance;
  }

  void Mask(Instance& instance, Rng& rng) const {
    Tokens& ids = instance.ids;
    Tokens candidates;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != special_.bos && ids[i] != special_.eos) {
        candidates.push_back(static_cast<int32_t>(i));
      }
    }
    // Rounds halves to even, like Python's round.
    const auto wanted = static_cast<size_t>(std::max(
        1.0,
        std::nearbyint(static_cast<double>(ids.size()) * options_.mask_rate)));
    const size_t chosen =
        std::min({wanted, static_cast<size_t>(options_.max_predictions),
                  candidates.size()});
    for (size_t i = 0; i < chosen; ++i) {
      std::swap(candidates[i],
                candidates[Between(rng, i, candidates.size() - 1)]);
    }
    candidates.resize(chosen);
    std::ranges::sort(candidates);
    for (const int32_t position : candidates) {
      int32_t& id = At(ids, position);
      instance.labels.push_back(id);
      if (rng.Uniform() < 0.8) {
        id = special_.mask;
      } else if (rng.Uniform() < 0.5) {
        id = static_cast<int32_t>(rng.Below(words_));
      }
    }
    instance.positions = std::move(candidates);
  }

  std::span<const Document> documents_;
  SpecialIds special_;
  size_t words_;
  PretrainingOptions options_;
  size_t max_;  // maximum tokens of A and B together
};

void CheckOptions(std::span<const Document> documents,
                  const Vocabulary& vocabulary,
                  const PretrainingOptions& options) {
  if (vocabulary.special().mask < 0) {
    throw ConfigError(
        "pre-training: a vocabulary of {} has no [MASK]; choose "
        "wordpiece or wordpiece_cased",
        Name(vocabulary.kind()));
  }
  if (documents.empty() || options.max_length < kMarksOfPair + 2 ||
      options.max_predictions < 1 || options.duplicates < 1) {
    throw ConfigError(
        "pre-training: {} documents, length {}, {} predictions, {} duplicates; "
        "there must be a document, and the others be at least {}, 1 and 1",
        documents.size(), options.max_length, options.max_predictions,
        options.duplicates, kMarksOfPair + 2);
  }
}

}  // namespace

std::vector<Document> EncodeDocuments(std::span<const std::string> lines,
                                      const Vocabulary& vocabulary) {
  Document sentences(lines.size());
  ParallelForEach(std::ssize(lines), kSentencesPerChunk, [&](int64_t i) {
    const auto line = static_cast<size_t>(i);
    sentences[line] = vocabulary.Encode(lines[line]);
  });
  std::vector<Document> documents(1);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!sentences[i].empty()) {
      documents.back().push_back(std::move(sentences[i]));
    } else if (SplitUnicodeWhitespace(lines[i]).empty() &&
               !documents.back().empty()) {
      documents.emplace_back();
    }
  }
  if (documents.back().empty()) documents.pop_back();
  if (documents.size() < 2) {
    throw ConfigError(
        "pre-training: the text holds {} document{}; two or more are needed, "
        "with a blank line between them and one sentence a line",
        documents.size(), documents.size() == 1 ? "" : "s");
  }
  return documents;
}

PretrainingCorpus MakePretrainingCorpus(std::span<const Document> documents,
                                        const Vocabulary& vocabulary,
                                        const PretrainingOptions& options) {
  CheckOptions(documents, vocabulary, options);
  const InstanceMaker maker(documents, vocabulary, options);
  // Each pass over a document has its own random numbers, independent of
  // threads.
  const int64_t cuts = std::ssize(documents) * options.duplicates;
  std::vector<Instances> of_cut(static_cast<size_t>(cuts));
  ParallelForEach(cuts, kDocumentsPerChunk, [&](int64_t i) {
    const auto cut = static_cast<size_t>(i);
    Rng rng(Rng(options.seed, cut).Next());
    maker.AddOf(cut % documents.size(), rng, of_cut[cut]);
  });
  std::vector<Instance*> order;
  for (Instances& instances : of_cut) {
    for (Instance& instance : instances) order.push_back(&instance);
  }
  Rng rng(Rng(options.seed, static_cast<uint64_t>(cuts)).Next());
  Shuffle(order, rng);
  PretrainingCorpus corpus;
  for (Instance* instance : order) {
    corpus.corpus.source.push_back(std::move(instance->ids));
    corpus.corpus.target.push_back(std::move(instance->labels));
    corpus.positions.push_back(std::move(instance->positions));
    corpus.second.push_back(instance->second);
    corpus.random_next.push_back(instance->random_next);
  }
  return corpus;
}

PretrainingBatch MakePretrainingBatch(const PretrainingCorpus& corpus,
                                      std::span<const int64_t> indices,
                                      const Vocabulary& vocabulary) {
  PretrainingBatch batch = {
      MakeSegmentBatch(corpus.corpus.source, corpus.second, indices,
                       std::max(vocabulary.special().pad, 0)),
      {},
      {},
      {}};
  const int64_t S = batch.ids.dim(1);
  Tokens rows;
  Tokens labels;
  Tokens next;
  for (int64_t b = 0; b < std::ssize(indices); ++b) {
    const auto i = static_cast<size_t>(At(indices, b));
    next.push_back(corpus.random_next[i] ? 1 : 0);
    for (const int32_t position : corpus.positions[i]) {
      rows.push_back(static_cast<int32_t>(b * S) + position);
    }
    Append(corpus.corpus.target[i], labels);
  }
  batch.rows = Tensor::Of(rows, {std::ssize(rows)});
  batch.labels = Tensor::Of(labels, {std::ssize(labels)});
  batch.next = Tensor::Of(next, {std::ssize(next)});
  return batch;
}

}  // namespace heed
