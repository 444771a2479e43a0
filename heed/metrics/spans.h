// Tags that write the spans of a sentence word by word, in any of the usual
// schemes.
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

/// Words [begin, end) of a sentence, which name something.
struct Entity {
  int64_t begin = 0;
  int64_t end = 0;
  std::string type;
  auto operator<=>(const Entity&) const = default;
};

/// How a tag is written.
enum class TagForm : uint8_t {
  kPrefix,    ///< position, separator, type: B-PER
  kSuffix,    ///< type, separator, position: PER-B
  kPosition,  ///< a position alone: B
  kType,      ///< a type alone: PER
  kBrackets,  ///< (PER*, *, *), or (PER), as CoNLL 2005 and 2012 write spans
};

/// Position and type that a tag gives a word. Positions: O outside, B first
/// word, I inside, E last word, S only word. Other letters become these: M is
/// I, L is E, U and W are S.
struct SpanTag {
  char position = 'O';
  std::string_view type;
};

/// Form and separator of the tags of a text. Immutable.
struct TagNotation {
  TagForm form = TagForm::kPrefix;
  char separator = '-';

  bool operator==(const TagNotation&) const = default;
  /// Whether a tag is outside of all spans, or is written in this form.
  bool Fits(std::string_view tag) const;
  /// Not for brackets. A tag that does not fit is outside.
  SpanTag Parse(std::string_view tag) const;
  /// The spans of a sentence, as conlleval reads them: B-X and S-X begin one,
  /// and so do I-X and E-X that continue none of type X; E and S end it, and so
  /// does every tag that does not continue it. Of brackets, spans that are not
  /// closed are left out.
  std::vector<Entity> Read(std::span<const std::string> tags) const;
};

/// The notation that all of these different tags fit, or none. Tags that are
/// types alone need the tag O beside them.
std::optional<TagNotation> NotationOf(const std::set<std::string>& tags);

/// The different tags of sentences.
std::set<std::string> DifferentTags(
    std::span<const std::vector<std::string>> sentences);

/// The scheme in which sentences are tagged.
struct SpanScheme {
  std::optional<TagNotation> notation;  // none: the tags are in no span scheme
  std::string name;  // IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, BMES, ...
  /// Problem with the tags: two schemes in one text, or an unknown tag; else
  /// empty.
  std::string problem;
  /// The first place of what is rarer, from 0; −1 without a problem.
  int64_t sentence = -1;
  int64_t word = -1;
  int64_t entities = 0;
};

/// Papers: Ramshaw and Marcus 1995 (IOB1); Tjong Kim Sang and Veenstra 1999
/// (IOB1, IOB2, IOE1, IOE2); Ratinov and Roth 2009 (BILOU).
SpanScheme SchemeOf(std::span<const std::vector<std::string>> sentences);

}  // namespace heed

#endif  // HEED_METRICS_SPANS_H_
