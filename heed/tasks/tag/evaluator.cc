#include <fmt/format.h>

#include <algorithm>

#include "heed/base/console.h"
#include "heed/base/timing.h"
#include "heed/data/input_lines.h"
#include "heed/metrics/entities.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/tag/long_sentences.h"
#include "heed/tasks/tag/scheme.h"
#include "heed/tasks/tag/tag.h"
#include "heed/train/progress.h"

namespace heed::tag {
namespace {

/// Adds scores to a report. `no_f1`: reason why F1 is not measured; "": it is
/// measured.
void AddScores(const Metrics& scores, const std::string& no_f1,
               const std::string& scheme, Report& report) {
  for (const auto& [key, value] : scores) {
    std::string label = key == "f1" ? "F1" : key;
    std::replace(label.begin(), label.end(), '_', ' ');
    std::string note;
    if (key == "f1") {
      note = fmt::format("of entities ({}), as conlleval counts them", scheme);
    } else if (key == "accuracy" && !no_f1.empty()) {
      note = fmt::format("of words; {}, so there is no F1", no_f1);
    }
    report.figures.push_back({key, label, value, 2, "%", note});
  }
}

}  // namespace

Report Settings::Evaluate(const Model& model, const Evaluation& options) const {
  const std::vector<TaggedSentence> gold =
      ReadTexts(options.texts, options.columns);
  const auto start = Clock::now();
  const std::vector<SentenceTags> answers = model.Tag({}, gold, 0);
  Report report;
  report.heading =
      fmt::format("{} in {:.1f} s", Counted(std::ssize(gold), "sentence"),
                  SecondsSince(start));
  const SpanScheme scheme = SchemeOfSentences(gold);
  constexpr const char* kText = "the text";
  WarnOfScheme(scheme, gold, kText, model.notation.has_value());
  WarnOfUnknown(model, gold, kText);
  if (HasEntities(scheme) && !model.notation) {
    Warn(
        "the model's tags are in no span scheme, so F1 cannot be computed; "
        "accuracy is reported instead");
  }
  WarnOfOtherScheme("the model's answers are", SchemeOf(TagsOf(answers)), kText,
                    scheme);
  const bool in_schemes = scheme.notation && model.notation;
  const std::string no_f1 = !in_schemes ? "the tags are in no span scheme"
                            : !HasEntities(scheme) ? "the text has no entities"
                                                   : "";
  AddScores(model.Score(gold, answers), no_f1, scheme.name, report);
  const auto right = TagsOf(gold);
  const TaggingScore score =
      ScoreTags(right, TagsOf(answers), scheme.notation.value_or(TagNotation()),
                model.notation.value_or(TagNotation()));
  const DividedSentences divided = Divide(gold, model.config.words_at_once());
  const TaggingLoss loss = model.LossOf(model.Encode(divided.parts));
  report.figures.push_back(
      {"loss", "loss", loss.per_word, 4, "",
       loss.words == 0 ? "over no word: the model knows none of their tags"
       : loss.words < score.words
           ? fmt::format("per word, of the {} whose tags are known", loss.words)
           : "per word"});
  report.details["sentences"] = score.sentences;
  report.details["words"] = score.words;
  report.details["unknown_tags"] = model.CountUnknown(gold);
  if (!no_f1.empty()) return report;
  report.details["scheme"] = scheme.name;
  std::vector<ClassFigures> types;
  for (const auto& [type, counts] : score.types) {
    types.push_back(
        {type, counts.Precision(), counts.Recall(), counts.F1(), counts.gold});
  }
  AddClasses(report, "type", "gold", types);
  return report;
}

}  // namespace heed::tag
