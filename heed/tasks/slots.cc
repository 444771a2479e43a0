#include "heed/tasks/slots.h"

#include <fmt/format.h>

namespace heed {

void SlotsTask::VisitTexts(FieldList& v, const std::string& key,
                           std::vector<std::string>& texts,
                           const std::string& purpose) const {
  v(key, texts, Any{"FILE"},
    fmt::format("PREFIX of texts {}: PREFIX.seq.in, PREFIX.seq.out and "
                "PREFIX.label",
                purpose))
      .Main();
}

void SlotsTask::VisitFormat(FieldList& /*v*/) {}

std::vector<TaggedSentence> SlotsTask::ReadText(const std::string& path) const {
  return ReadSnips(path);
}

std::string SlotsTask::LineOf(const Answer& answer) const {
  return answer.intent + '\t' + JoinTags(answer);
}

}  // namespace heed
