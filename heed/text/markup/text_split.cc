#include "heed/text/markup/text_split.h"

#include <algorithm>
#include <utility>

#include "heed/text/markup/html_tokens.h"
#include "heed/text/markup/markdown_blocks.h"
#include "heed/text/markup/markdown_inlines.h"
#include "heed/text/markup/sentence_run.h"

namespace heed {

SplitOptions SplitOptionsOf(const Vocabulary& source, std::string language) {
  const auto knows = [&source](std::string_view emoji) {
    const std::vector<int32_t> ids = source.Encode(emoji);
    const bool own = std::ranges::none_of(ids, [&](int32_t id) {
      // Byte pieces can spell any character, also ones missing from training.
      return id == source.special().unk || source.Piece(id).starts_with("<0x");
    });
    return own && source.Decode(ids) == emoji;
  };
  return {.language = std::move(language), .knows = knows};
}

std::vector<Segment> SplitMarkup(std::string_view text, TextFormat format,
                                 const SplitOptions& options) {
  switch (format) {
    case TextFormat::kText:
      return SplitText(text, options);
    case TextFormat::kHtml:
      return SplitHtml(text, options);
    case TextFormat::kMarkdown:
      return SplitMarkdown(text, options);
  }
  return {};
}

std::vector<Segment> SplitText(std::string_view text,
                               const SplitOptions& options) {
  std::vector<Segment> segments;
  SentenceRun run(text, TextFormat::kText, options);
  run.AddLines(0, text.size(), segments);
  run.Flush(text.size(), segments);
  return segments;
}

namespace {

/// Adds the tokens of HTML. place(i) is the document position of byte i; end(i)
/// is the end of the byte before i. add_text(token) adds the text between tags.
template <typename Place, typename End, typename AddText>
void AddTokens(HtmlReader reader, const Place& place, const End& end,
               const AddText& add_text, SentenceRun& run,
               std::vector<Segment>& segments) {
  using enum HtmlToken::Kind;
  while (reader.more()) {
    const HtmlToken token = reader.Next();
    if (token.kind == kBorder) {
      run.Flush(end(token.end), segments);
    } else if (token.kind == kKept) {
      run.AddKept(place(token.begin), end(token.end));
    } else if (token.kind == kOpen) {
      run.AddOpen(token.name, place(token.begin), end(token.end));
    } else if (token.kind == kClose) {
      run.AddClose(token.name, place(token.begin), end(token.end));
    } else {
      add_text(token);
    }
  }
}

/// Adds bytes [begin, html.size()) of HTML.
void AddHtml(std::string_view html, size_t begin, SentenceRun& run,
             std::vector<Segment>& segments) {
  const auto place = [](size_t i) { return i; };
  const auto add_text = [&](const HtmlToken& token) {
    if (token.preformatted) {
      run.AddLines(token.begin, token.end, segments);
    } else {
      run.AddText(token.begin, token.end);
    }
  };
  AddTokens(HtmlReader(html, begin), place, place, add_text, run, segments);
  run.Flush(html.size(), segments);
}

/// Joined lines of a Markdown block with their positions in the document.
class BlockText {
 public:
  BlockText(std::string_view document, const MarkdownBlock& block)
      : lines_(block.lines) {
    for (const TextRange& line : lines_) {
      if (!text_.empty()) text_ += '\n';
      starts_.push_back(text_.size());
      text_ += document.substr(line.begin, line.end - line.begin);
    }
  }

  const std::string& text() const { return text_; }

  /// Document position of byte i of the text.
  size_t PlaceOf(size_t i) const {
    const auto behind = std::ranges::upper_bound(starts_, i);
    const auto line = static_cast<size_t>(behind - starts_.begin()) - 1;
    return lines_[line].begin + (i - starts_[line]);
  }

  /// Document position after the byte before i.
  size_t EndOf(size_t i) const { return PlaceOf(i - 1) + 1; }

 private:
  std::vector<TextRange> lines_;
  std::vector<size_t> starts_;  // starts of the lines in the text
  std::string text_;
};

/// True if the lines of a block are separated only by white space, without
/// quote marks.
bool IsWhole(std::string_view document, const MarkdownBlock& block) {
  for (size_t i = 1; i < block.lines.size(); ++i) {
    const size_t begin = block.lines[i - 1].end;
    const std::string_view between =
        document.substr(begin, block.lines[i].begin - begin);
    if (between.find_first_not_of(" \t\r\n") != between.npos) return false;
  }
  return true;
}

/// Adds a block of HTML whose lines begin with quote marks.
void AddQuotedHtml(const BlockText& block, SentenceRun& run,
                   std::vector<Segment>& segments) {
  const auto add_text = [&](const HtmlToken& token) {
    size_t begin = token.begin;
    while (begin < token.end) {
      const size_t end = std::min(block.text().find('\n', begin), token.end);
      if (end > begin) run.AddText(block.PlaceOf(begin), block.EndOf(end));
      if (end == token.end) return;
      begin = end + 1;
      if (token.preformatted || begin == block.text().size()) {
        run.Flush(block.PlaceOf(begin), segments);
      } else {
        run.AddBreak(block.PlaceOf(end), block.PlaceOf(begin));
      }
    }
  };
  AddTokens(
      HtmlReader(block.text()), [&](size_t i) { return block.PlaceOf(i); },
      [&](size_t i) { return block.EndOf(i); }, add_text, run, segments);
}

/// Size of an escaped mark at the start of a block, as in "\\# no heading"; 0:
/// none.
size_t EscapedMarkSize(std::string_view text) {
  constexpr std::string_view kMarks = "#>=~|";
  if (!text.starts_with('\\') || text.size() < 2) return 0;
  if (kMarks.find(text[1]) == kMarks.npos) return 0;
  const size_t end = text.find_first_not_of(text[1], 1);
  return end != text.npos && text[end] == ' ' ? end + 1 : 0;
}

void AddMarkdown(const BlockText& block, const LinkLabels& labels,
                 SentenceRun& run, std::vector<Segment>& segments) {
  using enum MarkdownMark::Kind;
  size_t done = EscapedMarkSize(block.text());
  if (done > 0) run.Flush(block.EndOf(done), segments);
  const auto add_text = [&](size_t end) {
    if (end > done) run.AddText(block.PlaceOf(done), block.EndOf(end));
  };
  for (const MarkdownMark& mark : FindMarkdownMarks(block.text(), labels)) {
    add_text(mark.begin);
    done = mark.end;
    const size_t begin = block.PlaceOf(mark.begin);
    // A line end extends to the text of the next line.
    const bool line_end = mark.kind == kBreak || mark.kind == kBorder;
    const size_t end = line_end && mark.end < block.text().size()
                           ? block.PlaceOf(mark.end)
                           : block.EndOf(mark.end);
    if (mark.kind == kOpen) {
      run.AddOpen(mark.name, begin, end);
    } else if (mark.kind == kClose) {
      run.AddClose(mark.name, begin, end, mark.written);
    } else if (mark.kind == kKept) {
      run.AddKept(begin, end);
    } else if (mark.kind == kBreak) {
      run.AddBreak(begin, end);
    } else {
      run.Flush(end, segments);
    }
  }
  add_text(block.text().size());
}

}  // namespace

std::vector<Segment> SplitHtml(std::string_view html,
                               const SplitOptions& options) {
  std::vector<Segment> segments;
  SentenceRun run(html, TextFormat::kHtml, options);
  AddHtml(html, 0, run, segments);
  return segments;
}

std::vector<Segment> SplitMarkdown(std::string_view markdown,
                                   const SplitOptions& options) {
  std::vector<Segment> segments;
  const LinkLabels labels = ReadLinkLabels(markdown);
  SentenceRun run(markdown, TextFormat::kMarkdown, options);
  for (const MarkdownBlock& block : ReadMarkdownBlocks(markdown)) {
    run.Flush(block.lines.front().begin, segments);
    if (block.html && !IsWhole(markdown, block)) {
      run.set_format(TextFormat::kHtml);
      AddQuotedHtml(BlockText(markdown, block), run, segments);
      run.Flush(block.lines.back().end, segments);
      run.set_format(TextFormat::kMarkdown);
      continue;
    }
    if (block.html) {
      run.set_format(TextFormat::kHtml);
      AddHtml(markdown.substr(0, block.lines.back().end),
              block.lines.front().begin, run, segments);
      run.set_format(TextFormat::kMarkdown);
      continue;
    }
    AddMarkdown(BlockText(markdown, block), labels, run, segments);
    run.Flush(block.lines.back().end, segments);
  }
  run.Flush(markdown.size(), segments);
  return segments;
}

std::string JoinSegments(std::span<const Segment> segments,
                         std::span<const std::string> written) {
  std::string text;
  size_t next = 0;
  for (const Segment& segment : segments) {
    text += segment.translate ? written[next++] : segment.text;
  }
  return text;
}

}  // namespace heed
