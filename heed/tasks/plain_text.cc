#include "heed/tasks/plain_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/data/pair_files.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {

std::string PlainText::Checksum() const {
  return (store ? store->Checksum() : ComputeChecksum(train)) +
         ComputeChecksum(valid);
}

void PlainTextFiles::Visit(FieldList& v, const char* help) {
  v("texts", texts, Any{"FILE"}, help).Main();
  v("valid_texts", valid_texts, Any{"FILE"}, "validation text").Main();
  v.Require({{"texts"}});
  VisitTextColumns(v, columns);
}

PlainText PlainTextFiles::Read(const LargeTextConfig& large, bool quiet) const {
  PlainText text;
  if (large.stored()) {
    text.store = std::make_shared<const TextStore>(
        large, PlainRowFiles(texts, columns), 1, quiet);
    text.train = text.store->sample().front();
  } else {
    for (const std::string& path : texts) {
      std::vector<std::string> lines = ReadAllLines({path}, columns);
      text.lines_of_files.push_back(std::ssize(lines));
      std::ranges::move(lines, std::back_inserter(text.train));
    }
  }
  text.valid = ReadAllLines(valid_texts, columns);
  return text;
}

void EvaluatedText::Visit(FieldList& v, const char* help) {
  v.Section("Data");
  v("texts", texts, Any{"FILE"}, help);
  v.Require({{"texts"}});
  VisitTextColumns(v, columns);
}

std::vector<std::string> EvaluatedText::Lines() const {
  return ReadAllLines(texts, columns);
}

void VisitBatches(FieldList& v, const std::string& units, int& batch_units,
                  const std::string& texts, int& batch_texts) {
  v.Section("Batches");
  v("batch_" + units, batch_units, Range(1, 10000000),
    units + " per batch, padding included");
  v("batch_texts", batch_texts, Range(0, 1000000),
    texts + " per batch at most; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
}

}  // namespace heed
