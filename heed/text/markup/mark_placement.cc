#include "heed/text/markup/mark_placement.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/text/markup/text_escapes.h"
#include "heed/text/markup/word_links.h"

namespace heed {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

/// A node of the output tree: an element, or a single mark.
struct Node {
  size_t open = kNone;  // indices of marks; for a single mark, its index
  size_t close = kNone;
  bool element = false;
  bool to_begin = false;  // opened in an earlier sentence
  bool to_end = false;    // closed in a later sentence
  size_t at = 0;          // for a single mark: the next source word
  TextRange source = {};  // words
  TextRange target = {};  // words
  std::vector<size_t> children = {};
};

/// Tags that split the words of a translation: the source's tags if the text is
/// unchanged, else none.
std::span<const Mark> CutsOf(const Segment& segment, std::string_view text) {
  const bool same =
      text.size() == segment.text.size() && IsSameWord(text, segment.text);
  return same ? std::span<const Mark>(segment.marks) : std::span<const Mark>();
}

class Placement {
 public:
  Placement(const Segment& segment, const AlignedText& translation)
      : segment_(segment),
        text_(translation.text),
        format_(segment.format),
        escaped_(EscapesOf(text_, segment.text, segment.format)),
        source_(UnitsOf(segment.text, segment.marks)),
        target_(UnitsOf(text_, CutsOf(segment, text_))) {
    links_ = LinkWords(translation, segment.text, source_, target_);
  }

  std::string Write() {
    MakeTree();
    // Parents come before their children.
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n].children.empty()) PlaceChildren(nodes_[n]);
    }
    Emit();
    return std::move(out_);
  }

 private:
  /// The first source word that begins at or after `at`.
  size_t WordAt(size_t at) const {
    return static_cast<size_t>(
        std::ranges::partition_point(
            source_, [&](const Unit& unit) { return unit.range.begin < at; }) -
        source_.begin());
  }

  // Builds the tree; the root is node 0. Elements opened before the sentence
  // are opened at its start, the last one to close first.
  void MakeTree() {
    const std::vector<Mark>& marks = segment_.marks;
    Node& root = nodes_.emplace_back();
    root.element = true;
    root.source = {0, source_.size()};
    root.target = {0, target_.size()};
    std::vector<size_t> open = {0};
    const auto add = [&](Node node) {
      nodes_[open.back()].children.push_back(nodes_.size());
      nodes_.push_back(std::move(node));
    };
    for (size_t m = marks.size(); m-- > 0;) {
      if (marks[m].kind != Mark::Kind::kClose ||
          marks[m].partner != Mark::kNoPartner) {
        continue;
      }
      add({.close = m,
           .element = true,
           .to_begin = true,
           .source = {0, WordAt(marks[m].at)}});
      open.push_back(nodes_.size() - 1);
    }
    for (size_t m = 0; m < marks.size(); ++m) {
      const Mark& mark = marks[m];
      const size_t word = WordAt(mark.at);
      if (mark.kind == Mark::Kind::kOpen) {
        const bool whole = mark.partner != Mark::kNoPartner;
        add({.open = m,
             .close = whole ? mark.partner : kNone,
             .element = true,
             .to_end = !whole,
             .source = {word, whole ? WordAt(marks[mark.partner].at)
                                    : source_.size()}});
        open.push_back(nodes_.size() - 1);
      } else if (mark.kind == Mark::Kind::kClose) {
        open.pop_back();
      } else {
        add({.open = m, .at = word});
      }
    }
  }

  void PlaceChildren(const Node& parent) {
    TextRange room = parent.target;
    std::vector<size_t> between;
    for (const size_t child : parent.children) {
      Node& node = nodes_[child];
      if (!node.element) continue;
      const bool all = node.source == parent.source &&
                       parent.source.begin < parent.source.end;
      if (all && room == parent.target) {
        node.target = room;
      } else if (node.to_begin) {
        node.target = {room.begin, Border(node.source.end, room)};
        room.begin = node.target.end;
      } else if (node.to_end) {
        node.target = {Border(node.source.begin, room), room.end};
        room.end = node.target.begin;
      } else {
        between.push_back(child);
      }
    }
    PlaceElements(parent, between, room);
    for (const size_t child : parent.children) {
      Node& node = nodes_[child];
      if (!node.element) {
        const size_t gap = GapOf(segment_.marks[node.open], node.at, parent);
        node.target = {gap, gap};
      }
    }
  }

  /// Target position that separates the words before and after source word
  /// `border` with the most attention on the correct sides.
  size_t Border(size_t border, TextRange room) const {
    float sum = 0;
    float best_sum = 0;
    size_t best = room.begin;
    for (size_t t = room.begin; t < room.end; ++t) {
      sum += links_.source[t] < border ? links_.confidence[t]
                                       : -links_.confidence[t];
      if (sum > best_sum) {
        best_sum = sum;
        best = t + 1;
      }
    }
    return best;
  }

  void PlaceElements(const Node& parent, std::span<const size_t> elements,
                     TextRange room) {
    if (elements.empty()) return;
    // The child element that contains each source word of the parent.
    std::vector<size_t> owner(parent.source.end - parent.source.begin, kNone);
    for (const size_t element : elements) {
      const TextRange own = nodes_[element].source;
      for (size_t s = own.begin; s < own.end; ++s) {
        owner[s - parent.source.begin] = element;
      }
    }
    std::vector<float> best(elements.size(), 0.0F);
    const auto index = [&](size_t element) {
      return static_cast<size_t>(std::ranges::lower_bound(elements, element) -
                                 elements.begin());
    };
    std::vector<bool> taken(room.end - room.begin, false);
    size_t current = kNone;
    size_t begin = 0;
    float sum = 0;
    for (size_t t = room.begin; t < room.end; ++t) {
      const size_t s = links_.source[t];
      const bool inside = s >= parent.source.begin && s < parent.source.end;
      const size_t own = inside ? owner[s - parent.source.begin] : kNone;
      if (own == kNone) {
        sum -= links_.confidence[t];
        continue;
      }
      if (own != current || sum <= 0) {
        current = own;
        begin = t;
        sum = 0;
      }
      sum += links_.confidence[t];
      float& max = best[index(own)];
      if (sum > max) {
        max = sum;
        nodes_[own].target = {begin, t + 1};
      }
    }
    for (size_t e = 0; e < elements.size(); ++e) {
      if (best[e] > 0) Take(nodes_[elements[e]].target, room, taken);
    }
    for (size_t e = 0; e < elements.size(); ++e) {
      if (best[e] <= 0) PlaceAlone(nodes_[elements[e]], parent, room, taken);
    }
  }

  static void Take(TextRange range, TextRange room, std::vector<bool>& taken) {
    for (size_t t = range.begin; t < range.end; ++t) {
      taken[t - room.begin] = true;
    }
  }

  /// Places an element without aligned target words: on the free target word
  /// with the highest attention to its words, or on no word.
  void PlaceAlone(Node& node, const Node& parent, TextRange room,
                  std::vector<bool>& taken) const {
    size_t found = kNone;
    float max = -1;
    for (size_t s = node.source.begin; s < node.source.end; ++s) {
      const size_t t = links_.target[s];
      const bool free =
          t >= room.begin && t < room.end && !taken[t - room.begin];
      if (free && source_[s].word && links_.weight[s] > max) {
        max = links_.weight[s];
        found = t;
      }
    }
    if (found != kNone) {
      node.target = {found, found + 1};
      Take(node.target, room, taken);
      return;
    }
    const Mark& mark = segment_.marks[node.open];
    size_t gap = GapOf(mark, node.source.begin, parent);
    gap = std::clamp(gap, room.begin, room.end);
    node.target = {gap, gap};
  }

  /// The nearest source word around `word` with an aligned target word,
  /// searched first to the left or to the right; if there is none, the nearest
  /// word.
  size_t LinkedNeighbour(size_t word, TextRange source, bool left) const {
    const size_t reach = std::max(word - source.begin, source.end - word);
    for (size_t distance = 0; distance < reach; ++distance) {
      for (const bool side : {left, !left}) {
        const bool there = side ? word - source.begin > distance
                                : source.end - word > distance;
        if (!there) continue;
        const size_t found = side ? word - 1 - distance : word + distance;
        if (links_.own[found] != kUnlinked) return found;
      }
    }
    return left ? word - 1 : word;
  }

  /// Target position for a mark before source word `word`: next to the words
  /// aligned to one of its neighbours.
  size_t GapOf(const Mark& mark, size_t word, const Node& parent) const {
    const TextRange room = parent.target;
    const bool has_left = word > parent.source.begin;
    const bool has_right = word < parent.source.end;
    if (!has_left && !has_right) return room.begin;
    if (!has_right && word == source_.size()) return room.end;
    bool left = has_left;
    if (has_left && has_right) {
      const size_t before = word - 1;
      if (source_[before].word != source_[word].word) {
        left = source_[before].word;
      } else if (mark.joins_left != mark.joins_right) {
        left = mark.joins_left;
      } else {
        left = links_.weight[before] >= links_.weight[word];
      }
    }
    const size_t neighbour = LinkedNeighbour(word, parent.source, left);
    size_t t = links_.own[neighbour];
    if (t == kUnlinked) t = links_.target[neighbour];
    if (t == kUnlinked) return room.begin;
    const auto same = [&](size_t other) {
      return links_.source[other] == neighbour;
    };
    if (neighbour < word) {
      while (t + 1 < target_.size() && same(t + 1)) ++t;
      ++t;
    } else {
      while (t > 0 && same(t - 1)) --t;
    }
    return std::clamp(t, room.begin, room.end);
  }

  // ---------------------------------------------------------------------
  // output

  void Emit() {
    struct Frame {
      size_t node;
      size_t next;
      size_t end;
    };
    for (Node& node : nodes_) {
      std::ranges::stable_sort(node.children, {}, [&](size_t child) {
        return nodes_[child].target.begin;
      });
    }
    std::vector<Frame> frames = {{0, 0, target_.size()}};
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const Node& node = nodes_[frame.node];
      if (frame.next == node.children.size()) {
        EmitWords(frame.end);
        if (node.close != kNone) {
          const Mark& mark = segment_.marks[node.close];
          const bool space_inside = !mark.joins_left && mark.joins_right;
          if (space_inside && word_ < target_.size()) EmitSpace();
          AddTag(mark.raw);
        }
        frames.pop_back();
        continue;
      }
      const size_t child = node.children[frame.next++];
      const Node& inner = nodes_[child];
      const size_t begin = std::clamp(inner.target.begin, word_, frame.end);
      const size_t end = std::clamp(inner.target.end, begin, frame.end);
      EmitWords(begin);
      if (!inner.element) {
        EmitMark(inner.open);
        continue;
      }
      if (inner.open != kNone) {
        const Mark& mark = segment_.marks[inner.open];
        const bool space_inside = mark.joins_left && !mark.joins_right;
        if (end > begin && !space_inside) EmitSpace();
        const size_t leading = LeadingMark(inner);
        if (!mark.joins_left && leading != kNone && last_ != ' ' &&
            SpaceInFrontOf(leading)) {
          EmitOneSpace();
        }
        AddTag(mark.raw);
      } else if (end > begin) {
        EmitSpace();
      }
      frames.push_back({child, 0, end});
    }
    EmitRest();
  }

  /// Index of the kept mark at the start of an element; kNone: it starts with a
  /// word.
  size_t LeadingMark(const Node& node) const {
    const Node* inner = &node;
    while (!inner->children.empty()) {
      const Node& first = nodes_[inner->children.front()];
      if (first.target.begin > node.target.begin) break;
      if (!first.element) {
        const bool kept = segment_.marks[first.open].kind == Mark::Kind::kKept;
        return kept ? first.open : kNone;
      }
      inner = &first;
    }
    return kNone;
  }

  /// Writes a tag. A preceding backslash must not escape it.
  void AddTag(std::string_view raw) {
    const size_t end = out_.find_last_not_of('\\') + 1;  // npos + 1 is 0
    const bool odd = (out_.size() - end) % 2 == 1;
    if (format_ == TextFormat::kMarkdown && written_ == Written::kText &&
        !raw.empty()) {
      if (odd) {
        out_ += '\\';
      } else if (IsDelimiter(raw[0]) && out_.back() == raw[0]) {
        const size_t before = out_.find_last_not_of('\\', out_.size() - 2);
        const size_t slashes = out_.size() - 2 - before;
        if (slashes % 2 == 0) out_.insert(out_.size() - 1, 1, '\\');
      }
    }
    out_ += raw;
    written_ = Written::kTag;
  }

  static bool IsDelimiter(char c) { return c == '*' || c == '_' || c == '~'; }

  std::string_view SpaceBefore(size_t word) const {
    const size_t begin = word > 0 ? target_[word - 1].range.end : 0;
    const size_t end =
        word < target_.size() ? target_[word].range.begin : text_.size();
    return text_.substr(begin, end - begin);
  }

  /// Writes a part of the translation.
  void EmitText(std::string_view text) {
    if (text.empty()) return;
    const auto begin = static_cast<size_t>(text.data() - text_.data());
    if (format_ == TextFormat::kMarkdown && written_ == Written::kTag &&
        IsDelimiter(text[0]) && out_.back() == text[0] && !escaped_[begin]) {
      out_ += '\\';
    }
    written_ = Written::kText;
    AppendEscaped(text_, begin, begin + text.size(), format_, escaped_, out_);
    last_ = text.back();
  }

  /// Writes a space, or the pending line break instead.
  void EmitOneSpace() {
    out_ += line_break_.empty() ? " " : std::exchange(line_break_, {});
    last_ = ' ';
    written_ = Written::kOther;
  }

  /// Writes the space before the next word, with the marks there.
  void EmitSpace() {
    if (!line_break_.empty()) EscapeBlockMark(word_);
    if (!std::exchange(spaced_, true)) {
      const std::string_view space = SpaceBefore(word_);
      if (line_break_.empty() || space.empty()) {
        EmitText(space);
      } else {
        EmitOneSpace();
      }
    }
    if (pending_ == kNone) return;
    if (SpaceBehind(segment_.marks[pending_])) EmitOneSpace();
    pending_ = kNone;
  }

  /// Escapes a word at the start of a line that Markdown would read as a block
  /// mark.
  void EscapeBlockMark(size_t word) {
    if (format_ != TextFormat::kMarkdown || word >= target_.size()) return;
    const size_t begin = target_[word].range.begin;
    const size_t size = BlockMarkSize(text_.substr(begin));
    if (size == 0) return;
    const size_t behind = begin + size;
    const bool alone = behind == text_.size() || text_[behind] == ' ' ||
                       text_[begin] == '>' || text_[begin] == '=';
    if (alone) escaped_[behind - 1] = true;
  }

  void EmitWords(size_t end) {
    while (word_ < end) {
      EmitSpace();
      EmitText(TextOf(text_, target_[word_]));
      last_word_ = target_[word_].word;
      ++word_;
      spaced_ = false;
    }
  }

  void EmitRest() { EmitSpace(); }

  // Writes a kept mark with the spaces of the source, and with spaces where two
  // words would otherwise be joined.
  void EmitMark(size_t index) {
    const Mark& mark = segment_.marks[index];
    if (mark.kind == Mark::Kind::kBreak) {
      // The line break replaces the next space.
      if (!out_.empty()) line_break_ = mark.raw;
      return;
    }
    if (mark.kind == Mark::Kind::kStray) return AddTag(mark.raw);
    own_space_ = pending_ == kNone ? !spaced_ && !SpaceBefore(word_).empty()
                                   : own_space_;
    space_before_ = SpaceInFrontOf(index);
    if (space_before_ && last_ != ' ') EmitOneSpace();
    out_ += mark.raw;
    written_ = Written::kOther;
    last_ = 'x';
    last_word_ = false;
    spaced_ = true;
    pending_ = index;
  }

  bool SpaceInFrontOf(size_t index) const {
    const Mark& mark = segment_.marks[index];
    if (last_ == '\0') return false;
    if (pending_ != kNone) return pending_ + 1 != index || !mark.joins_left;
    if (last_ == ' ') return false;
    const size_t word = WordAt(mark.at);
    if (word > 0 && word_ > 0 && IsSame(word - 1, word_ - 1)) {
      return !mark.joins_left;
    }
    return !(mark.joins_left && JoinsLeft(mark)) && !Opens(last_);
  }

  /// True if a space follows the mark that was written last.
  bool SpaceBehind(const Mark& mark) const {
    if (word_ >= target_.size()) return false;
    const size_t word = WordAt(mark.at);
    if (word < source_.size() && IsSame(word, word_)) return !mark.joins_right;
    const bool may_join = !own_space_ || space_before_ || mark.joins_left;
    if (mark.joins_right && JoinsRight(mark) && may_join) return false;
    const bool grows = !mark.joins_right && IsAddress(mark.raw);
    return own_space_ || target_[word_].word || grows;
  }

  bool IsSame(size_t source_word, size_t target_word) const {
    return IsSameWord(TextOf(segment_.text, source_[source_word]),
                      TextOf(text_, target_[target_word]));
  }

  /// True if a following full stop could be read as part of the address.
  static bool IsAddress(std::string_view raw) {
    const bool name =
        raw.ends_with('/') || u_isalnum(static_cast<unsigned char>(raw.back()));
    return name && raw.find('.') != raw.npos;
  }

  static bool Opens(char c) { return c == '(' || c == '[' || c == '{'; }

  /// True if the mark follows the same kind of word as in the source.
  bool JoinsLeft(const Mark& mark) const {
    const size_t word = WordAt(mark.at);
    return word > 0 && word_ > 0 && source_[word - 1].word == last_word_;
  }
  bool JoinsRight(const Mark& mark) const {
    const size_t word = WordAt(mark.at);
    return word < source_.size() && source_[word].word == target_[word_].word;
  }

  const Segment& segment_;
  std::string_view text_;
  TextFormat format_;
  std::vector<bool> escaped_;  // bytes of text_ that need a backslash
  std::vector<Unit> source_;
  std::vector<Unit> target_;
  WordLinks links_;
  std::vector<Node> nodes_;

  std::string out_;
  size_t word_ = 0;      // next word to write
  bool spaced_ = false;  // the space before it has been written
  /// Kind of the last output; kOther: a space or a kept mark.
  enum class Written : uint8_t { kOther, kText, kTag };
  Written written_ = Written::kOther;
  std::string_view line_break_;  // pending; replaces the next space
  char last_ = '\0';             // last byte of the output
  bool last_word_ = false;       // the output ends with a word
  // Last mark written since the last word; space in the translation at its
  // position; space written before it.
  size_t pending_ = kNone;
  bool own_space_ = false;
  bool space_before_ = false;
};

}  // namespace

std::string WriteSentence(const Segment& segment,
                          const AlignedText& translation) {
  if (segment.marks.empty()) {
    return EscapeText(translation.text, segment.text, segment.format);
  }
  return Placement(segment, translation).Write();
}

}  // namespace heed
