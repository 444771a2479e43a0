#include "heed/tasks/explainable_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/explain/observed_attention.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"
#include "heed/text/copied_tokens.h"
#include "heed/text/subwords.h"

namespace heed {
namespace {

constexpr std::string_view kContinued = "##";  // WordPiece
constexpr std::string_view kSpace = "\xE2\x90\xA3";

/// A token without its word-boundary mark.
std::string WithoutMark(const std::string& piece, VocabularyKind kind) {
  if (MarksSpaces(kind) && piece.starts_with(kSpaceMark)) {
    const std::string rest = piece.substr(kSpaceMark.size());
    return rest.empty() ? std::string(kSpace) : rest;
  }
  if (IsWordPiece(kind) && piece.starts_with(kContinued) && piece.size() > 2) {
    return piece.substr(kContinued.size());
  }
  if (kind == VocabularyKind::kCharacters && SplitWhitespace(piece).empty()) {
    return std::string(kSpace);
  }
  return piece;
}

/// True if a token that follows `before` starts a new word.
bool BeginsWord(const std::string& piece, const std::string& before,
                VocabularyKind kind) {
  if (IsWordPiece(kind)) return !piece.starts_with(kContinued);
  if (MarksSpaces(kind)) return piece.starts_with(kSpaceMark);
  return kind == VocabularyKind::kWords || SplitWhitespace(piece).empty() ||
         SplitWhitespace(before).empty();
}

/// True for special tokens that are no part of the text (<s>, </s>, padding,
/// mask).
bool StandsAlone(int32_t id, const SpecialIds& special) {
  return id == special.bos || id == special.eos || id == special.pad ||
         id == special.mask;
}

/// The five most probable alternatives among n log-probabilities, with their
/// names.
std::vector<Alternative> OtherChoices(
    std::span<const float> log_p, int32_t chosen,
    const std::function<std::string(int32_t)>& name) {
  constexpr size_t kMax = 5;
  std::vector<int32_t> order(log_p.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase(order, chosen);
  const size_t count = std::min(kMax, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<long>(count), order.end(),
      [&](int32_t a, int32_t b) { return At(log_p, a) > At(log_p, b); });
  std::vector<Alternative> others;
  for (size_t i = 0; i < count; ++i) {
    others.push_back({name(order[i]), std::exp(double{At(log_p, order[i])})});
  }
  return others;
}

}  // namespace

std::string ShownToken(const Vocabulary& vocabulary, int32_t id,
                       std::span<const std::string> source_pieces) {
  const std::string& piece = PieceOrCopy(vocabulary, id, source_pieces);
  return StandsAlone(id, vocabulary.special())
             ? piece
             : WithoutMark(piece, vocabulary.kind());
}

std::optional<int32_t> TokenShownAs(const Vocabulary& vocabulary,
                                    std::string_view shown,
                                    std::span<const float> log_p) {
  std::optional<int32_t> best;
  for (int32_t id = 0; id < std::ssize(log_p); ++id) {
    const float p = At(log_p, id);
    if (best && p <= At(log_p, *best)) continue;
    if (ShownToken(vocabulary, id) == shown) best = id;
  }
  return best;
}

Context ObservedBy(Observer& observer, const Context& given) {
  Context observed = given;
  observed.observer = &observer;
  return observed;
}

Axis TokenAxis(const std::string& id, const std::string& label,
               const Vocabulary& vocabulary, std::span<const int32_t> ids,
               std::vector<std::string> pieces) {
  const auto stands_alone = [&](size_t i) {
    return StandsAlone(ids[i], vocabulary.special());
  };
  Axis axis = {.id = id, .label = label};
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const bool begins = i == 0 || stands_alone(i) || stands_alone(i - 1) ||
                        BeginsWord(pieces[i], pieces[i - 1], vocabulary.kind());
    if (begins) axis.words.push_back({place, place});
    axis.words.back().end = place + 1;
    axis.labels.push_back(stands_alone(i)
                              ? pieces[i]
                              : WithoutMark(pieces[i], vocabulary.kind()));
  }
  axis.items = std::move(pieces);
  if (axis.words.size() == axis.items.size()) axis.words.clear();
  if (axis.labels == axis.items) axis.labels.clear();
  return axis;
}

Axis TokenAxis(const std::string& id, const std::string& label,
               const Vocabulary& vocabulary, std::span<const int32_t> ids) {
  std::vector<std::string> pieces;
  for (const int32_t token : ids) pieces.push_back(vocabulary.Piece(token));
  return TokenAxis(id, label, vocabulary, ids, std::move(pieces));
}

Axis InputTokenAxis(const std::string& id, const std::string& label,
                    const Vocabulary& vocabulary, std::span<const int32_t> ids,
                    std::vector<std::string> pieces) {
  Axis axis = TokenAxis(id, label, vocabulary, ids, std::move(pieces));
  const int32_t unk = vocabulary.special().unk;
  std::vector<std::string> labels = axis.shown();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (ids[i] != unk || axis.items[i] == vocabulary.Piece(unk)) continue;
    labels[i] = fmt::format("{} ({})", vocabulary.Piece(unk), labels[i]);
  }
  if (labels != axis.shown()) axis.labels = std::move(labels);
  return axis;
}

Axis NamesAxis(const std::string& id, const std::string& label,
               std::vector<std::string> names) {
  return {.id = id, .label = label, .items = std::move(names)};
}

void AddMaps(const AttentionWatch& watch, ExplanationSegment& segment,
             int64_t row, const std::string& source) {
  std::vector<AttentionMap> maps = CollectMaps(watch.seen, row);
  std::vector<AttentionPanels> panels = CollectPanels(watch.seen, maps, row);
  const size_t first = segment.maps.size();
  for (AttentionPanels& p : panels) {
    p.map += first;
    segment.panels.push_back(std::move(p));
  }
  for (AttentionMap& map : maps) {
    if (source != "source") {
      map.name = source + "." + map.name;
      map.title = segment.axis(source).label + " · " + map.title;
    }
    for (std::string* axis : {&map.query, &map.key}) {
      if (*axis == "source") *axis = source;
    }
    segment.maps.push_back(std::move(map));
  }
}

Target ChoiceTarget(const std::string& axis, int64_t item,
                    std::span<const float> log_p, int32_t chosen,
                    const std::function<std::string(int32_t)>& name) {
  return {.axis = axis,
          .item = item,
          .probability = std::exp(double{At(log_p, chosen)}),
          .alternatives = OtherChoices(log_p, chosen, name)};
}

void SetMap(Target& target, std::optional<size_t> map, int64_t row,
            int64_t head) {
  target.map = map;
  target.row = row;
  target.head = head;
}

Explainable SourceScores(const ExplanationSegment& segment,
                         RunOfCopies scores) {
  Explainable answer;
  answer.tokens = segment.axis(answer.axis).size();
  answer.targets = std::ssize(segment.targets);
  answer.of_targets.resize(segment.targets.size());
  std::iota(answer.of_targets.begin(), answer.of_targets.end(), size_t{0});
  answer.scores = std::move(scores);
  return answer;
}

void SetContrast(ExplainableSegment& segment, size_t target, Alternative other,
                 const RunOfCopies& difference) {
  segment.segment.targets.at(target).contrast = std::move(other);
  for (Explainable& scores : segment.scores) {
    scores.targets = 1;
    scores.of_targets = {target};
    scores.log_probability = false;
    scores.scores = difference;
  }
}

void SetChoiceContrast(ExplainableSegment& segment, size_t target,
                       int32_t chosen, const Alternative& other,
                       int32_t other_id, const RunOfCopies& all_log_p) {
  if (chosen == other_id) {
    throw FormatError("explain: the contrast is the answer itself");
  }
  SetContrast(segment, target, other,
              [all_log_p, chosen, other_id](const Context& c, int64_t copies) {
                const Var p = all_log_p(c, copies);
                return Sub(Columns(p, chosen, chosen + 1),
                           Columns(p, other_id, other_id + 1));
              });
}

std::vector<int64_t> Repeated(int64_t copies, int64_t item) {
  return std::vector<int64_t>(static_cast<size_t>(copies), item);
}

Tensor RepeatedRows(const std::vector<int32_t>& ids, int64_t copies) {
  std::vector<int32_t> rows;
  rows.reserve(ids.size() * static_cast<size_t>(copies));
  for (int64_t i = 0; i < copies; ++i) {
    rows.insert(rows.end(), ids.begin(), ids.end());
  }
  return Tensor::Of(rows, {copies, std::ssize(ids)});
}

Var ChosenColumns(const Var& matrix, const std::vector<int32_t>& columns) {
  const int64_t rows = matrix.dim(0);
  std::vector<int32_t> places;
  for (int64_t r = 0; r < rows; ++r) {
    for (const int32_t column : columns) {
      places.push_back(static_cast<int32_t>(r * matrix.dim(1)) + column);
    }
  }
  const Var cells = Reshape(matrix, {matrix.value().numel(), 1});
  return Reshape(Embed(cells, Tensor::Of(places, {std::ssize(places)})),
                 {rows, std::ssize(columns)});
}

}  // namespace heed
