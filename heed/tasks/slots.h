// Slots and intents: a tag for each word, and one label for the sentence.
#ifndef HEED_TASKS_SLOTS_H_
#define HEED_TASKS_SLOTS_H_

#include <string>
#include <vector>

#include "heed/tasks/tag.h"

namespace heed {

/// Tagging by a model that also chooses the intent of the sentence. A text is
/// PREFIX.seq.in, PREFIX.seq.out and PREFIX.label, as of SNIPS and ATIS.
class SlotsTask : public TagTask {
 public:
  std::string name() const override { return "slots"; }

 protected:
  bool with_intents() const override { return true; }
  void VisitTexts(FieldList& v, const std::string& key,
                  std::vector<std::string>& texts,
                  const std::string& purpose) const override;
  void VisitFormat(FieldList& v, TagColumns& columns) const override;
  std::vector<TaggedSentence> ReadText(
      const std::string& path, const TagColumns& columns) const override;
  /// The intent, a tab, the tags.
  std::string LineOf(const Tagged& answer) const override;
};

}  // namespace heed

#endif  // HEED_TASKS_SLOTS_H_
