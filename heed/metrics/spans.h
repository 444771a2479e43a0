// Tags that encode the spans of a sentence word by word, in the usual schemes.
#ifndef HEED_METRICS_SPANS_H_
#define HEED_METRICS_SPANS_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// A named span: words [begin, end) of a sentence.
struct Entity {
  int64_t begin = 0;
  int64_t end = 0;
  std::string type;
  auto operator<=>(const Entity&) const = default;
};

/// Format of a tag.
enum class TagForm : uint8_t {
  kPrefix,    ///< position, separator, type: B-PER
  kSuffix,    ///< type, separator, position: PER-B
  kPosition,  ///< a position alone: B
  kType,      ///< a type alone: PER
  kBrackets,  ///< (PER*, *, *), or (PER), as CoNLL 2005 and 2012 write spans
};

/// Position and type encoded by a tag. Positions: O outside, B first word, I
/// inside, E last word, S single word. Other letters are mapped: M to I, L to
/// E, U and W to S.
struct SpanTag {
  char position = 'O';
  std::string_view type;
};

/// Format and separator of the tags of a text. Immutable.
struct TagNotation {
  TagForm form = TagForm::kPrefix;
  char separator = '-';

  bool operator==(const TagNotation&) const = default;
  /// True if `tag` is outside all spans or is written in this format.
  bool Fits(std::string_view tag) const;
  /// Position and type of `tag`; a tag that does not fit is outside. Not for
  /// brackets.
  SpanTag Parse(std::string_view tag) const;
  /// Decodes the spans of a sentence like conlleval. B-X and S-X begin a span,
  /// as do I-X and E-X that do not continue a span of type X. E, S and every
  /// tag that does not continue the span end it. In brackets, spans that are
  /// not closed are ignored.
  std::vector<Entity> Read(std::span<const std::string> tags) const;
};

/// The notation that all of these tags fit, or none. Tags that are types alone
/// require the tag O beside them.
std::optional<TagNotation> NotationOf(const std::set<std::string>& tags);

/// The distinct tags of sentences.
std::set<std::string> DifferentTags(
    std::span<const std::vector<std::string>> sentences);

/// Tagging scheme of sentences.
struct SpanScheme {
  std::optional<TagNotation> notation;  // none: not a span scheme
  std::string name;  // IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, BMES, ...
  /// Problem with the tags: two mixed schemes, or an unknown tag; empty if
  /// there is none.
  std::string problem;
  /// First place of the rarer scheme or tag, from 0; −1 without a problem.
  int64_t sentence = -1;
  int64_t word = -1;
  int64_t entities = 0;
};

/// Detects the tagging scheme of sentences. Papers: Ramshaw and Marcus 1995
/// (IOB1); Tjong Kim Sang and Veenstra 1999 (IOB1, IOB2, IOE1, IOE2); Ratinov
/// and Roth 2009 (BILOU).
SpanScheme SchemeOf(std::span<const std::vector<std::string>> sentences);

}  // namespace heed

#endif  // HEED_METRICS_SPANS_H_
