#include "heed/tasks/slots.h"

#include <fmt/format.h>

#include "heed/data/table.h"

namespace heed {

void SlotsTask::VisitTexts(FieldList& v, const std::string& key,
                           std::vector<std::string>& texts,
                           const std::string& purpose) const {
  v(key, texts, Any{"FILE"},
    fmt::format("PREFIX of texts {}: PREFIX.seq.in, PREFIX.seq.out and "
                "PREFIX.label; or .csv and .jsonl with columns words, tags and "
                "intent",
                purpose))
      .Main();
}

void SlotsTask::VisitFormat(FieldList& /*v*/, TagColumns& /*columns*/) const {}

std::vector<TaggedSentence> SlotsTask::ReadText(
    const std::string& path, const TagColumns& /*columns*/) const {
  if (!TableFormOf(path).empty()) {
    return ReadTaggedTable(path, {"words", "tags", "intent"});
  }
  return ReadSnips(path);
}

std::string SlotsTask::LineOf(const Tagged& answer) const {
  return answer.intent + '\t' + JoinTags(answer);
}

}  // namespace heed
