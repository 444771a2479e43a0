#include "heed/metrics/spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "heed/base/at.h"

namespace heed {
namespace {

constexpr std::string_view kSeparators = "-_:/|.";

char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Position that a letter encodes; 0: none.
char PositionOf(char letter) {
  switch (Upper(letter)) {
    case 'B':
      return 'B';
    case 'I':
    case 'M':
      return 'I';
    case 'E':
    case 'L':
      return 'E';
    case 'S':
    case 'U':
    case 'W':
      return 'S';
    default:
      return 0;
  }
}

bool IsOutside(std::string_view tag) { return tag == "O" || tag == "o"; }

/// Position letter in a tag; 0: none.
char LetterOf(const TagNotation& notation, std::string_view tag) {
  const size_t size = tag.size();
  const bool first = (notation.form == TagForm::kPrefix && size > 2 &&
                      tag[1] == notation.separator) ||
                     (notation.form == TagForm::kPosition && size == 1);
  const bool last = notation.form == TagForm::kSuffix && size > 2 &&
                    tag[size - 2] == notation.separator;
  const char letter = first ? tag.front() : last ? tag.back() : '\0';
  return PositionOf(letter) != 0 ? Upper(letter) : '\0';
}

/// True if a tag contains a position and a type in any notation.
bool HasPosition(std::string_view tag) {
  return std::ranges::any_of(kSeparators, [&](char separator) {
    return LetterOf({TagForm::kPrefix, separator}, tag) != 0 ||
           LetterOf({TagForm::kSuffix, separator}, tag) != 0;
  });
}

/// True for "(", types, "*" and ")": opening brackets, a word, closing
/// brackets.
bool IsBrackets(std::string_view tag) {
  size_t at = 0;
  size_t opened = 0;
  while (at < tag.size() && tag[at] == '(') {
    const size_t begin = ++at;
    at = std::min(tag.find_first_of("(*)", at), tag.size());
    if (at == begin) return false;
    ++opened;
  }
  const bool word = at < tag.size() && tag[at] == '*';
  if (word) ++at;
  const size_t closed = tag.size() - at;
  return (word || (opened > 0 && closed > 0)) &&
         tag.find_first_not_of(')', at) == tag.npos;
}

std::vector<Entity> ReadBrackets(std::span<const std::string> tags) {
  std::vector<Entity> entities;
  std::vector<Entity> open;
  for (size_t i = 0; i < tags.size(); ++i) {
    const std::string_view tag = tags[i];
    const auto at = static_cast<int64_t>(i);
    for (size_t c = 0; c < tag.size(); ++c) {
      if (tag[c] == '(') {
        const size_t end =
            std::min(tag.find_first_of("(*)", c + 1), tag.size());
        open.push_back({at, at, std::string(tag.substr(c + 1, end - c - 1))});
      } else if (tag[c] == ')' && !open.empty()) {
        open.back().end = at + 1;
        entities.push_back(std::move(open.back()));
        open.pop_back();
      }
    }
  }
  std::ranges::sort(entities);
  return entities;
}

/// Two schemes that a text may mix, with the number of entities in each.
struct SchemeVotes {
  std::array<std::string, 2> names;
  std::array<int64_t, 2> counts = {};
  std::array<std::pair<int64_t, int64_t>, 2> first = {};

  void Add(size_t scheme, int64_t sentence, int64_t word) {
    if (counts[scheme]++ == 0) first[scheme] = {sentence, word};
  }
};

/// Position letters of all tags, and the schemes that they allow.
struct PositionLetters {
  std::set<char> used;

  bool Has(char letter) const { return used.contains(letter); }
  bool HasAny(std::string_view letters) const {
    return std::ranges::any_of(letters, [this](char c) { return Has(c); });
  }
  bool ends() const { return HasAny("ELSUW"); }

  /// Usual name of a scheme that marks first, last and single words.
  std::string FullName() const {
    if (Has('W')) return "BMEWO";
    if (Has('M')) return "BMES";
    return HasAny("LU") ? "BILOU" : "IOBES";
  }
  /// Two letters of different schemes for one position; empty: none. Only the
  /// letters distinguish IOBES, BILOU and BMES.
  std::string Mixed() const {
    for (const std::string_view same : {"IM", "EL", "SU", "SW", "UW"}) {
      if (Has(same[0]) && Has(same[1])) return std::string(same);
    }
    return "";
  }
};

/// Decides which of two possible schemes an entity is in; −1: either.
class EntityJudge {
 public:
  explicit EntityJudge(const PositionLetters& letters)
      : ends_(letters.ends()),
        full_(letters.ends() && letters.HasAny("BSUW")),
        single_(letters.HasAny("SUW")) {}

  std::array<std::string, 2> Names(const PositionLetters& letters) const {
    if (full_) return {letters.FullName(), "IOB"};
    if (ends_) return {"IOE2", "IOE1"};
    return {"IOB2", "IOB1"};
  }

  /// `before`, `after`: whether an entity of the same type is adjacent.
  int Judge(char first, char last, int64_t words, bool before,
            bool after) const {
    if (full_) {
      if (words == 1) return first == 'S' || (!single_ && first == 'B') ? 0 : 1;
      return first == 'B' && last == 'E' ? 0 : 1;
    }
    if (ends_) return last != 'E' ? 1 : after ? -1 : 0;
    return first != 'B' ? 1 : before ? -1 : 0;
  }

 private:
  bool ends_;
  bool full_;
  bool single_;
};

void JudgeSentence(const TagNotation& notation, const EntityJudge& judge,
                   const std::vector<std::string>& tags, int64_t sentence,
                   SchemeVotes& votes) {
  const std::vector<Entity> entities = notation.Read(tags);
  for (size_t i = 0; i < entities.size(); ++i) {
    const Entity& e = entities[i];
    const auto position = [&](int64_t word) {
      return notation.Parse(At(tags, word)).position;
    };
    const bool before = i > 0 && entities[i - 1].end == e.begin &&
                        entities[i - 1].type == e.type;
    const bool after = i + 1 < entities.size() &&
                       entities[i + 1].begin == e.end &&
                       entities[i + 1].type == e.type;
    const int scheme = judge.Judge(position(e.begin), position(e.end - 1),
                                   e.end - e.begin, before, after);
    if (scheme >= 0) votes.Add(static_cast<size_t>(scheme), sentence, e.begin);
  }
}

/// Sets the place of the first word whose tag satisfies `is_it`.
template <typename Is>
void SetPlace(std::span<const std::vector<std::string>> sentences,
              const Is& is_it, SpanScheme& scheme) {
  for (size_t i = 0; i < sentences.size(); ++i) {
    const auto found = std::ranges::find_if(sentences[i], is_it);
    if (found == sentences[i].end()) continue;
    scheme.sentence = static_cast<int64_t>(i);
    scheme.word = found - sentences[i].begin();
    return;
  }
}

/// Reports the tag that fits no scheme if other tags look like one.
void FindMisfit(std::span<const std::vector<std::string>> sentences,
                const std::set<std::string>& tags, SpanScheme& scheme) {
  std::vector<TagNotation> notations = {{TagForm::kBrackets, 0}};
  for (const char separator : kSeparators) {
    notations.push_back({TagForm::kPrefix, separator});
    notations.push_back({TagForm::kSuffix, separator});
  }
  const auto fitting = [&](const TagNotation& notation) {
    return std::ranges::count_if(tags, [&](const std::string& tag) {
      return !IsOutside(tag) && notation.Fits(tag);
    });
  };
  const TagNotation best = *std::ranges::max_element(
      notations, [&](const TagNotation& a, const TagNotation& b) {
        return fitting(a) < fitting(b);
      });
  if (fitting(best) == 0) return;
  const auto is_misfit = [&](const std::string& tag) {
    return !best.Fits(tag);
  };
  const auto is_span = [&](const std::string& tag) {
    return !IsOutside(tag) && best.Fits(tag);
  };
  SetPlace(sentences, is_misfit, scheme);
  scheme.problem = fmt::format("'{}' is in no span scheme beside '{}'",
                               *std::ranges::find_if(tags, is_misfit),
                               *std::ranges::find_if(tags, is_span));
}

}  // namespace

bool TagNotation::Fits(std::string_view tag) const {
  if (form == TagForm::kBrackets) return IsBrackets(tag);
  if (form == TagForm::kType) {
    return tag == "O" || (tag.size() > 1 && !HasPosition(tag));
  }
  return IsOutside(tag) || LetterOf(*this, tag) != 0;
}

SpanTag TagNotation::Parse(std::string_view tag) const {
  if (IsOutside(tag)) return {};
  if (form == TagForm::kType) return {'I', tag};
  const char letter = LetterOf(*this, tag);
  if (letter == 0) return {};
  const char position = PositionOf(letter);
  switch (form) {
    case TagForm::kPrefix:
      return {position, tag.substr(2)};
    case TagForm::kSuffix:
      return {position, tag.substr(0, tag.size() - 2)};
    default:
      return {position, {}};
  }
}

std::vector<Entity> TagNotation::Read(std::span<const std::string> tags) const {
  if (form == TagForm::kBrackets) return ReadBrackets(tags);
  std::vector<Entity> entities;
  bool open = false;
  for (size_t i = 0; i < tags.size(); ++i) {
    const SpanTag tag = Parse(tags[i]);
    const auto at = static_cast<int64_t>(i);
    if (tag.position == 'O') {
      open = false;
      continue;
    }
    const bool continues = open &&
                           (tag.position == 'I' || tag.position == 'E') &&
                           tag.type == entities.back().type;
    if (!continues) entities.push_back({at, at, std::string(tag.type)});
    entities.back().end = at + 1;
    open = tag.position != 'E' && tag.position != 'S';
  }
  return entities;
}

std::optional<TagNotation> NotationOf(const std::set<std::string>& tags) {
  std::vector<TagNotation> notations;
  for (const TagForm form : {TagForm::kPrefix, TagForm::kSuffix}) {
    for (const char separator : kSeparators) {
      notations.push_back({form, separator});
    }
  }
  notations.push_back({TagForm::kBrackets, 0});
  const auto all_fit = [&](const TagNotation& notation) {
    return std::ranges::all_of(
        tags, [&](const std::string& tag) { return notation.Fits(tag); });
  };
  const auto found = std::ranges::find_if(notations, all_fit);
  if (found != notations.end()) return *found;
  // Single letters are positions only if B or I is among them.
  constexpr TagNotation kLetters = {TagForm::kPosition, 0};
  const bool positions = std::ranges::any_of(tags, [](const std::string& tag) {
    return tag.size() == 1 && (Upper(tag[0]) == 'B' || Upper(tag[0]) == 'I');
  });
  if (positions && all_fit(kLetters)) return kLetters;
  constexpr TagNotation kTypes = {TagForm::kType, 0};
  if (tags.contains("O") && all_fit(kTypes)) return kTypes;
  return std::nullopt;
}

std::set<std::string> DifferentTags(
    std::span<const std::vector<std::string>> sentences) {
  std::set<std::string> tags;
  for (const auto& sentence : sentences) {
    tags.insert(sentence.begin(), sentence.end());
  }
  return tags;
}

SpanScheme SchemeOf(std::span<const std::vector<std::string>> sentences) {
  const std::set<std::string> tags = DifferentTags(sentences);
  SpanScheme scheme;
  scheme.notation = NotationOf(tags);
  if (!scheme.notation) {
    FindMisfit(sentences, tags, scheme);
    return scheme;
  }
  const TagNotation& notation = *scheme.notation;
  for (const auto& sentence : sentences) {
    scheme.entities += std::ssize(notation.Read(sentence));
  }
  if (notation.form == TagForm::kBrackets) scheme.name = "brackets";
  if (notation.form == TagForm::kType) scheme.name = "IO";
  if (!scheme.name.empty()) return scheme;
  PositionLetters letters;
  for (const std::string& tag : tags) {
    if (const char letter = LetterOf(notation, tag))
      letters.used.insert(letter);
  }
  const EntityJudge judge(letters);
  SchemeVotes votes{judge.Names(letters)};
  for (size_t i = 0; i < sentences.size(); ++i) {
    JudgeSentence(notation, judge, sentences[i], static_cast<int64_t>(i),
                  votes);
  }
  if (!letters.HasAny("BELSUW")) {
    scheme.name = "IO";
    return scheme;
  }
  const size_t rarer = votes.counts[0] < votes.counts[1] ? 0 : 1;
  scheme.name = votes.names[1 - rarer];
  if (const std::string mixed = letters.Mixed(); !mixed.empty()) {
    scheme.problem = fmt::format("both {} and {} are written for one position",
                                 mixed[0], mixed[1]);
    SetPlace(
        sentences,
        [&](const std::string& tag) {
          return LetterOf(notation, tag) == mixed[1];
        },
        scheme);
  } else if (votes.counts[rarer] > 0) {
    scheme.problem = fmt::format(
        "{} entities are written in {} and {} in {}", votes.counts[1 - rarer],
        votes.names[1 - rarer], votes.counts[rarer], votes.names[rarer]);
    std::tie(scheme.sentence, scheme.word) = votes.first[rarer];
  }
  return scheme;
}

}  // namespace heed
