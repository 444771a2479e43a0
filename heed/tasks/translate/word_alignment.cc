#include "heed/tasks/translate/word_alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/batches.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"
#include "heed/metrics/symmetrize.h"
#include "heed/nn/transformer.h"
#include "heed/tasks/target_loss.h"
#include "heed/text/subwords.h"
#include "heed/text/word_tokens.h"

namespace heed::translate {
namespace {

/// The recorded weights of one head of an attention, or their mean, for a
/// batch: one step at a time, or all steps at once.
class BatchWeights {
 public:
  /// Throws: ConfigError if the head does not exist.
  BatchWeights(const AttentionWatch& watch, const std::string& path,
               int64_t head) {
    for (const AttentionWatch::Seen& seen : watch.seen) {
      if (seen.info.path != path) continue;
      if (head >= seen.info.heads) {
        throw ConfigError("'{}' has no head {}; they count from 0", path, head);
      }
      parts_.push_back(HeadWeights(seen.weights.value(), head));
    }
  }
  /// The S weights of target token t of sentence b.
  const float* Row(int64_t b, int64_t t) const {
    for (const Tensor& part : parts_) {
      if (t < part.dim(1)) return part[b].row<float>(t);
      t -= part.dim(1);
    }
    return nullptr;
  }

 private:
  std::vector<Tensor> parts_;  // [B, T, S] each
};

/// An encoded side of the text.
struct EncodedSide {
  EncodedSide(const std::vector<std::string>& lines,
              const Vocabulary& vocabulary, bool lowercase) {
    for (const std::string& line : lines) {
      WordTokens tokens = EncodeWordTokens(
          vocabulary, lowercase ? std::string_view(Lowercase(line)) : line);
      ids.push_back(std::move(tokens.ids));
      words.push_back(std::move(tokens.words));
    }
  }
  std::vector<std::vector<int32_t>> ids;
  std::vector<std::vector<int32_t>> words;
};

std::vector<std::string> SplitWords(const std::string& line) {
  const std::vector<std::string_view> words = SplitWhitespace(line);
  return {words.begin(), words.end()};
}

/// Fills view.weights from the weights of tokens.
void AddWords(const BatchWeights& weights, int64_t b, bool shift,
              std::span<const int32_t> source_words,
              std::span<const int32_t> target_words, AlignmentView& view) {
  const auto sources = static_cast<size_t>(view.source_size());
  std::vector<double> sums(view.target_tokens.size() * sources);
  std::vector<double> pieces(view.target_tokens.size());
  for (size_t t = 0; t < target_words.size(); ++t) {
    if (target_words[t] < 0) continue;
    const auto word = static_cast<size_t>(target_words[t]);
    const float* row =
        weights.Row(b, static_cast<int64_t>(t) + (shift ? 1 : 0));
    pieces[word] += 1;
    for (size_t s = 0; s < source_words.size(); ++s) {
      if (source_words[s] < 0) continue;
      sums[word * sources + static_cast<size_t>(source_words[s])] +=
          double{row[s]};
    }
  }
  view.weights.clear();
  for (size_t i = 0; i < sums.size(); ++i) {
    view.weights.push_back(static_cast<float>(sums[i] / pieces[i / sources]));
  }
}

void CheckChoice(const Model& model, const AttentionChoice& choice) {
  const int64_t layers = std::ssize(model.model->source_attentions());
  if (choice.layer < 0 || choice.layer >= layers) {
    throw ConfigError(
        "{}: no layer {} that attends to the source; there are {}, from 0",
        model.folder, choice.layer, layers);
  }
}

/// Error that names the pair that is too long: the longest of a batch.
FormatError TooLong(const ParallelText& text, const Corpus& corpus,
                    std::span<const int64_t> batch, const char* why) {
  const auto length = [&](int64_t i) {
    return std::max(At(corpus.source, i).size(), At(corpus.target, i).size());
  };
  const int64_t longest = *std::ranges::max_element(batch, {}, length);
  const std::string& line = At(text.source, longest);
  return FormatError(
      "line {} of the text ({}…) has {} tokens, more than the model can read: "
      "{}",
      longest + 1, line.substr(0, line.find(' ')), length(longest), why);
}

/// A side of a translation: words, and the word of each piece.
struct WordSide {
  std::vector<std::string> words;
  std::vector<int32_t> of_piece;

  WordSide(const std::vector<std::string>& pieces, VocabularyKind kind)
      : of_piece(WordsOfPieces(pieces, kind)) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (of_piece[i] < 0) continue;
      words.resize(static_cast<size_t>(of_piece[i]) + 1);
      const bool marked = IsSubword(kind) && pieces[i].starts_with(kSpaceMark);
      words.back() += pieces[i].substr(marked ? kSpaceMark.size() : 0);
    }
    LeaveOutEmptyWords();
  }

 private:
  /// Removes empty words: a word-boundary mark without a word.
  void LeaveOutEmptyWords() {
    std::vector<std::string> kept;
    std::vector<int32_t> numbers;
    for (const std::string& word : words) {
      numbers.push_back(word.empty() ? -1 : static_cast<int32_t>(kept.size()));
      if (!word.empty()) kept.push_back(word);
    }
    for (int32_t& word : of_piece) {
      if (word >= 0) word = At(numbers, word);
    }
    words = std::move(kept);
  }
};

}  // namespace

AlignmentView WordView(const Translation& translation, VocabularyKind source,
                       VocabularyKind target) {
  const WordSide from(translation.source_pieces, source);
  const WordSide to(translation.target_pieces, target);
  AlignmentView view;
  view.source_tokens = from.words;
  view.target_tokens = to.words;
  view.title = translation.text;
  view.weights.resize(from.words.size() * to.words.size());
  std::vector<float> pieces(to.words.size());
  for (const int32_t word : to.of_piece) {
    if (word >= 0) At(pieces, word) += 1;
  }
  const size_t sources = from.of_piece.size();
  if (translation.attention.size() < sources * to.of_piece.size()) return view;
  for (size_t t = 0; t < to.of_piece.size(); ++t) {
    if (to.of_piece[t] < 0) continue;
    const auto row = static_cast<size_t>(to.of_piece[t]);
    for (size_t s = 0; s < sources; ++s) {
      if (from.of_piece[s] < 0) continue;
      view.weights[row * from.words.size() +
                   static_cast<size_t>(from.of_piece[s])] +=
          translation.attention[t * sources + s] / pieces[row];
    }
  }
  return view;
}

AttentionChoice UsualAttention(const Model& model) {
  const std::vector<std::string> all = model.model->source_attentions();
  if (all.empty()) {
    throw ConfigError("model '{}' has no attention to align words with",
                      model.config.name());
  }
  AttentionChoice choice;
  choice.head = model.model->alignment_head();
  const bool taught = !model.data.guided_alignment.empty();
  if (taught || choice.head >= 0 || all.size() == 1) {
    const auto own = std::ranges::find(all, model.model->alignment_attention());
    choice.layer = own - all.begin();
    choice.shift = taught && model.data.guided_alignment_shift;
    return choice;
  }
  choice.layer = std::ssize(all) - 2;
  return choice;
}

std::vector<std::vector<AlignmentView>> WordWeights(
    const Model& model, const ParallelText& text,
    std::span<const AttentionChoice> choices) {
  for (const AttentionChoice& choice : choices) CheckChoice(model, choice);
  const Vocabularies& v = model.vocabularies;
  EncodedSide source(text.source, v.source, model.data.lowercase);
  EncodedSide target(text.target, v.target, model.data.lowercase);
  Corpus corpus;
  corpus.start = v.target.special().bos;
  corpus.source = std::move(source.ids);
  corpus.target = std::move(target.ids);
  std::vector<std::vector<AlignmentView>> views(
      choices.size(), std::vector<AlignmentView>(text.source.size()));
  const std::vector<std::string> layers = model.model->source_attentions();
  const BatchOptions batches = {model.data.batch_tokens, 0};
  for (const auto& indices : PlanBatches(corpus, batches, 0, 0)) {
    AttentionWatch watch([&](const AttentionInfo& info) {
      return AttentionRequest{
          .weights = std::ranges::any_of(choices, [&](const auto& c) {
            return At(layers, c.layer) == info.path;
          })};
    });
    Context ctx;
    ctx.observer = &watch;
    try {
      TargetLogits(*model.model, ctx, MakeBatch(corpus, indices));
    } catch (const ShapeError& error) {
      throw TooLong(text, corpus, indices, error.what());
    }
    for (size_t c = 0; c < choices.size(); ++c) {
      const BatchWeights weights(watch, At(layers, choices[c].layer),
                                 choices[c].head);
      for (size_t b = 0; b < indices.size(); ++b) {
        const auto i = static_cast<size_t>(indices[b]);
        AlignmentView& view = views[c][i];
        view.source_tokens = SplitWords(text.source[i]);
        view.target_tokens = SplitWords(text.target[i]);
        AddWords(weights, static_cast<int64_t>(b), choices[c].shift,
                 source.words[i], target.words[i], view);
      }
    }
  }
  return views;
}

std::vector<AlignmentView> WordWeights(const Model& model,
                                       const ParallelText& text,
                                       const AttentionChoice& choice) {
  return std::move(WordWeights(model, text, {&choice, 1}).front());
}

std::vector<AlignmentLinks> AlignWords(const Model& model,
                                       const ParallelText& text) {
  std::vector<AlignmentLinks> links;
  for (const AlignmentView& view :
       WordWeights(model, text, UsualAttention(model))) {
    links.push_back(LinksOf(view));
  }
  return links;
}

AgreedChoice ChooseByAgreement(const Model& forward, const Model& backward,
                               const ParallelText& text,
                               const LinkOptions& options, int64_t pairs) {
  ParallelText sample = text;
  const auto count = std::min(text.source.size(), static_cast<size_t>(pairs));
  sample.source.resize(count);
  sample.target.resize(count);
  struct Tried {
    AttentionChoice choice;
    std::vector<AlignmentLinks> links;
  };
  const auto try_all = [&](const Model& model, bool reversed) {
    UsualAttention(model);  // throws if there is none
    std::vector<AttentionChoice> choices;
    const int64_t layers = std::ssize(model.model->source_attentions());
    for (int64_t layer = 0; layer < layers; ++layer) {
      choices.push_back({layer, -1, false});
      choices.push_back({layer, -1, true});
    }
    const auto views =
        WordWeights(model, reversed ? Swapped(sample) : sample, choices);
    std::vector<Tried> tried;
    for (size_t c = 0; c < choices.size(); ++c) {
      tried.push_back({choices[c], {}});
      for (const AlignmentView& view : views[c]) {
        const AlignmentLinks links = LinksOf(view, options);
        tried.back().links.push_back(reversed ? Reversed(links) : links);
      }
    }
    return tried;
  };
  const std::vector<Tried> f = try_all(forward, false);
  const std::vector<Tried> b = try_all(backward, true);
  AgreedChoice best;
  best.agreement = -1;
  for (const Tried& x : f) {
    for (const Tried& y : b) {
      const double agreement = AlignmentAgreement(x.links, y.links);
      if (agreement > best.agreement) best = {x.choice, y.choice, agreement};
    }
  }
  return best;
}

namespace {

constexpr int64_t kLongestAligned = 2000;

/// Empties pairs above a limit. `size`: length of the longer side of pair i, in
/// units `what`.
template <class Size>
void EmptyPairsAbove(ParallelText& text, int64_t limit, const char* what,
                     const Size& size) {
  for (size_t i = 0; i < text.source.size(); ++i) {
    // Shorter lines cannot exceed the limit.
    if (!IsLongerThan(text.source[i], limit / 2) &&
        !IsLongerThan(text.target[i], limit / 2)) {
      continue;
    }
    const int64_t max = size(i);
    if (max <= limit) continue;
    Warn(fmt::format("{}: {} {}, above {}; the pair is left without links",
                     text.PlaceOf(i, true), max, what, limit));
    text.source[i].clear();
    text.target[i].clear();
  }
}

int64_t WordsOfLine(const std::string& line) {
  return std::ssize(SplitWhitespace(line));
}

}  // namespace

void EmptyLongPairs(ParallelText& text, const Model& model, bool reversed) {
  const auto size = [](const std::string& line, const Vocabulary& vocabulary) {
    return std::max(WordsOfLine(line), std::ssize(vocabulary.Encode(line)));
  };
  const int64_t limit = TokensWithin(*model.model, kLongestAligned);
  EmptyPairsAbove(text, limit, "words or subword tokens", [&](size_t i) {
    return std::max(size((reversed ? text.target : text.source)[i],
                         model.vocabularies.source),
                    size((reversed ? text.source : text.target)[i],
                         model.vocabularies.target));
  });
}

void EmptyLongPairs(ParallelText& text) {
  EmptyPairsAbove(text, kLongestAligned, "words", [&](size_t i) {
    return std::max(WordsOfLine(text.source[i]), WordsOfLine(text.target[i]));
  });
}

ParallelText Swapped(const ParallelText& text) {
  return {text.target, text.source};
}

AlignmentView BothWays(const AlignmentView& forward,
                       const AlignmentView& backward) {
  CheckAlignment(forward);
  CheckAlignment(backward);
  if (forward.source_size() != backward.target_size() ||
      forward.target_size() != backward.source_size()) {
    throw ShapeError("alignment: two directions of different sentences");
  }
  AlignmentView both = forward;
  for (int64_t t = 0; t < both.target_size(); ++t) {
    for (int64_t s = 0; s < both.source_size(); ++s) {
      At(both.weights, t * both.source_size() + s) =
          std::sqrt(forward.weight(t, s) * backward.weight(s, t));
    }
  }
  return both;
}

namespace {

void CheckLinks(const GoldAlignment& gold, const std::string& source,
                const std::string& target, const std::string& place) {
  const int64_t sources = std::ssize(SplitWhitespace(source));
  const int64_t targets = std::ssize(SplitWhitespace(target));
  for (const AlignmentLink& link : gold.possible) {
    if (link.source < sources && link.target < targets) continue;
    throw FormatError(
        "{}: the link {}-{} leaves its pair of {} source and {} target words; "
        "positions count from 0",
        place, link.source, link.target, sources, targets);
  }
}

}  // namespace

std::vector<GoldAlignment> ReadAlignments(const std::vector<std::string>& paths,
                                          const ParallelText& text) {
  struct Line {
    std::string text;
    const std::string* path;
    int64_t number;
  };
  std::vector<Line> lines;
  for (const std::string& path : paths) {
    int64_t number = 0;
    for (std::string& line : ReadLines(path)) {
      lines.push_back({std::move(line), &path, ++number});
    }
  }
  if (lines.size() != text.source.size()) {
    throw FormatError("{}: {} lines of links for {} sentence pairs",
                      fmt::join(paths, ", "), lines.size(), text.source.size());
  }
  std::vector<GoldAlignment> gold;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const size_t tab = line.text.rfind('\t');
    gold.push_back(ParseGoldAlignment(
        tab == std::string::npos ? line.text : line.text.substr(tab + 1),
        *line.path, line.number));
    CheckLinks(gold.back(), text.source[i], text.target[i],
               fmt::format("{}:{}", *line.path, line.number));
  }
  return gold;
}

}  // namespace heed::translate
