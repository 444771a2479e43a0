#include "heed/decode/divided_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

/// Appends the attention of a part as a block below and to the right of the
/// existing weights.
void AppendAttention(Translation& whole, const Translation& part) {
  const size_t S = whole.source_pieces.size();
  const size_t T = whole.target_pieces.size();
  const size_t s = part.source_pieces.size();
  const size_t t = part.target_pieces.size();
  if (part.attention.empty()) return;
  std::vector<float> weights((T + t) * (S + s));
  for (size_t row = 0; row < T; ++row) {
    std::copy_n(whole.attention.begin() + static_cast<long>(row * S), S,
                weights.begin() + static_cast<long>(row * (S + s)));
  }
  for (size_t row = 0; row < t; ++row) {
    std::copy_n(part.attention.begin() + static_cast<long>(row * s), s,
                weights.begin() + static_cast<long>((T + row) * (S + s) + S));
  }
  whole.attention = std::move(weights);
}

/// Copy of a part without </s>, for parts that are followed by another.
Translation WithoutEnd(Translation part) {
  const size_t s = part.source_pieces.size();
  if (s == 0) return part;
  part.source_pieces.pop_back();
  part.target_pieces.pop_back();
  part.target_ids.pop_back();
  if (!part.log_probabilities.empty()) part.log_probabilities.pop_back();
  if (part.attention.empty()) return part;
  const size_t t = part.target_pieces.size();
  std::vector<float> weights;
  for (size_t row = 0; row < t; ++row) {
    const auto begin = part.attention.begin() + static_cast<long>(row * s);
    weights.insert(weights.end(), begin, begin + static_cast<long>(s - 1));
  }
  part.attention = std::move(weights);
  return part;
}

void Append(Translation& whole, const Translation& part, bool space) {
  AppendAttention(whole, part);
  if (space && !whole.text.empty()) whole.text += ' ';
  whole.text += part.text;
  whole.source_cut |= part.source_cut;
  whole.at_last_position |= part.at_last_position;
  whole.score += part.score;
  whole.log_probability += part.log_probability;
  whole.source_pieces.insert(whole.source_pieces.end(),
                             part.source_pieces.begin(),
                             part.source_pieces.end());
  whole.target_pieces.insert(whole.target_pieces.end(),
                             part.target_pieces.begin(),
                             part.target_pieces.end());
  whole.log_probabilities.insert(whole.log_probabilities.end(),
                                 part.log_probabilities.begin(),
                                 part.log_probabilities.end());
  whole.target_ids.insert(whole.target_ids.end(), part.target_ids.begin(),
                          part.target_ids.end());
}

/// Hooks restricted to the lines [begin, end).
TranslateHooks HooksOf(const TranslateHooks& hooks, size_t begin, size_t end) {
  TranslateHooks some;
  if (hooks.observer) {
    some.observer = [&hooks, begin](int64_t line,
                                    const std::vector<std::string>& pieces,
                                    bool whole) {
      hooks.observer(static_cast<int64_t>(begin) + line, pieces, whole);
    };
  }
  if (!hooks.cancellations.empty()) {
    some.cancellations.assign(
        hooks.cancellations.begin() + static_cast<long>(begin),
        hooks.cancellations.begin() + static_cast<long>(end));
  }
  return some;
}

Translations TranslateInParts(const Translator& translator,
                              const TargetMarks& marks, const std::string& line,
                              int64_t number,
                              const Cancellation* cancellation) {
  const MarkAndText marked = TakeMark(marks, line);
  std::vector<std::string> sentences;
  std::vector<bool> spaces;  // preceded by a space
  bool space = false;
  for (const std::string_view part : SplitSentences(marked.text)) {
    const std::string_view text = TrimBlanks(part);
    if (text.empty()) {
      space = true;
      continue;
    }
    sentences.push_back(WithMark(marks, text, marked.mark));
    spaces.push_back(space || text.data() > part.data());
    space = text.data() + text.size() < part.data() + part.size();
  }
  TranslateHooks hooks;
  if (cancellation != nullptr) {
    hooks.cancellations.assign(sentences.size(), cancellation);
  }
  const std::vector<Translations> parts =
      translator.Translate(sentences, number, hooks);
  size_t count = parts.empty() ? 1 : parts.front().size();
  for (const Translations& part : parts) count = std::min(count, part.size());
  Translations joined(count);
  for (size_t n = 0; n < count; ++n) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const Translation& part = parts[i][n];
      Append(joined[n], i + 1 < parts.size() ? WithoutEnd(part) : part,
             spaces[i]);
    }
  }
  return joined;
}

}  // namespace

std::vector<Translations> TranslateDivided(const Translator& translator,
                                           const TargetMarks& marks,
                                           std::span<const std::string> lines,
                                           int64_t first, int64_t max_line,
                                           const TranslateHooks& hooks) {
  std::vector<Translations> all;
  size_t begin = 0;  // first line of the next joint translation
  const auto translate = [&](size_t end) {
    if (end == begin) return;
    std::vector<Translations> some = translator.Translate(
        lines.subspan(begin, end - begin), first + static_cast<int64_t>(begin),
        HooksOf(hooks, begin, end));
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!IsLongerThan(lines[i], max_line)) continue;
    translate(i);
    const int64_t number = first + static_cast<int64_t>(i);
    Warn(fmt::format(
        "line {}: longer than {} characters; its sentences are translated one "
        "by one (--max-line)",
        number + 1, max_line));
    all.push_back(TranslateInParts(
        translator, marks, lines[i], number,
        hooks.cancellations.empty() ? nullptr : hooks.cancellations[i]));
    begin = i + 1;
  }
  translate(lines.size());
  return all;
}

}  // namespace heed
