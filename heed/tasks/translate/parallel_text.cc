#include "heed/tasks/translate/parallel_text.h"

#include <fmt/format.h>

#include <functional>
#include <unordered_map>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::translate {
namespace {

/// Normalises a language code. Throws: ConfigError for an invalid code.
void ResolveLanguage(const char* key, std::string& language) {
  if (language.empty()) return;
  if (!IsLanguageCode(language)) {
    throw ConfigError("{} '{}' is not a language code; write it as de or pt-BR",
                      key, language);
  }
  language = LanguageCode(language);
}

std::vector<std::string> Joined(const ParallelText& text) {
  std::vector<std::string> lines = text.source;
  lines.insert(lines.end(), text.target.begin(), text.target.end());
  return lines;
}

void VisitVocabularies(DataConfig& c, FieldList& v) {
  v.Section("Vocabulary");
  v("vocabulary", c.vocabulary, OneOf{"unigram", "bpe", "words", "characters"},
    "tokens: subwords by SentencePiece, words or characters")
      .Alias("vocab");
  v("target_vocabulary", c.target_vocabulary,
    OneOf{"same", "unigram", "bpe", "words", "characters"},
    "tokens of the target; same: as the source");
  v("joint_vocabulary", c.joint_vocabulary, "one vocabulary for both sides");
  v("source_vocabulary_size", c.source_vocabulary_size, Range(0, 1000000),
    "tokens; 0: 8000 subwords, or as many words or characters as there are")
      .Alias("vocab_size");
  v("target_vocabulary_size", c.target_vocabulary_size, Range(0, 1000000),
    "vocabulary size of the target; 0 with a joint vocabulary: as the source");
  v("min_count", c.min_count, Range(1, 1000000),
    "replace words and characters that occur fewer than N times by <unk>")
      .If(!IsSubword(c.source_kind()) || !IsSubword(c.target_kind()),
          "--vocabulary words or characters");
  VisitNormalization(v, c.normalization);
  v("bpe_dropout", c.bpe_dropout, UpToBelow(0, 1),
    "skip each merge of bpe with this probability, so that words are split "
    "differently in each epoch; 0.1 is usual");
}

/// Throws: ConfigError if copied tokens would lose their source positions.
void CheckCopy(const DataConfig& c) {
  if (!c.copy) return;
  const char* other = c.bpe_dropout > 0  ? "bpe_dropout"
                      : c.noise.any()    ? "noise_case and noise_typos"
                      : c.large.stored() ? "token_files"
                                         : nullptr;
  if (other != nullptr) {
    throw ConfigError(
        "copy needs the text of each source token, which {} {}; leave one of "
        "the two out",
        other, c.large.stored() ? "does not store" : "changes");
  }
  if (c.source_kind() != c.target_kind()) {
    throw ConfigError(
        "copy writes source tokens into the target, but the source has {} and "
        "the target {}; choose --target-vocabulary same",
        Name(c.source_kind()), Name(c.target_kind()));
  }
}

}  // namespace

void DataConfig::Visit(FieldList& v) {
  v.Section("Data");
  train.Visit(v, "", "training text");
  valid.Visit(v, "valid_",
              "validation text (for --metric exact_match and word_error_rate, "
              "lines of equal source are one example with several references)");
  v("source_language", source_language, Any{"CODE"},
    "language code of the source, such as de or pt-BR, for heed serve "
    "(default: from the file names)");
  v("target_language", target_language, Any{"CODE"},
    "language code of the target (default: from the file names)");
  v("lowercase", lowercase, "convert all text to lower case first");
  v("max_length", max_length, Range(0, 1000000),
    "drop training pairs with more than N tokens on a side; 0: keep all")
      .Alias("max_len");
  large.Visit(v, "pairs", "--source (or --tsv)");
  VisitVocabularies(*this, v);
  noise.Visit(v);

  v.Section("Batches");
  v("batch_tokens", batch_tokens, Range(1, 10000000),
    "tokens per batch on either side, padding included")
      .Alias("max_tokens");
  v("batch_sentences", batch_sentences, Range(0, 1000000),
    "maximum pairs per batch; 0: no limit")
      .Alias("batch_size")
      .Alias("bs");
  v("valid_beam", valid_beam, Range(1, 100),
    "beam size of validation translations");
  v("tokenize", tokenize, kBleuTokenizeHelp);

  v.Section("Search");
  rules.Visit(v);

  v.Section("Guided alignment");
  v("guided_alignment", guided_alignment, Any{"FILE"},
    "word links i-j of each training pair, to supervise the attention; may "
    "also be the last column of a table");
  v("guided_alignment_weight", guided_alignment_weight, Range(0, 1000),
    "weight of the alignment loss")
      .If(!guided_alignment.empty(), "--guided-alignment");
  v("guided_alignment_shift", guided_alignment_shift,
    "supervise the decoder step that reads a word instead of the one that "
    "predicts it: aligns existing text better, but attention no longer "
    "explains predictions")
      .If(!guided_alignment.empty(), "--guided-alignment");
  v("valid_alignment", valid_alignment, Any{"FILE"},
    "gold links of the validation pairs: adds the alignment error rate, also "
    "as --metric aer");

  v.Section("Copying and coverage");
  v("copy", copy,
    "copy source tokens with the weights of the attention, also words that the "
    "vocabulary lacks (pointer-generator)");
  v("coverage_loss", coverage_loss, Range(0, 1000),
    "weight of a loss on attention to source tokens that earlier steps "
    "attended to, against repetitions; 1 as published, after training without");
  hard.Visit(v);
}

void DataConfig::Resolve() {
  ResolveLanguage("source_language", source_language);
  ResolveLanguage("target_language", target_language);
  (void)large.Weights(train.source.size() + train.tsv.size());
  if (large.stored() && !guided_alignment.empty()) {
    throw ConfigError(
        "guided_alignment reads the links of all pairs into memory, and "
        "token_files is for text that is larger; leave one of the two out");
  }
  if (large.stored() && noise.any()) {
    throw ConfigError(
        "noise_case and noise_typos change lines in memory, and token_files "
        "stores only their tokens; leave one of the two out");
  }
  if (lowercase && noise.noise_case > 0) {
    throw ConfigError(
        "noise_case has no effect on text in lower case; leave noise_case or "
        "lowercase out");
  }
  CheckCopy(*this);
  constexpr int kDefaultSubwords = 8000;
  if (bpe_dropout > 0 && source_kind() != VocabularyKind::kBpe &&
      target_kind() != VocabularyKind::kBpe) {
    throw ConfigError(
        "bpe_dropout leaves out merges of bpe, but vocabulary is '{}'; choose "
        "--vocabulary bpe",
        vocabulary);
  }
  if (joint_vocabulary && target_vocabulary_size == 0) {
    target_vocabulary_size = source_vocabulary_size;
  }
  for (const auto& [kind, size] :
       {std::pair(source_kind(), &source_vocabulary_size),
        std::pair(target_kind(), &target_vocabulary_size)}) {
    if (*size == 0 && IsSubword(kind)) *size = kDefaultSubwords;
  }
  if (joint_vocabulary && source_kind() != target_kind()) {
    throw ConfigError(
        "joint_vocabulary is one vocabulary for both sides, but vocabulary is "
        "'{}' and target_vocabulary '{}'; leave one of the two out",
        vocabulary, target_vocabulary);
  }
  if (joint_vocabulary && source_vocabulary_size != target_vocabulary_size) {
    throw ConfigError(
        "joint_vocabulary needs source_vocabulary_size and "
        "target_vocabulary_size to be equal");
  }
}

VocabularyKind DataConfig::source_kind() const {
  return ParseVocabularyKind(vocabulary);
}

VocabularyKind DataConfig::target_kind() const {
  return target_vocabulary == "same" ? source_kind()
                                     : ParseVocabularyKind(target_vocabulary);
}

LanguagePair DataConfig::Languages() const {
  LanguagePair pair = LanguagesOfFiles(train.source, train.target);
  if (!train.tsv.empty()) {
    const std::vector<std::string>& columns = train.columns;
    const bool named = columns.size() == 2 && IsKnownLanguage(columns[0]) &&
                       IsKnownLanguage(columns[1]);
    pair =
        named ? LanguagePair{LanguageCode(columns[0]), LanguageCode(columns[1])}
              : LanguagesOfTable(train.tsv.front());
  }
  if (!source_language.empty()) pair.source = source_language;
  if (!target_language.empty()) pair.target = target_language;
  return pair;
}

std::string TrainingText::Checksum() const {
  std::string sums =
      store ? store->Checksum()
            : ComputeChecksum(train.source) + ComputeChecksum(train.target);
  for (const auto* lines : {&valid.source, &valid.target}) {
    sums += ComputeChecksum(*lines);
  }
  return sums;
}

void LowercaseLines(std::vector<std::string>& lines) {
  for (std::string& line : lines) line = Lowercase(line);
}

void LowercaseText(ParallelText& text) {
  LowercaseLines(text.source);
  LowercaseLines(text.target);
}

ParallelText ReferencedText::First() const {
  ParallelText text{source, {}};
  for (const References& r : references) text.target.push_back(r.front());
  return text;
}

ReferencedText ReferencesOf(const ParallelText& text, bool alternatives) {
  ReferencedText items;
  std::unordered_map<std::string, size_t> places;  // index of each source
  for (size_t i = 0; i < text.source.size(); ++i) {
    size_t place = items.source.size();
    if (alternatives) {
      place = places.emplace(NormalForm(text.source[i]), place).first->second;
    }
    if (place == items.source.size()) {
      items.source.push_back(text.source[i]);
      items.references.emplace_back();
    }
    items.references[place].push_back(text.target[i]);
  }
  return items;
}

TrainingText ReadTrainingText(const DataConfig& c, bool quiet) {
  TrainingText text;
  if (c.large.stored()) {
    std::function<void(std::string&)> change;
    if (c.lowercase) change = [](std::string& line) { line = Lowercase(line); };
    text.store = std::make_shared<const TextStore>(c.large, c.train.Files(""),
                                                   2, quiet, std::move(change));
    const TextColumns& sample = text.store->sample();
    text.train = {sample[0], sample[1]};
  } else {
    text.train = c.train.Read("");
  }
  if (!c.valid.empty()) {
    PairFiles valid = c.valid;
    valid.columns = c.train.columns;
    valid.form = c.train.form;
    text.valid = valid.Read("valid_");
  }
  if (c.lowercase) {
    if (!text.store) LowercaseText(text.train);
    LowercaseText(text.valid);
  }
  return text;
}

Vocabularies TrainVocabularies(const ParallelText& text, const DataConfig& c) {
  VocabularyOptions options;
  options.kind = c.source_kind();
  options.min_count = c.min_count;
  options.normalization = ParseNormalization(c.normalization);
  options.size = c.source_vocabulary_size;
  if (c.joint_vocabulary) {
    const Vocabulary both = Vocabulary::Train(Joined(text), options);
    return {both, both};
  }
  const auto train = [&options](const char* side, VocabularyKind kind, int size,
                                const std::vector<std::string>& lines) {
    options.kind = kind;
    options.size = size;
    try {
      return Vocabulary::Train(lines, options);
    } catch (const ConfigError& error) {
      throw ConfigError("{} {}", side, error.what());
    }
  };
  Vocabulary source =
      train("source", c.source_kind(), c.source_vocabulary_size, text.source);
  return {std::move(source), train("target", c.target_kind(),
                                   c.target_vocabulary_size, text.target)};
}

}  // namespace heed::translate
