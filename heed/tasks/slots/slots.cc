#include "heed/tasks/slots/slots.h"

#include <fmt/format.h>

#include "heed/data/table.h"
#include "heed/data/tagged_tables.h"

namespace heed::slots {

TaskRow Task() {
  TaskRow row;
  row.name = "slots";
  row.description = "a slot for each word and the intent of the sentence";
  row.settings = [] { return std::make_unique<Settings>(); };
  row.answer_label = "Slots";
  row.examples = {{"play the new album by miles davis", "en"},
                  {"book a table for two in boston tomorrow", "en"}};
  row.training = {"--texts train --valid-texts valid"};
  return row;
}

std::string Settings::TextsHelp(const std::string& purpose) const {
  return fmt::format(
      "PREFIX of texts {}: PREFIX.seq.in, PREFIX.seq.out and PREFIX.label; or "
      ".csv and .jsonl with columns words, tags and intent",
      purpose);
}

std::vector<TaggedSentence> Settings::ReadText(
    const std::string& path, const TagColumns& /*columns*/) const {
  if (!TableFormOf(path).empty()) {
    return ReadTaggedTable(path, {"words", "tags", "intent"});
  }
  return ReadSnips(path);
}

}  // namespace heed::slots
