#include "heed/data/typing.h"

#include <utility>

#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr int32_t kNoWord = -1;
constexpr int64_t kSequencesPerChunk = 64;

std::string InForm(std::string_view text, TypedForm form) {
  if (form == TypedForm::kAsIs) return NormalForm(text);
  std::string lower = NormalForm(Lowercase(text));
  return form == TypedForm::kLetters ? LettersAlone(lower) : lower;
}

}  // namespace

std::string TypedText(std::string_view text, TypedForm form) {
  const std::string formed = InForm(text, form);
  std::string typed;
  const auto words = SplitUnicodeWhitespace(formed);
  for (const std::string_view word : words) {
    typed += ' ';
    typed += word;
  }
  const bool ended =
      words.empty() || words.back().data() + words.back().size() !=
                           formed.data() + formed.size();
  if (ended) typed += ' ';
  return typed;
}

std::vector<std::string> TypedSequences(std::span<const std::string> lines,
                                        const TypingOptions& options) {
  std::vector<std::string> sequences;
  std::string sequence;
  int64_t length = 0;
  const auto flush = [&] {
    if (length > 0) sequences.push_back(std::exchange(sequence, {}));
    length = 0;
  };
  for (const std::string& line : lines) {
    const std::string formed = InForm(line, options.form);
    for (const std::string_view word : SplitUnicodeWhitespace(formed)) {
      const int64_t size = std::ssize(Utf8Characters(word)) + 1;
      if (size > options.length) continue;
      if (length + size > options.length) flush();
      sequence += ' ';
      sequence += word;
      length += size;
    }
    if (options.lines) flush();
  }
  flush();
  return sequences;
}

TypingCodec TypingCodec::Learn(std::span<const std::string> sequences,
                               int words, int min_count) {
  return {Vocabulary::Train(sequences, {VocabularyKind::kCharacters, 0, 1}),
          Vocabulary::Train(sequences, {VocabularyKind::kWords,
                                        words + kSpecialTokens, min_count})};
}

std::vector<int32_t> TypingCodec::Words(std::string_view typed) const {
  std::vector<int32_t> result;
  for (size_t begin = 0; begin < typed.size();) {
    size_t end = typed.find(' ', begin + 1);
    if (end == std::string_view::npos) end = typed.size();
    const std::string_view unit = typed.substr(begin, end - begin);
    const std::vector<int32_t> ids = words_.Encode(unit);
    const int32_t word = ids.size() == 1 && ids[0] >= kSpecialTokens
                             ? ids[0] - kSpecialTokens
                             : kNoWord;
    result.insert(result.end(), Utf8Characters(unit).size(), word);
    begin = end;
  }
  return result;
}

Corpus TypingCodec::Encode(std::span<const std::string> sequences) const {
  Corpus corpus;
  corpus.source.resize(sequences.size());
  corpus.target.resize(sequences.size());
  ParallelForEach(std::ssize(sequences), kSequencesPerChunk, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    corpus.source[at] = Characters(sequences[at]);
    corpus.target[at] = Words(sequences[at]);
  });
  return corpus;
}

std::vector<int32_t> CharactersSeen(std::string_view typed) {
  std::vector<int32_t> seen;
  for (const std::string_view character : Utf8Characters(typed)) {
    const bool first = character == " " || seen.empty();
    seen.push_back(first ? 0 : seen.back() + 1);
  }
  return seen;
}

}  // namespace heed
