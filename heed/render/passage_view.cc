#include "heed/render/passage_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "heed/base/at.h"
#include "heed/render/axis_kind.h"
#include "heed/render/document_view.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr const char* kPassageKind = "passage";
constexpr double kPassageNumbersFrom = 0.1;
constexpr size_t kMaxSentencesOfPassage = 60;
constexpr size_t kMaxWordsOfPassageSentence = 200;
constexpr size_t kMaxWordsOfQuestion = 60;

/// One attention of the answer to a passage.
struct PassageHop {
  const Axis* words = nullptr;
  std::vector<ItemRange> sentences;
  std::vector<float> weights;            // of each word
  std::vector<float> of_sentences = {};  // sums per sentence
  float largest = 0;                     // largest weight of a word
};

std::vector<PassageHop> HopsOf(const ExplanationSegment& segment) {
  std::vector<PassageHop> hops;
  for (const AttentionMap& map : segment.maps) {
    const Axis& words = segment.axis(map.key);
    if (words.kind != kPassageKind || map.query_size != 1) continue;
    PassageHop hop = {.words = &words,
                      .sentences = SentencesOfAxis(segment, words),
                      .weights = map.MeanOfHeads()};
    for (const ItemRange& span : hop.sentences) {
      float sum = 0;
      for (int64_t i = span.begin; i < span.end; ++i) {
        sum += At(hop.weights, i);
      }
      hop.of_sentences.push_back(sum);
    }
    hop.largest = std::ranges::max(hop.weights);
    hops.push_back(std::move(hop));
  }
  return hops;
}

/// Title "Where is the lamp ?  →  garden", and the probabilities of the
/// answers.
std::pair<std::string, std::string> HeadingsOfAnswer(
    const ExplanationSegment& segment) {
  std::string title = segment.answer;
  if (const Axis* question = segment.Find("question")) {
    std::vector<std::string> words = question->shown();
    if (words.size() > kMaxWordsOfQuestion) {
      words.resize(kMaxWordsOfQuestion);
      words.emplace_back("…");
    }
    title = fmt::format("{} → {}", fmt::join(words, " "), segment.answer);
  }
  std::string chances;
  if (!segment.targets.empty() && segment.targets[0].probability) {
    const Target& target = segment.targets[0];
    chances = fmt::format("{} {:.2f}", segment.answer, *target.probability);
    for (const Alternative& other : target.alternatives) {
      chances += fmt::format(", {} {:.2f}", other.label, other.probability);
    }
  }
  return {title, chances};
}

std::string HeadingOfHop(size_t hop, size_t hops, float largest) {
  return fmt::format("hop {} of {}; the darkest word has {:.2f}", hop + 1, hops,
                     largest);
}

template <typename Values>
auto OfPassageSentence(const Values& values, const ItemRange& span) {
  return std::span(values).subspan(static_cast<size_t>(span.begin),
                                   static_cast<size_t>(span.end - span.begin));
}

/// Calls sentence(span) for shown sentences and gap(text) for omitted ones.
template <typename Sentence, typename Gap>
void ForShownSentences(const PassageHop& hop, const Sentence& sentence,
                       const Gap& gap) {
  size_t next = 0;
  const auto leave_out = [&](size_t until) {
    if (until > next) gap(LeftOutSentences(until - next));
  };
  for (const size_t i :
       LargestInOrder(hop.of_sentences, kMaxSentencesOfPassage)) {
    leave_out(i);
    next = i + 1;
    sentence(hop.sentences[i]);
  }
  leave_out(hop.sentences.size());
}

std::vector<Drawing> DrawPassage(const ExplanationSegment& segment,
                                 const ViewOptions& /*options*/) {
  const auto [title, chances] = HeadingsOfAnswer(segment);
  std::vector<Drawing> parts = {DrawHeading(title, 2)};
  if (!chances.empty()) parts.push_back(DrawHeading(chances, 3));
  const std::vector<PassageHop> hops = HopsOf(segment);
  for (size_t k = 0; k < hops.size(); ++k) {
    const PassageHop& hop = hops[k];
    parts.push_back(DrawHeading(HeadingOfHop(k, hops.size(), hop.largest), 3));
    std::vector<Drawing> lines;
    ForShownSentences(
        hop,
        [&](const ItemRange& span) {
          lines.push_back(DrawShadedWords(
              OfPassageSentence(hop.words->shown(), span),
              OfPassageSentence(hop.weights, span), kPictureWidth,
              kPassageNumbersFrom, kMaxWordsOfPassageSentence,
              hop.largest > 0 ? 1 / hop.largest : 1,
              {hop.words->id, span.begin}));
        },
        [&](const std::string& text) {
          lines.push_back(DrawHeading(text, 3));
        });
    parts.push_back(StackDrawings(lines, 0));
  }
  return {StackDrawings(parts, 10)};
}

std::string PassageLines(const ExplanationSegment& segment,
                         const ViewOptions& /*options*/,
                         const TerminalOptions& terminal) {
  const auto [title, chances] = HeadingsOfAnswer(segment);
  std::string out = terminal::Strong(terminal, VisibleToken(title)) + '\n';
  if (!chances.empty()) {
    out += terminal::Quiet(terminal, VisibleToken(chances)) + '\n';
  }
  const std::vector<PassageHop> hops = HopsOf(segment);
  for (size_t k = 0; k < hops.size(); ++k) {
    const PassageHop& hop = hops[k];
    out +=
        terminal::Quiet(terminal, HeadingOfHop(k, hops.size(), hop.largest)) +
        '\n';
    // Without colour, weights are numbers.
    std::vector<float> shades = hop.weights;
    if (terminal.colour && hop.largest > 0) {
      for (float& shade : shades) shade /= hop.largest;
    }
    ForShownSentences(
        hop,
        [&](const ItemRange& span) {
          out += TerminalWords(OfPassageSentence(hop.words->shown(), span),
                               OfPassageSentence(shades, span), 2, terminal);
        },
        [&](const std::string& text) {
          out += terminal::Quiet(terminal, "  " + text) + '\n';
        });
  }
  return out;
}

}  // namespace

AxisKind PassageKind() {
  AxisKind kind = DocumentKind();
  kind.name = kPassageKind;
  return kind;
}

ExplanationView PassageView() {
  ExplanationView view;
  view.name = "passage";
  view.description =
      "a passage shaded by what the answer attends to, hop by hop";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return HopsOf(segment).empty()
               ? std::string(
                     "no answer attends to a passage; choose another "
                     "view")
               : std::string();
  };
  view.draw = DrawPassage;
  view.text = PassageLines;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
