#include "heed/render/embedding_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/render/cells.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"
#include "heed/render/token_names.h"

namespace heed {
namespace {

constexpr size_t kShownFeatures = 12;
constexpr size_t kShownTokens = 22;
constexpr size_t kShownWords = 5;  // per prediction
constexpr double kEmbeddingCell = 44;
constexpr double kFeatureHeight = 9;
constexpr double kEmbeddingLabel = 190;
constexpr double kStripGap = 26;
constexpr NameStyle kEmbeddingNames = {.font = 13, .columns = 16};
constexpr double kBarHeight = 17;

double NormOf(const std::vector<float>& row) {
  double sum = 0;
  for (const float x : row) sum += double{x} * x;
  return std::sqrt(sum);
}

double MeanNorm(const InputVectors& vectors) {
  double sum = 0;
  for (const std::vector<float>& row : vectors.rows) sum += NormOf(row);
  return vectors.rows.empty() ? 0
                              : sum / static_cast<double>(vectors.rows.size());
}

/// True if the last vectors equal the sum of the others.
bool IsPlainSum(const std::vector<InputVectors>& inputs) {
  constexpr double kSmallShare = 1e-3;
  const InputVectors& sum = inputs.back();
  double difference = 0;
  double size = 0;
  for (size_t s = 0; s < sum.rows.size(); ++s) {
    for (size_t m = 0; m < sum.rows[s].size(); ++m) {
      double expected = 0;
      for (size_t i = 0; i + 1 < inputs.size(); ++i) {
        expected += inputs[i].rows.at(s).at(m);
      }
      difference += std::abs(expected - sum.rows[s][m]);
      size += std::abs(expected);
    }
  }
  return difference <= kSmallShare * size;
}

/// Title of a strip, such as "= sum, normalised".
std::string StripTitle(const std::vector<InputVectors>& inputs, size_t i) {
  if (i + 1 < inputs.size()) return (i > 0 ? "+ " : "") + inputs[i].name;
  if (inputs.size() == 1) return inputs[i].name;
  return IsPlainSum(inputs) ? "= sum" : "= sum, normalised";
}

/// A prediction and its token; −1: none.
struct Prediction {
  int64_t item = -1;
  std::vector<Alternative> words;  // most probable first
};

std::vector<Prediction> PredictionsOf(const ExplanationSegment& segment) {
  std::vector<Prediction> all;
  for (const Target& target : segment.targets) {
    if (!target.probability) continue;
    Prediction one;
    const bool at_token = target.map &&
                          segment.maps[*target.map].query == "source" &&
                          target.axis == "target";
    if (at_token) one.item = target.row;
    one.words = {{segment.LabelOf(target), *target.probability}};
    one.words.insert(one.words.end(), target.alternatives.begin(),
                     target.alternatives.end());
    std::ranges::stable_sort(one.words, std::ranges::greater(),
                             &Alternative::probability);
    one.words.resize(std::min(one.words.size(), kShownWords));
    all.push_back(std::move(one));
  }
  return all;
}

// --- SVG ---

class EmbeddingWriter {
 public:
  explicit EmbeddingWriter(const ExplanationSegment& segment)
      : segment_(segment),
        tokens_(segment.axis(segment.inputs.front().axis).shown()) {
    if (tokens_.size() > kShownTokens) {
      all_tokens_ = tokens_.size();
      tokens_.resize(kShownTokens);
    }
  }

  Drawing Draw() {
    double y = LeaningHeight(WidestToken(tokens_, kEmbeddingNames)) + 14;
    Group(kEmbeddingLabel, y);
    AddColumnNames(tokens_, kEmbeddingCell, true, kEmbeddingNames, &svg_);
    svg_.Line("</g>");
    for (size_t i = 0; i < segment_.inputs.size(); ++i) {
      y = AddStrip(i, y) + kStripGap;
    }
    y = AddPredictions(y);
    const double width =
        kEmbeddingLabel + kEmbeddingCell * static_cast<double>(tokens_.size());
    std::vector<Drawing> parts = {DrawHeading(
        fmt::format("{}: {}", segment_.outline.name, TitleOf(segment_)), 2)};
    parts.push_back({width + 40, y, svg_.Take()});
    parts.push_back(DrawHeading(
        fmt::format("The first {} of {} features of each token{}; each strip "
                    "by its largest magnitude",
                    Features(0), segment_.inputs[0].rows.at(0).size(),
                    all_tokens_ > 0 ? fmt::format(", of {} tokens the first {}",
                                                  all_tokens_, tokens_.size())
                                    : ""),
        3));
    return StackDrawings(parts, 10);
  }

 private:
  void Group(double x, double y) {
    svg_.Line("<g transform='translate({:.1f} {:.1f})'>", x, y);
  }
  size_t Features(size_t i) const {
    return std::min(kShownFeatures, segment_.inputs[i].rows.at(0).size());
  }
  void AddText(double x, double y, std::string_view style, double font,
               std::string_view text, std::string_view anchor = "start") {
    svg_.Line(
        "<text class='{}' x='{:.1f}' y='{:.1f}' font-size='{}' "
        "text-anchor='{}'>{}</text>",
        style, x, y, font, anchor, EscapeMarkup(text));
  }

  /// Draws a strip; returns its lower end.
  double AddStrip(size_t i, double y) {
    const InputVectors& vectors = segment_.inputs[i];
    const size_t features = Features(i);
    float largest = 0;
    for (size_t s = 0; s < tokens_.size(); ++s) {
      for (size_t m = 0; m < features; ++m) {
        largest = std::max(largest, std::abs(vectors.rows.at(s)[m]));
      }
    }
    std::vector<float> cells;
    for (size_t m = 0; m < features; ++m) {
      for (size_t s = 0; s < tokens_.size(); ++s) {
        cells.push_back(largest > 0 ? vectors.rows[s][m] / largest : 0);
      }
    }
    const double height = kFeatureHeight * static_cast<double>(features);
    AddText(kEmbeddingLabel - 14, y + height / 2 - 2, "title", 14,
            StripTitle(segment_.inputs, i), "end");
    AddText(kEmbeddingLabel - 14, y + height / 2 + 14, "quiet", 11,
            fmt::format("mean length {:.2f}", MeanNorm(vectors)), "end");
    Group(kEmbeddingLabel, y);
    for (size_t s = 0; s < tokens_.size(); ++s) {
      svg_.Line("<rect class='field' x='{}' width='{}' height='{}' rx='2'/>",
                kEmbeddingCell * static_cast<double>(s) + 1, kEmbeddingCell - 2,
                height);
    }
    AddCells(cells, std::ssize(tokens_), kEmbeddingCell, kFeatureHeight, &svg_);
    svg_.Line("</g>");
    return y + height;
  }

  /// Draws predictions below their tokens, one below the other.
  double AddPredictions(double y) {
    constexpr double kBar = 200;
    const double top = y - kStripGap;
    for (const Prediction& prediction : PredictionsOf(segment_)) {
      const bool at_token =
          prediction.item >= 0 && prediction.item < std::ssize(tokens_);
      double x = kEmbeddingLabel;
      if (at_token) {
        x += kEmbeddingCell * (static_cast<double>(prediction.item) + 0.5);
        svg_.Line(
            "<path class='link' stroke-width='1.5' d='M{0:.1f} {1:.1f}V{2:.1f}m"
            "-4 -6l4 6l4 -6'/>",
            x, top + 4, y - 2);
      }
      double names = std::max(x - 90, kEmbeddingLabel);
      if (!at_token) names = kEmbeddingLabel;
      for (const Alternative& word : prediction.words) {
        AddText(names - 8, y + 13, "token", 13,
                Ellipsize(VisibleToken(word.label), 16), "end");
        svg_.Line(
            "<rect class='field' x='{0:.1f}' y='{1:.1f}' width='{2}' "
            "height='{4}' rx='2'/><rect class='cell' x='{0:.1f}' y='{1:.1f}' "
            "width='{3:.1f}' height='{4}' rx='2'/>",
            names, y + 2, kBar, kBar * word.probability, kBarHeight - 4);
        AddText(names + kBar + 8, y + 13, "token", 12,
                fmt::format("{:.3f}", word.probability));
        y += kBarHeight;
      }
      y += kStripGap;
    }
    return y;
  }

  const ExplanationSegment& segment_;
  std::vector<std::string> tokens_;
  size_t all_tokens_ = 0;
  MarkupWriter svg_;
};

// --- terminal ---

/// A sign for negative or positive values, in two strengths.
std::string EmbeddingShade(float value, float largest) {
  if (largest <= 0) return "·";
  const float share = std::abs(value) / largest;
  if (share < 0.15F) return "·";
  if (value < 0) return share < 0.5F ? "-" : "=";
  return share < 0.5F ? "+" : "#";
}

std::string EmbeddingText(const ExplanationSegment& segment,
                          const TerminalOptions& terminal) {
  constexpr int kName = 14;
  const std::vector<std::string>& tokens =
      segment.axis(segment.inputs.front().axis).shown();
  std::string out = terminal::Strong(terminal, TitleOf(segment)) + '\n';
  out += Pad("", kName);
  for (size_t i = 0; i < segment.inputs.size(); ++i) {
    out += "  " +
           terminal::Quiet(terminal, Pad(StripTitle(segment.inputs, i),
                                         static_cast<int>(kShownFeatures) + 7));
  }
  out += '\n';
  std::vector<float> largest;
  for (const InputVectors& vectors : segment.inputs) {
    float max = 0;
    for (const std::vector<float>& row : vectors.rows) {
      for (size_t m = 0; m < std::min(row.size(), kShownFeatures); ++m) {
        max = std::max(max, std::abs(row[m]));
      }
    }
    largest.push_back(max);
  }
  for (size_t s = 0; s < tokens.size(); ++s) {
    out += Pad(VisibleToken(tokens[s]), kName, Align::kRight);
    for (size_t i = 0; i < segment.inputs.size(); ++i) {
      const std::vector<float>& row = segment.inputs[i].rows.at(s);
      std::string shades;
      for (size_t m = 0; m < std::min(row.size(), kShownFeatures); ++m) {
        shades += EmbeddingShade(row[m], largest[i]);
      }
      out +=
          fmt::format("  {}{:>7.2f}", Pad(shades, kShownFeatures), NormOf(row));
    }
    out += '\n';
  }
  out += terminal::Quiet(
             terminal,
             fmt::format("# + above zero, = - below, · small: the first {} "
                         "features; behind them the length of the vector",
                         kShownFeatures)) +
         '\n';
  for (const Prediction& prediction : PredictionsOf(segment)) {
    const bool at_token =
        prediction.item >= 0 && prediction.item < std::ssize(tokens);
    out +=
        fmt::format("{} →", at_token ? VisibleToken(At(tokens, prediction.item))
                                     : std::string("answer"));
    for (const Alternative& word : prediction.words) {
      out +=
          fmt::format(" {} {:.3f}", VisibleToken(word.label), word.probability);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

Drawing DrawEmbedding(const ExplanationSegment& segment) {
  return EmbeddingWriter(segment).Draw();
}

ExplanationView EmbeddingView() {
  ExplanationView view;
  view.name = "embedding";
  view.description =
      "vectors of tokens, places and segments, their sum, and what is "
      "predicted";
  view.refusal = [](const ExplanationSegment& segment,
                    const ViewOptions&) -> std::string {
    if (segment.inputs.empty()) {
      return "only Transformers that read a text for labels or hidden words "
             "show what they begin with";
    }
    return segment.inputs[0].rows.empty() ? "there is no token" : "";
  };
  view.draw = [](const ExplanationSegment& segment,
                 const ViewOptions&) -> std::vector<Drawing> {
    return {DrawEmbedding(segment)};
  };
  view.text = [](const ExplanationSegment& segment, const ViewOptions&,
                 const TerminalOptions& terminal) {
    return EmbeddingText(segment, terminal);
  };
  view.of_inputs = true;
  view.on_page = true;
  view.legend = PictureLegend::kNone;
  return view;
}

}  // namespace heed
