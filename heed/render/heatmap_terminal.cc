#include "heed/render/heatmap_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/text.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int kNarrowestHeatmap = 16;
constexpr int kWordColumns = 14;   // longest horizontal source word
constexpr int kLetterRows = 12;    // longest vertical source word
constexpr int kLetterColumns = 2;  // makes a square cell

std::vector<std::string> VisibleTokens(std::span<const std::string> tokens) {
  std::vector<std::string> visible;
  for (const std::string& token : tokens)
    visible.push_back(VisibleToken(token));
  return visible;
}

int LongestWidth(std::span<const std::string> tokens) {
  int longest = 1;
  for (const std::string& token : tokens) {
    longest = std::max(longest, DisplayWidth(token));
  }
  return longest;
}

class Heatmap {
 public:
  Heatmap(const AlignmentView& view, const TerminalOptions& options)
      : view_(view),
        terminal_(options),
        width_(std::max(options.width, kNarrowestHeatmap)),
        source_(VisibleTokens(view.source_tokens)),
        target_(VisibleTokens(view.target_tokens)),
        label_columns_(std::min(LongestWidth(target_), width_ / 3)) {
    ChooseColumns();
  }

  std::string Draw() const {
    std::string out;
    if (!view_.title.empty()) {
      const std::string title = Ellipsize(VisibleToken(view_.title), width_);
      out += terminal::Strong(terminal_, title) + "\n";
    }
    const auto sizes = static_cast<int64_t>(columns_.size());
    for (int64_t begin = 0; begin < sizes; begin += panel_size_) {
      const int64_t end = std::min(begin + panel_size_, sizes);
      if (begin > 0) out += "\n";
      const bool drawn = panel_size_ >= sizes || HasShades(begin, end);
      if (panel_size_ < sizes) {
        const std::string caption =
            fmt::format("columns {} to {} of {}{}", begin + 1, end, sizes,
                        drawn ? "" : ": no weight reaches 0.05");
        out += terminal::Quiet(terminal_, Ellipsize(caption, width_)) + "\n";
      }
      if (drawn) out += DrawPanel(begin, end);
    }
    return out + Legend();
  }

 private:
  int available() const { return width_ - label_columns_ - 1; }

  // Horizontal words if all fit side by side (single characters always do),
  // else vertical words in narrow columns.
  void ChooseColumns() {
    const int longest = LongestWidth(source_);
    columns_.assign(source_.size(), longest + 1);
    if (longest > 2) {
      for (size_t i = 0; i < source_.size(); ++i) {
        columns_[i] = std::min(DisplayWidth(source_[i]), kWordColumns) + 2;
      }
    }
    const int total = std::accumulate(columns_.begin(), columns_.end(), 0);
    letters_ = longest > 2 && total > available();
    if (letters_) columns_.assign(source_.size(), kLetterColumns);
    const auto count = static_cast<int64_t>(source_.size());
    panel_size_ = std::max<int64_t>(count, 1);
    if (total <= available() || count == 0) return;
    // Panels of equal size look better than full ones and a remainder.
    const int64_t fitting = std::max(available() / columns_[0], 1);
    const int64_t panels = (count + fitting - 1) / fitting;
    panel_size_ = (count + panels - 1) / panels;
  }

  /// True if any weight of these columns is visible.
  bool HasShades(int64_t begin, int64_t end) const {
    constexpr float kMinShade = 0.05f;
    for (int64_t t = 0; t < view_.target_size(); ++t) {
      for (int64_t s = begin; s < end; ++s) {
        if (view_.weight(t, s) >= kMinShade) return true;
      }
    }
    return false;
  }

  std::string DrawPanel(int64_t begin, int64_t end) const {
    std::string out =
        letters_ ? LetterHeader(begin, end) : WordHeader(begin, end);
    for (int64_t t = 0; t < view_.target_size(); ++t) {
      out += Pad(target_[t], label_columns_, Align::kRight) + " ";
      for (int64_t s = begin; s < end; ++s) {
        const float weight = view_.weight(t, s);
        out += TerminalCell(weight, columns_[s], terminal_.colour);
      }
      out += "\n";
    }
    return out;
  }

  std::string WordHeader(int64_t begin, int64_t end) const {
    std::string line(label_columns_ + 1, ' ');
    for (int64_t s = begin; s < end; ++s) {
      const bool character = columns_[s] <= 3;
      if (character) {
        line += Pad(source_[s], columns_[s]);
      } else {
        line += fmt::format(" {} ", Pad(source_[s], columns_[s] - 2));
      }
    }
    return line + "\n";
  }

  std::string LetterHeader(int64_t begin, int64_t end) const {
    std::vector<std::vector<std::string>> words;
    size_t rows = 0;
    for (int64_t s = begin; s < end; ++s) {
      words.push_back(DisplayCharacters(source_[s]));
      if (words.back().size() > kLetterRows) {
        words.back().resize(kLetterRows);
        words.back().back() = "⋮";
      }
      rows = std::max(rows, words.back().size());
    }
    std::string out;
    for (size_t row = 0; row < rows; ++row) {
      out += std::string(label_columns_ + 1, ' ');
      for (size_t i = 0; i < words.size(); ++i) {
        const size_t above = rows - words[i].size();
        const std::string letter =
            Pad(row < above ? "" : words[i][row - above], kLetterColumns);
        // Every second word is dimmed, to separate neighbours.
        out += i % 2 == 1 ? terminal::Quiet(terminal_, letter) : letter;
      }
      out += "\n";
    }
    return out;
  }

  std::string Legend() const {
    const std::string margin(label_columns_ + 1, ' ');
    return margin + terminal::Quiet(terminal_, "0 ") +
           TerminalScale(terminal_.colour) + terminal::Quiet(terminal_, " 1\n");
  }

  const AlignmentView& view_;
  const TerminalOptions terminal_;
  const int width_;
  const std::vector<std::string> source_;
  const std::vector<std::string> target_;
  const int label_columns_;
  std::vector<int> columns_;
  bool letters_ = false;
  int64_t panel_size_ = 1;
};

}  // namespace

std::string TerminalHeatmap(const AlignmentView& view,
                            const TerminalOptions& options) {
  CheckAlignment(view);
  return Heatmap(view, options).Draw();
}

}  // namespace heed
