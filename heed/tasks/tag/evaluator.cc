#include <fmt/format.h>

#include <algorithm>

#include "heed/base/timing.h"
#include "heed/metrics/entities.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/tag/long_sentences.h"
#include "heed/tasks/tag/tag.h"
#include "heed/train/progress.h"

namespace heed {

Report TagSettings::Measure(const TagModel& model,
                            const TaggingEvaluation& options) const {
  const std::vector<TaggedSentence> gold =
      ReadTexts(options.texts, options.columns);
  const auto start = Clock::now();
  const std::vector<SentenceTags> answers = model.Tag({}, gold, 0);
  Report report;
  report.heading =
      fmt::format("{} in {:.1f} s", Counted(std::ssize(gold), "sentence"),
                  SecondsSince(start));
  for (const auto& [key, value] : model.Score(gold, answers)) {
    std::string label = key == "f1" ? "F1" : key;
    std::replace(label.begin(), label.end(), '_', ' ');
    report.figures.push_back(
        {key, label, value, 2, "%",
         key == "f1" ? "of entities, as conlleval counts them" : ""});
  }
  const DividedSentences divided = Divide(gold, model.config.words_at_once());
  report.figures.push_back({"loss", "loss",
                            model.LossOf(model.Encode(divided.parts)), 4, "",
                            "per word"});
  const auto right = TagsOf(gold);
  const TaggingScore score = ScoreTags(right, TagsOf(answers));
  report.details["sentences"] = score.sentences;
  report.details["words"] = score.words;
  if (!SpellEntities(right)) return report;
  std::vector<ClassFigures> types;
  for (const auto& [type, counts] : score.types) {
    types.push_back(
        {type, counts.Precision(), counts.Recall(), counts.F1(), counts.gold});
  }
  AddClasses(report, "type", "gold", types);
  return report;
}

}  // namespace heed
