#include "heed/text/target_marks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/languages.h"

namespace heed {
namespace {

constexpr std::string_view kMarkBegin = ">>";
constexpr std::string_view kMarkEnd = "<<";
/// Symbol of SentencePiece for a space.
constexpr std::string_view kSpacePiece = "\xE2\x96\x81";

/// Name in a mark: "fra" for ">>fra<<"; empty if it is not a mark.
std::string_view NameIn(std::string_view mark) {
  const size_t borders = kMarkBegin.size() + kMarkEnd.size();
  if (mark.size() <= borders || !mark.starts_with(kMarkBegin) ||
      !mark.ends_with(kMarkEnd)) {
    return {};
  }
  const std::string_view name =
      mark.substr(kMarkBegin.size(), mark.size() - borders);
  return IsLanguageCode(name) ? name : std::string_view();
}

}  // namespace

TargetMarks::TargetMarks(const Vocabulary& source) {
  for (int32_t id = 0; id < source.size(); ++id) {
    std::string_view piece = source.Piece(id);
    if (piece.starts_with(kSpacePiece)) piece.remove_prefix(kSpacePiece.size());
    const std::string_view name = NameIn(piece);
    if (name.empty()) continue;
    // Pieces that no text is encoded to are skipped.
    if (source.Encode(piece) != std::vector<int32_t>{id}) continue;
    marks_.push_back({std::string(piece), LanguageCode(name)});
  }
}

std::vector<std::string> TargetMarks::Languages() const {
  std::set<std::string> languages;
  for (const Mark& mark : marks_) languages.insert(mark.language);
  return {languages.begin(), languages.end()};
}

std::string TargetMarks::MarkFor(std::string_view language) const {
  const std::string code = LanguageCode(language);
  const Mark* best = nullptr;
  std::optional<int> min;
  for (const Mark& mark : marks_) {
    if (NameIn(mark.text) == language) return mark.text;
    const std::optional<int> distance = LanguageDistance(code, mark.language);
    if (distance && (!min || *distance < *min)) {
      min = distance;
      best = &mark;
    }
  }
  return best == nullptr ? "" : best->text;
}

std::string TargetMarks::NeedMarkFor(std::string_view language) const {
  if (empty()) {
    throw ConfigError(
        "to '{}': the model's source vocabulary has no marks such as >>fra<<, "
        "so it writes one language; leave the option out",
        language);
  }
  std::string mark = MarkFor(language);
  if (mark.empty()) {
    throw ConfigError("to '{}': the model has no mark for it; it has {}",
                      language, fmt::join(Languages(), ", "));
  }
  return mark;
}

std::string_view TargetMarks::LeadingMark(std::string_view text) const {
  constexpr std::string_view kSpaces = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  text.remove_prefix(begin);
  if (empty() || !text.starts_with(kMarkBegin)) return {};
  const size_t end = text.find(kMarkEnd);
  if (end == text.npos) return {};
  const std::string_view mark = text.substr(0, end + kMarkEnd.size());
  const bool known = std::ranges::any_of(
      marks_, [&](const Mark& one) { return one.text == mark; });
  return known ? mark : std::string_view();
}

MarkAndText TakeMark(const TargetMarks& marks, std::string_view text,
                     std::string_view usual) {
  const std::string_view mark = marks.LeadingMark(text);
  if (mark.empty()) return {std::string(usual), text};
  const auto behind =
      static_cast<size_t>(mark.data() + mark.size() - text.data());
  return {std::string(mark), TrimBlanks(text.substr(behind))};
}

std::string WithMark(const TargetMarks& marks, std::string_view sentence,
                     std::string_view usual) {
  if (marks.empty()) return std::string(sentence);
  const MarkAndText taken = TakeMark(marks, sentence, usual);
  if (taken.mark.empty()) return std::string(sentence);
  if (SplitWhitespace(taken.text).empty()) return "";
  return taken.mark + ' ' + std::string(taken.text);
}

}  // namespace heed
