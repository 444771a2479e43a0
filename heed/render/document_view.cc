#include "heed/render/document_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr double kSentenceBar = 110;
constexpr double kSentenceText = 160;  // left edge of the words
constexpr double kSentenceGap = 6;
constexpr size_t kMaxSentences = 60;
constexpr size_t kMaxSentencesOfText = 24;
constexpr size_t kMaxWordsOfSentence = 200;
constexpr double kNoNumbers = 2;  // above any shade
constexpr int kSentenceBarColumns = 16;

std::span<const float> OfSentence(std::span<const float> values,
                                  const ItemRange& span) {
  return values.subspan(static_cast<size_t>(span.begin),
                        static_cast<size_t>(span.end - span.begin));
}

std::span<const std::string> OfSentence(const Axis& axis,
                                        const ItemRange& span) {
  return std::span(axis.shown())
      .subspan(static_cast<size_t>(span.begin),
               static_cast<size_t>(span.end - span.begin));
}

float LargestOfShades(std::span<const float> values) {
  const float largest = values.empty() ? 0 : std::ranges::max(values);
  return largest > 0 ? largest : 1;
}

void AddSentenceBar(float weight, float largest, const std::string& item,
                    MarkupWriter* svg) {
  svg->Line(
      "<g {4}><rect class='field' y='2' width='{0}' height='16' rx='3'/>"
      "<rect class='cell' y='2' width='{1:.1f}' height='16' "
      "rx='3'><title>weight of the sentence: {2:.3f}</title></rect>"
      "<text class='quiet' x='{3}' y='14.5' font-size='12'>{2:.2f}</text></g>",
      kSentenceBar, kSentenceBar * weight / largest, weight, kSentenceBar + 8,
      item);
}

std::vector<Drawing> DrawDocument(const ExplanationSegment& segment,
                                  const ViewOptions& /*options*/) {
  const DocumentWeights document = DocumentWeightsOf(segment).value();
  const std::vector<float> shades = document.Shades();
  const float factor = 1 / LargestOfShades(shades);
  const float largest = LargestOfShades(document.of_sentences);
  MarkupWriter svg;
  double y = 0;
  size_t next = 0;
  const auto add_gap = [&](size_t until) {
    if (until == next) return;
    svg.Line("<text class='quiet' x='{}' y='{:.1f}' font-size='12'>{}</text>",
             kSentenceText, y + 14, LeftOutSentences(until - next));
    y += 26;
  };
  for (const size_t i : LargestInOrder(document.of_sentences, kMaxSentences)) {
    add_gap(i);
    next = i + 1;
    const ItemRange& span = document.sentences->spans[i];
    const Drawing words = DrawShadedWords(
        OfSentence(*document.words, span), OfSentence(shades, span),
        kPictureWidth - kSentenceText, kNoNumbers, kMaxWordsOfSentence, factor,
        {document.words->id, span.begin});
    svg.Line("<g transform='translate(0 {:.1f})'>", y);
    AddSentenceBar(
        document.of_sentences[i], largest,
        ItemAttributes(document.sentences->id, static_cast<int64_t>(i)), &svg);
    svg.Line("<g transform='translate({} 0)'>{}</g></g>", kSentenceText,
             words.svg);
    y += words.height - 16 + kSentenceGap;  // without the space for numbers
  }
  add_gap(document.of_sentences.size());
  const std::vector<Drawing> parts = {
      DrawHeading(TitleOf(segment), 2),
      DrawHeading("bars: weight of a sentence (pₛ); shades: √pₛ · weight of "
                  "the word in its sentence, darkest where that is largest",
                  3),
      {kPictureWidth, y, svg.Take()}};
  return {StackDrawings(parts, 10)};
}

std::string DocumentText(const ExplanationSegment& segment,
                         const ViewOptions& /*options*/,
                         const TerminalOptions& terminal) {
  const DocumentWeights document = DocumentWeightsOf(segment).value();
  std::vector<float> shades = document.Shades();
  const float factor = 1 / LargestOfShades(shades);
  for (float& shade : shades) shade *= factor;
  const float largest = LargestOfShades(document.of_sentences);
  std::string out = terminal::Strong(terminal, TitleOf(segment)) + '\n';
  size_t next = 0;
  const auto add_gap = [&](size_t until) {
    if (until > next) {
      out += terminal::Quiet(terminal, "  " + LeftOutSentences(until - next)) +
             '\n';
    }
  };
  for (const size_t i :
       LargestInOrder(document.of_sentences, kMaxSentencesOfText)) {
    add_gap(i);
    next = i + 1;
    const float weight = document.of_sentences[i];
    std::string bar;
    const auto length = std::lround(kSentenceBarColumns * weight / largest);
    for (int64_t c = 0; c < length; ++c) bar += "█";
    constexpr int kBlue = 75;
    if (terminal.colour) bar = terminal::Foreground(kBlue, bar);
    out += fmt::format("{:.2f}{}{}\n", weight, bar.empty() ? "" : " ", bar);
    const ItemRange& span = document.sentences->spans[i];
    out += TerminalWords(OfSentence(*document.words, span),
                         OfSentence(shades, span), 5, terminal);
  }
  add_gap(document.of_sentences.size());
  return out;
}

}  // namespace

std::vector<size_t> LargestInOrder(std::span<const float> weights, size_t max) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](size_t i) { return weights[i]; });
  order.resize(std::min(max, order.size()));
  std::ranges::sort(order);
  return order;
}

std::string LeftOutSentences(size_t count) {
  return fmt::format("… {} sentence{} of less weight", count,
                     count == 1 ? "" : "s");
}

std::vector<float> DocumentWeights::Shades() const {
  std::vector<float> shades = of_words;
  for (size_t i = 0; i < sentences->spans.size(); ++i) {
    const float root = std::sqrt(of_sentences[i]);
    for (int64_t w = sentences->spans[i].begin; w < sentences->spans[i].end;
         ++w) {
      At(shades, w) *= root;
    }
  }
  return shades;
}

std::optional<DocumentWeights> DocumentWeightsOf(
    const ExplanationSegment& segment) {
  for (const Axis& sentences : segment.axes) {
    if (sentences.of.empty()) continue;
    const Axis* words = segment.Find(sentences.of);
    const auto inner = segment.LastMap(sentences.id, sentences.of);
    const auto outer =
        std::ranges::find_if(segment.maps, [&](const AttentionMap& map) {
          return map.key == sentences.id && map.query_size == 1;
        });
    if (words == nullptr || !inner || outer == segment.maps.end()) continue;
    const AttentionMap& map = segment.maps[*inner];
    DocumentWeights found = {&sentences, words, outer->MeanOfHeads(), {}};
    // Each word has a weight only in its own sentence.
    AttentionMap each;
    each.key = sentences.id;
    each.heads = each.query_size = 1;
    each.key_size = sentences.size();
    each.weights.assign(static_cast<size_t>(each.key_size), 1);
    found.of_words = ComposedMap(each, map, "words", "").weights;
    return found;
  }
  return std::nullopt;
}

std::vector<ItemRange> SentencesOfAxis(const ExplanationSegment& segment,
                                       const Axis& axis) {
  for (const Axis& other : segment.axes) {
    if (other.of == axis.id) return other.spans;
  }
  std::vector<ItemRange> each;
  for (int64_t i = 0; i < axis.size(); ++i) each.push_back({i, i + 1});
  return each;
}

ExplanationView DocumentView() {
  ExplanationView view;
  view.name = "document";
  view.description =
      "the weight of each sentence of a document, and of each word in it";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return DocumentWeightsOf(segment)
               ? std::string()
               : std::string(
                     "no attention to sentences and to their words; choose a "
                     "model of documents with pooling attention, or another "
                     "view");
  };
  view.draw = DrawDocument;
  view.text = DocumentText;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
