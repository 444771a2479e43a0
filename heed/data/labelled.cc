#include "heed/data/labelled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/documents.h"
#include "heed/data/input_lines.h"

namespace heed {
namespace {

constexpr int64_t kMarkedTextsPerChunk = 64;
constexpr size_t kNamedLabels = 20;

using Strings = std::vector<std::string>;

/// Truncates the longer one first until both fit. Returns true if anything was
/// cut.
bool Truncate(Encoded& first, Encoded& second, int64_t room) {
  const auto cut = [](Encoded& text, int64_t size) {
    text.ids.resize(static_cast<size_t>(size));
    text.pieces.resize(static_cast<size_t>(size));
  };
  const int64_t a = std::ssize(first.ids);
  const int64_t b = std::ssize(second.ids);
  if (a + b <= room) return false;
  // The longer text also gets the unused part of the shorter text's half.
  const int64_t kept = std::min(a, std::max(room - b, (room + 1) / 2));
  cut(first, kept);
  cut(second, room - kept);
  return true;
}

}  // namespace

LabelSet::LabelSet(const LabelledText& text) {
  std::set<std::string> names;
  for (const auto& labels : text.labels) {
    for (const std::string& label : labels) names.insert(Nfc(label));
  }
  if (names.size() < 2) {
    throw ConfigError(
        "labels: {} different in the training text{}; at least 2 are needed",
        names.size(),
        names.empty() ? "" : fmt::format(" ('{}')", *names.begin()));
  }
  names_.assign(names.begin(), names.end());
}

LabelSet LabelSet::Parse(std::string_view bytes, const std::string& name) {
  LabelSet set;
  std::vector<std::string_view> lines = SplitAt(bytes, "\n");
  const bool whole = lines.back().empty();  // the last line has a line feed
  lines.pop_back();
  set.names_.assign(lines.begin(), lines.end());
  if (!whole || set.names_.size() < 2 ||
      std::ranges::adjacent_find(set.names_, std::greater_equal<>()) !=
          set.names_.end()) {
    throw FormatError(
        "{} is not a list of two or more labels, one per line, sorted", name);
  }
  return set;
}

std::string LabelSet::Serialize() const {
  std::string bytes;
  for (const std::string& name : names_) bytes += name + "\n";
  return bytes;
}

int32_t LabelSet::Id(std::string_view label) const {
  const auto find = [this](std::string_view name) {
    const auto found = std::lower_bound(names_.begin(), names_.end(), name);
    return found != names_.end() && *found == name ? found : names_.end();
  };
  auto found = find(label);
  if (found == names_.end()) found = find(Nfc(label));
  if (found == names_.end()) {
    const size_t shown = std::min(names_.size(), kNamedLabels);
    throw FormatError(
        "label '{}' was not in the training text, which had {}{}", label,
        fmt::join(names_.begin(), names_.begin() + static_cast<long>(shown),
                  ", "),
        shown < names_.size() ? ", ..." : "");
  }
  return static_cast<int32_t>(found - names_.begin());
}

MarkedText MarkText(const Vocabulary& vocabulary, std::string_view text,
                    const std::string* second, const TextOptions& options) {
  const auto encode = [&](std::string_view line) {
    return vocabulary.EncodeWithPieces(
        options.lowercase ? std::string_view(Lowercase(line)) : line);
  };
  Encoded first = encode(text);
  Encoded other = second != nullptr ? encode(*second) : Encoded();
  const SpecialIds& special = vocabulary.special();
  const int64_t marks =
      second != nullptr ? 2 + std::ssize(special.Separators()) : 2;
  MarkedText marked;
  if (options.max_length > 0) {
    marked.cut = Truncate(first, other,
                          std::max<int64_t>(options.max_length - marks, 0));
  }
  const auto mark = [&](int32_t id) {
    marked.ids.push_back(id);
    marked.pieces.push_back(vocabulary.Piece(id));
  };
  const auto append = [&](Encoded& part) {
    marked.ids.insert(marked.ids.end(), part.ids.begin(), part.ids.end());
    std::move(part.pieces.begin(), part.pieces.end(),
              std::back_inserter(marked.pieces));
  };
  mark(special.bos);
  append(first);
  if (second != nullptr) {
    for (const int32_t id : special.Separators()) mark(id);
    marked.first = static_cast<int32_t>(marked.ids.size());
    append(other);
  }
  mark(special.eos);
  if (second == nullptr) {
    marked.first = static_cast<int32_t>(marked.ids.size());
  }
  return marked;
}

std::vector<size_t> SentencesOf(const LabelledText& text, size_t i) {
  return i < text.sentences.size() && !text.sentences[i].empty()
             ? text.sentences[i]
             : FindSentences(text.text[i]);
}

LabelledCorpus EncodeLabelled(const LabelledText& text,
                              const Vocabulary& vocabulary,
                              const LabelSet* labels,
                              const TextOptions& options) {
  const size_t size = text.text.size();
  LabelledCorpus result;
  result.corpus.source.resize(size);
  result.corpus.target.resize(size);
  result.first.resize(size);
  if (options.documents) result.sentences.resize(size);
  if (options.vectors != nullptr) result.vector_rows.resize(size);
  result.vectors = options.vectors;
  const auto find_vectors = [&](size_t i, const Strings& pieces) {
    if (options.vectors == nullptr) return;
    for (const std::string& piece : pieces) {
      result.vector_rows[i].push_back(options.vectors->Find(piece));
    }
  };
  std::atomic<int64_t> cut{0};
  ParallelForEach(
      static_cast<int64_t>(size), kMarkedTextsPerChunk, [&](int64_t n) {
        const auto i = static_cast<size_t>(n);
        if (options.documents) {
          MarkedDocument marked =
              MarkDocument(vocabulary, text.text[i], SentencesOf(text, i),
                           options.max_length, options.lowercase);
          find_vectors(i, marked.pieces);
          result.first[i] = static_cast<int32_t>(marked.ids.size());
          result.corpus.source[i] = std::move(marked.ids);
          result.sentences[i] = std::move(marked.sentences);
          if (marked.cut) ++cut;
          return;
        }
        MarkedText marked =
            MarkText(vocabulary, text.text[i],
                     text.pairs() ? &text.second[i] : nullptr, options);
        result.corpus.source[i] = std::move(marked.ids);
        find_vectors(i, marked.pieces);
        result.first[i] = marked.first;
        if (marked.cut) ++cut;
      });
  result.cut = cut;
  for (size_t i = 0; labels != nullptr && i < size; ++i) {
    std::vector<int32_t>& ids = result.corpus.target[i];
    for (const std::string& label : text.labels[i]) {
      ids.push_back(labels->Id(label));
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  return result;
}

void WarnOfCut(const LabelledCorpus& corpus, int max_length) {
  if (corpus.cut == 0) return;
  Warn(
      fmt::format("of {} of {} texts, only the first {} tokens are read "
                  "(--max-length)",
                  corpus.cut, corpus.corpus.size(), max_length));
}

LabelledBatch MakeLabelledBatch(const LabelledCorpus& corpus,
                                std::span<const int64_t> indices) {
  LabelledBatch batch = {
      MakeSegmentBatch(corpus.corpus.source, corpus.first, indices, kPad), {}};
  for (const int64_t i : indices) {
    batch.labels.push_back(At(corpus.corpus.target, i));
  }
  if (!corpus.sentences.empty()) {
    batch.sentences = MakeIdRows(corpus.sentences, indices, 0).ids;
  }
  if (corpus.vectors != nullptr) {
    batch.vectors = VectorsOfRows(*corpus.vectors, corpus.vector_rows, indices);
  }
  return batch;
}

}  // namespace heed
