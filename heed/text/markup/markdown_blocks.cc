#include "heed/text/markup/markdown_blocks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "heed/base/text.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/html_tokens.h"

namespace heed {
namespace {

constexpr size_t kMaxContainers = 64;
constexpr size_t kCodeIndent = 4;
constexpr size_t kTabStop = 4;

bool IsBlankLine(std::string_view text) {
  return text.find_first_not_of(" \t\r") == text.npos;
}

std::string_view Trimmed(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last + 1);
}

/// Size of the byte order mark at the start of a document; 0 if missing.
size_t ByteOrderMarkSize(std::string_view document) {
  constexpr std::string_view kMark = "\uFEFF";
  return document.starts_with(kMark) ? kMark.size() : 0;
}

/// Number of characters `c` at the start.
size_t RunOf(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

/// A block quote or an item of a list.
struct Container {
  bool quote = false;
  size_t indent = 0;  // columns of an item's content
};

/// A place in a line, with its column for tabs.
struct Place {
  size_t at = 0;
  size_t column = 0;
};

/// Size of "[label]:" at the start of a line; 0: none.
size_t DefinitionSize(std::string_view line) {
  constexpr size_t kLongestLabel = 1000;
  if (!line.starts_with('[')) return 0;
  for (size_t i = 1; i < std::min(line.size(), kLongestLabel); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '[') {
      return 0;
    } else if (line[i] == ']') {
      return i > 1 && line.substr(i + 1).starts_with(':') ? i + 2 : 0;
    }
  }
  return 0;
}

/// True if the text after "[label]:" is an address without a title.
bool IsOnlyAddress(std::string_view text) {
  text = TrimBlanks(Trimmed(text));
  return !text.empty() && (text.find_first_of(" \t") == text.npos ||
                           (text[0] == '<' && text.ends_with('>')));
}

/// True if a line is the title of a link definition: "'title'".
bool IsTitle(std::string_view line) {
  line = TrimBlanks(Trimmed(line));
  if (line.size() < 2) return false;
  const char closes = line[0] == '(' ? ')' : line[0];
  return (closes == '"' || closes == '\'' || closes == ')') &&
         line.ends_with(closes);
}

/// True if a line marks a quote as a GitHub alert: "[!NOTE]".
bool IsAlert(std::string_view line) {
  line = Trimmed(line);
  if (!line.starts_with("[!") || !line.ends_with(']')) return false;
  const std::string_view kind = line.substr(2, line.size() - 3);
  return !kind.empty() && std::ranges::all_of(kind, IsAsciiLetter);
}

bool IsRule(std::string_view line) {
  constexpr std::string_view kRules = "*-_";
  if (line.empty() || kRules.find(line[0]) == kRules.npos) return false;
  const std::string allowed = std::string(1, line[0]) + " \t\r";
  return line.find_first_not_of(allowed) == line.npos &&
         std::ranges::count(line, line[0]) >= 3;
}

/// Positions of the bars between the cells of a row.
std::vector<size_t> BarsOf(std::string_view row) {
  std::vector<size_t> bars;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\') {
      ++i;
    } else if (row[i] == '|') {
      bars.push_back(i);
    }
  }
  return bars;
}

/// Cells of a table row, as ranges of the row.
std::vector<TextRange> CellsOf(std::string_view row) {
  std::vector<TextRange> cells;
  size_t begin = 0;
  const auto add = [&](size_t end) {
    const bool outer = IsBlankLine(row.substr(begin, end - begin)) &&
                       (begin == 0 || end == row.size());
    if (!outer) cells.push_back({begin, end});
    begin = end + 1;
  };
  for (const size_t bar : BarsOf(row)) add(bar);
  if (begin <= row.size()) add(row.size());
  return cells;
}

/// True for a delimiter row: "| --- | :-: |"
bool IsDelimiterRow(std::string_view row) {
  if (row.find_first_not_of(" \t\r|:-") != row.npos) return false;
  if (row.find('|') == row.npos && row.find(':') == row.npos) return false;
  return row.find('-') != row.npos;
}

/// Size of a list mark "- " or "12. " with one following space, or up to the
/// end of a line without one; 0: no item.
size_t ItemMarkSize(std::string_view line, bool interrupts) {
  constexpr std::string_view kBullets = "-+*";
  constexpr size_t kMaxDigits = 9;
  size_t size = 0;
  if (!line.empty() && kBullets.find(line[0]) != kBullets.npos) {
    size = 1;
  } else {
    while (size < line.size() && IsAsciiDigit(line[size])) ++size;
    if (size == 0 || size > kMaxDigits || size == line.size() ||
        (line[size] != '.' && line[size] != ')')) {
      return 0;
    }
    if (interrupts && line.substr(0, size) != "1") return 0;
    ++size;
  }
  if (IsBlankLine(line.substr(size))) return interrupts ? 0 : size;
  return line[size] == ' ' || line[size] == '\t' ? size : 0;
}

class BlockReader {
 public:
  explicit BlockReader(std::string_view document) : document_(document) {}

  std::vector<MarkdownBlock> Read() {
    for (size_t begin = BlocksBegin(); begin < document_.size();) {
      const size_t end =
          std::min(document_.find('\n', begin), document_.size());
      ReadLine(begin, end);
      begin = end + 1;
    }
    CloseText();
    return std::move(blocks_);
  }

 private:
  enum class Leaf { kNone, kParagraph, kFence, kHtml, kTable };

  std::string_view Line() const {
    return document_.substr(place_.at, line_end_ - place_.at);
  }

  /// Start of the blocks: after a byte order mark and front matter. A ---
  /// followed by a blank line is a rule.
  size_t BlocksBegin() const {
    const size_t start = ByteOrderMarkSize(document_);
    const size_t first = std::min(document_.find('\n'), document_.size());
    for (const std::string_view mark : {"---", "+++"}) {
      const auto opening = Trimmed(document_.substr(start, first - start));
      if (TrimBlanks(opening) != mark) continue;
      for (size_t begin = first + 1; begin < document_.size();) {
        const size_t end =
            std::min(document_.find('\n', begin), document_.size());
        const std::string_view line =
            Trimmed(document_.substr(begin, end - begin));
        if (mark == "---" && line.empty() && begin == first + 1) return start;
        if (line == mark || (mark == "---" && line == "...")) return end + 1;
        begin = end + 1;
      }
    }
    return start;
  }

  /// Columns of white space at the current place, and the place after it.
  std::pair<size_t, Place> Indent() const {
    Place behind = place_;
    while (behind.at < line_end_) {
      if (document_[behind.at] == ' ') {
        ++behind.column;
      } else if (document_[behind.at] == '\t') {
        behind.column += kTabStop - behind.column % kTabStop;
      } else {
        break;
      }
      ++behind.at;
    }
    return {behind.column - place_.column, behind};
  }

  /// Skips `columns` columns of white space; a tab may be skipped in part.
  void PassColumns(size_t columns) {
    const size_t to = place_.column + columns;
    while (place_.column < to && place_.at < line_end_) {
      const size_t width = document_[place_.at] == '\t'
                               ? kTabStop - place_.column % kTabStop
                               : 1;
      if (place_.column + width > to) break;
      place_.column += width;
      ++place_.at;
    }
    place_.column = to;
  }

  void PassQuoteMark(Place mark) {
    place_ = {mark.at + 1, mark.column + 1};
    if (place_.at < line_end_ && document_[place_.at] == ' ') PassColumns(1);
  }

  /// Number of open containers that the line continues by its marks and
  /// indentation.
  size_t MatchContainers() {
    size_t matched = 0;
    for (const Container& container : containers_) {
      const auto [indent, behind] = Indent();
      if (container.quote) {
        if (indent >= kCodeIndent || behind.at >= line_end_ ||
            document_[behind.at] != '>') {
          break;
        }
        PassQuoteMark(behind);
      } else if (indent >= container.indent) {
        PassColumns(container.indent);
      } else if (!IsBlankLine(Line())) {
        break;
      }
      ++matched;
    }
    return matched;
  }

  void ReadLine(size_t begin, size_t end) {
    place_ = {begin, 0};
    line_end_ = end;
    matched_ = MatchContainers();
    const bool inside = matched_ == containers_.size();
    if (inside && leaf_ == Leaf::kFence) {
      if (ClosesFence()) leaf_ = Leaf::kNone;
      return;
    }
    if (inside && leaf_ == Leaf::kHtml) return ReadHtmlLine();
    if (leaf_ == Leaf::kFence || leaf_ == Leaf::kHtml) CloseText();
    while (!ReadBlockStart()) {
    }
  }

  /// Ends the open block and leaves the containers that the line does not
  /// continue.
  void CloseContainers() {
    CloseText();
    containers_.resize(std::min(matched_, containers_.size()));
  }

  void Open(Container container) {
    CloseContainers();
    containers_.push_back(container);
    ++matched_;
  }

  /// Reads one container mark, or the rest of the line. Returns true if the
  /// line is finished.
  bool ReadBlockStart() {
    const auto [indent, behind] = Indent();
    if (std::exchange(title_may_follow_, false) &&
        matched_ == containers_.size() && IsTitle(Line())) {
      return true;
    }
    if (behind.at >= line_end_ || IsBlankLine(Line())) {
      if (leaf_ != Leaf::kNone) CloseText();
      containers_.resize(std::min(matched_, containers_.size()));
      return true;
    }
    const bool paragraph = leaf_ == Leaf::kParagraph;
    const bool inside = matched_ == containers_.size();
    if (indent >= kCodeIndent) {
      if (paragraph) return AddParagraphLine(behind);
      CloseContainers();  // indented code
      return true;
    }
    const Place start = std::exchange(place_, behind);
    const std::string_view line = Line();
    const bool room = containers_.size() < kMaxContainers;
    if (line[0] == '>' && room) {
      Open({.quote = true});
      PassQuoteMark(behind);
      return false;
    }
    if (ReadHeading(line) || OpensFence(line)) return true;
    if (paragraph && inside && IsUnderline(line)) {
      CloseText();
      return true;
    }
    if (IsRule(line)) {
      CloseContainers();
      return true;
    }
    if (const size_t mark = ItemMarkSize(line, paragraph && inside);
        mark > 0 && room) {
      OpenItem(indent, mark);
      return false;
    }
    if (OpensHtml(line, paragraph)) return true;
    if (paragraph && inside && OpensTable(line)) return true;
    if (leaf_ == Leaf::kTable && inside) {
      AddRow({place_.at, line_end_});
      return true;
    }
    if (!paragraph && (PassDefinition(line) || PassAlert(line))) return true;
    place_ = start;
    return AddParagraphLine(behind);
  }

  bool AddParagraphLine(Place place) {
    // A paragraph continues without the marks of its containers.
    if (leaf_ != Leaf::kParagraph) {
      CloseContainers();
      leaf_ = Leaf::kParagraph;
    }
    text_.lines.push_back({place.at, line_end_});
    return true;
  }

  bool ReadHeading(std::string_view line) {
    constexpr size_t kLevels = 6;
    const size_t level = RunOf(line, '#');
    if (level == 0 || level > kLevels) return false;
    if (level < line.size() && line[level] != ' ' && line[level] != '\t' &&
        line[level] != '\r') {
      return false;
    }
    CloseContainers();
    std::string_view text = Trimmed(line.substr(level));
    const size_t last = text.find_last_not_of('#');
    if (last == text.npos) return true;
    if (text[last] == ' ' || text[last] == '\t') {
      text = Trimmed(text.substr(0, last));
    }
    const size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return true;
    const size_t begin = place_.at + level;
    blocks_.push_back({.lines = {{begin + first, begin + text.size()}}});
    return true;
  }

  /// Opens a fence: ``` or ~~~ for code, $$ for formulas.
  bool OpensFence(std::string_view line) {
    const char c = line[0];
    const size_t size = RunOf(line, c);
    if (c == '$') {
      if (size != 2 || !IsBlankLine(line.substr(size))) return false;
    } else if ((c != '`' && c != '~') || size < 3 ||
               (c == '`' && line.find('`', size) != line.npos)) {
      return false;
    }
    CloseContainers();
    leaf_ = Leaf::kFence;
    fence_ = line.substr(0, size);
    return true;
  }

  bool ClosesFence() {
    const auto [indent, behind] = Indent();
    const std::string_view line =
        document_.substr(behind.at, line_end_ - behind.at);
    return indent < kCodeIndent && line.starts_with(fence_) &&
           IsBlankLine(line.substr(RunOf(line, fence_[0])));
  }

  static bool IsUnderline(std::string_view line) {
    const std::string_view text = Trimmed(line);
    return (text[0] == '=' || text[0] == '-') &&
           RunOf(text, text[0]) == text.size();
  }

  void OpenItem(size_t indent, size_t mark) {
    Open({.indent = indent + mark + 1});
    place_ = {place_.at + mark, place_.column + mark};
    const auto [spaces, behind] = Indent();
    const bool code = spaces > kCodeIndent || behind.at >= line_end_;
    if (!code) {
      containers_.back().indent = indent + mark + spaces;
      place_ = behind;
    } else if (spaces > 0) {
      PassColumns(1);
    }
    const std::string_view rest = Line();
    const bool task = rest.size() > 3 && rest[0] == '[' && rest[2] == ']' &&
                      (rest[3] == ' ' || rest[3] == '\t');
    constexpr std::string_view kStates = " xX";
    if (task && kStates.find(rest[1]) != kStates.npos) {
      place_ = {place_.at + 4, place_.column + 4};
    }
  }

  /// End text of the HTML block that begins here; "": a blank line ends it.
  std::optional<std::string> HtmlEndOf(std::string_view line,
                                       bool interrupts) const {
    if (line[0] != '<' || line.size() < 2) return std::nullopt;
    const std::string lower = Lowercase(line.substr(0, 16));
    for (const std::string_view name : {"script", "pre", "style", "textarea"}) {
      if (lower.starts_with("<" + std::string(name))) {
        return "</" + std::string(name) + ">";
      }
    }
    if (lower.starts_with("<!--")) return "-->";
    if (lower.starts_with("<?")) return "?>";
    if (lower.starts_with("<![cdata[")) return "]]>";
    if (lower.starts_with("<!")) return ">";
    if (IsBlockTag(line)) return "";
    // Any other tag that is alone in its line.
    const std::string_view text = Trimmed(line);
    const bool tag = IsAsciiLetter(text[1]) || text[1] == '/';
    const bool alone = tag && text.ends_with('>') &&
                       text.find('>') + 1 == text.size() &&
                       text.find(':') == text.npos;
    if (alone && !interrupts) return "";
    return std::nullopt;
  }

  bool OpensHtml(std::string_view line, bool interrupts) {
    const auto end = HtmlEndOf(line, interrupts);
    if (!end) return false;
    CloseContainers();
    leaf_ = Leaf::kHtml;
    text_.html = true;
    html_end_ = *end;
    ReadHtmlLine();
    return true;
  }

  void ReadHtmlLine() {
    const std::string_view line = Line();
    const bool blank = IsBlankLine(line);
    if (html_end_.empty() && blank) return CloseText();
    text_.lines.push_back({place_.at, line_end_});
    if (!html_end_.empty() && Lowercase(line).find(html_end_) != line.npos) {
      CloseText();
    }
  }

  /// Turns the last line of the paragraph into the header of a table.
  bool OpensTable(std::string_view line) {
    if (!IsDelimiterRow(line)) return false;
    const TextRange header = text_.lines.back();
    const auto cells =
        CellsOf(document_.substr(header.begin, header.end - header.begin));
    if (cells.size() != CellsOf(Trimmed(line)).size()) return false;
    text_.lines.pop_back();
    CloseText();
    AddRow(header);
    leaf_ = Leaf::kTable;
    return true;
  }

  void AddRow(TextRange row) {
    const std::string_view text =
        Trimmed(document_.substr(row.begin, row.end - row.begin));
    for (const TextRange& cell : CellsOf(text)) {
      blocks_.push_back(
          {.lines = {{row.begin + cell.begin, row.begin + cell.end}}});
    }
  }

  /// Keeps "[label]: address"; the text after "[^note]:" is translated.
  bool PassDefinition(std::string_view line) {
    const size_t size = DefinitionSize(line);
    if (size == 0) return false;
    if (line[1] != '^') {
      CloseContainers();
      title_may_follow_ = IsOnlyAddress(line.substr(size));
      return true;
    }
    place_ = {place_.at + size, place_.column + size};
    const Place behind = Indent().second;
    if (behind.at < line_end_) AddParagraphLine(behind);
    return true;
  }

  /// Keeps the first line of a quote if it is an alert mark.
  bool PassAlert(std::string_view line) {
    const bool quote = matched_ > 0 && containers_[matched_ - 1].quote;
    if (!quote || !IsAlert(line)) return false;
    CloseContainers();
    return true;
  }

  void CloseText() {
    leaf_ = Leaf::kNone;
    if (!text_.lines.empty()) blocks_.push_back(std::move(text_));
    text_ = {};
  }

  std::string_view document_;
  std::vector<MarkdownBlock> blocks_;
  std::vector<Container> containers_;
  size_t matched_ = 0;  // containers continued by the line
  Leaf leaf_ = Leaf::kNone;
  MarkdownBlock text_;  // the open paragraph or block of HTML
  std::string_view fence_;
  std::string html_end_;
  Place place_;  // in the line
  size_t line_end_ = 0;
  bool title_may_follow_ = false;  // after a link definition
};

}  // namespace

std::vector<MarkdownBlock> ReadMarkdownBlocks(std::string_view document) {
  return BlockReader(document).Read();
}

std::string LinkLabel(std::string_view label) {
  std::string folded;
  for (const std::string_view word : SplitUnicodeWhitespace(label)) {
    if (!folded.empty()) folded += ' ';
    folded += word;
  }
  return Lowercase(folded);
}

bool LooksLikeMarkdown(std::string_view document) {
  constexpr size_t kDeepestHeading = 6;
  document.remove_prefix(ByteOrderMarkSize(document));
  for (const std::string_view line : SplitAt(document, "\n")) {
    if (line.starts_with("> ")) return true;
    const size_t marks = line.find_first_not_of('#');
    if (marks != line.npos && marks > 0 && marks <= kDeepestHeading &&
        line[marks] == ' ') {
      return true;
    }
  }
  return false;
}

LinkLabels ReadLinkLabels(std::string_view document) {
  LinkLabels labels;
  document.remove_prefix(ByteOrderMarkSize(document));
  for (std::string_view line : SplitAt(document, "\n")) {
    const size_t begin = line.find_first_not_of(" >");
    if (begin == line.npos) continue;
    line.remove_prefix(begin);
    const size_t size = DefinitionSize(line);
    if (size > 0) labels.insert(LinkLabel(line.substr(1, size - 3)));
  }
  return labels;
}

}  // namespace heed
