// Slots and intents: a tag for each word, and one label per sentence.
#ifndef HEED_TASKS_SLOTS_SLOTS_H_
#define HEED_TASKS_SLOTS_SLOTS_H_

#include <string>
#include <vector>

#include "heed/tasks/tag/tag.h"

namespace heed::slots {

/// Tagging by a model that also predicts the intent of the sentence. A text
/// consists of PREFIX.seq.in, PREFIX.seq.out and PREFIX.label, as in SNIPS and
/// ATIS.
class Settings : public tag::Settings {
 public:
  std::string task() const override { return "slots"; }

 protected:
  bool with_intents() const override { return true; }
  bool choose_columns() const override { return false; }
  std::string TextsHelp(const std::string& purpose) const override;
  std::vector<TaggedSentence> ReadText(
      const std::string& path, const TagColumns& columns) const override;
};

TaskRow Task();

}  // namespace heed::slots

#endif  // HEED_TASKS_SLOTS_SLOTS_H_
