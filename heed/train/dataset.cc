#include "heed/train/dataset.h"

#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Either two files or one TSV.
ParallelText ReadPairs(const std::string& what, const std::string& source,
                       const std::string& target, const std::string& tsv) {
  if (!tsv.empty()) {
    if (!source.empty() || !target.empty()) {
      throw ConfigError(fmt::format(
          "--{0}source and --{0}target, or --{0}tsv, but not both", what));
    }
    return ReadTsv(tsv);
  }
  if (source.empty() || target.empty()) {
    throw ConfigError(fmt::format(
        "both --{0}source and --{0}target are needed, or --{0}tsv", what));
  }
  return ReadParallel(source, target);
}

std::vector<std::string> Joined(const ParallelText& text) {
  std::vector<std::string> lines = text.source;
  lines.insert(lines.end(), text.target.begin(), text.target.end());
  return lines;
}

}  // namespace

std::string TrainingText::CheckSum() const {
  std::string sums;
  for (const auto* lines :
       {&train.source, &train.target, &valid.source, &valid.target}) {
    std::string all;
    for (const std::string& line : *lines) all += line + '\n';
    sums += fmt::format("{:08x}", Crc32(all));
  }
  return sums;
}

void LowercaseText(ParallelText& text) {
  for (auto* lines : {&text.source, &text.target}) {
    for (std::string& line : *lines) line = Lowercase(line);
  }
}

TrainingText ReadTrainingText(const DataConfig& c) {
  TrainingText text;
  text.train = ReadPairs("", c.source, c.target, c.tsv);
  if (!c.valid_source.empty() || !c.valid_target.empty() ||
      !c.valid_tsv.empty()) {
    text.valid =
        ReadPairs("valid-", c.valid_source, c.valid_target, c.valid_tsv);
  }
  if (c.lowercase) {
    LowercaseText(text.train);
    LowercaseText(text.valid);
  }
  return text;
}

Vocabularies TrainVocabularies(const ParallelText& text, const DataConfig& c) {
  VocabularyOptions options;
  options.kind = ParseVocabularyKind(c.vocabulary);
  options.min_count = c.min_count;
  options.size = c.source_vocabulary_size;
  if (c.joint_vocabulary) {
    const Vocabulary both = Vocabulary::Train(Joined(text), options);
    return {both, both};
  }
  const auto train = [&options](const char* side, int size,
                                const std::vector<std::string>& lines) {
    options.size = size;
    try {
      return Vocabulary::Train(lines, options);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{} {}", side, error.what()));
    }
  };
  Vocabulary source = train("source", c.source_vocabulary_size, text.source);
  return {std::move(source),
          train("target", c.target_vocabulary_size, text.target)};
}

}  // namespace heed
