// Reading comprehension with one-word answers from a passage.
#ifndef HEED_DATA_PASSAGES_H_
#define HEED_DATA_PASSAGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Maximum size of a passage with its question. Units: bytes
inline constexpr size_t kMaxPassageBytes = size_t{1} << 22;
/// Maximum number of candidates.
inline constexpr size_t kMaxCandidates = 1000;

struct PassageQuestion {
  std::string passage;  ///< one sentence per line, or text in one line
  std::string question;
  std::string answer;                        ///< "": unknown
  std::vector<std::string> candidates = {};  ///< empty: all passage words
  std::string place = {};                    ///< "train.jsonl:3"
};

/// File formats:
///   jsonl  {"passage": "...", "question": "...", "answer": "...",
///          "candidates": ["...", ...]}, one object per line; "candidates" is
///          optional
///   babi   "1 Mary moved to the garden." is a sentence, "3 Where is Mary?",
///          tab, "garden", tab, "1" a question about all sentences before it; a
///          story begins where the numbers do. Paper: Weston et al. 2015,
///          arXiv:1502.05698.
///   cbt    20 numbered sentences, and "21", a question with a blank (XXXXX),
///          tab, its answer, two tabs, candidates separated by |. Paper:
///          Hill et al. 2015, arXiv:1511.02301.
///   auto   by each file: jsonl by its name (.jsonl, also .gz), else cbt if its
///          questions have candidates, else babi
enum class PassageFormat : uint8_t { kAuto, kJsonl, kBabi, kCbt };
constexpr auto WordsOf(PassageFormat) {
  return std::array{"auto", "jsonl", "babi", "cbt"};
}

/// Reads the questions of all files (plain or .gz), in order. Throws: IoError;
/// FormatError with file and line, and for a file without a question.
std::vector<PassageQuestion> ReadPassages(const std::vector<std::string>& paths,
                                          PassageFormat format);
/// Parses the text of one file. `name`: name for error messages. Throws:
/// FormatError as ReadPassages.
std::vector<PassageQuestion> ParsePassages(std::string_view text,
                                           const std::string& name,
                                           PassageFormat format);

/// True if the text has numbered lines, like babi and cbt.
bool IsNumberedStory(std::string_view text);
/// Parses numbered lines whose questions may lack answers. Throws: as
/// ParsePassages.
std::vector<PassageQuestion> ParseStoryQuestions(std::string_view text,
                                                 const std::string& name,
                                                 PassageFormat format);

/// Parses a question: a JSON object with optional "answer", or passage, tab,
/// question. Throws: FormatError that begins with `place`.
PassageQuestion ParsePassageQuestion(std::string_view line,
                                     const std::string& place);

/// JSON line of a question, without line end.
std::string PassageLine(const PassageQuestion& question);

/// Splits at white space, with leading and trailing punctuation as separate
/// words: "(Ann" is "(" and "Ann"; "don't" and "@entity3" are single words.
std::vector<std::string> PassageWords(std::string_view text);

/// Words of a passage by sentence (see FindSentences), with the candidate that
/// each word is.
struct PassageText {
  std::vector<std::string> words;
  std::vector<int64_t> sentences;  ///< index of each sentence's first word
  std::vector<std::string> question;
  /// Possible answers in order of first occurrence. `of_words`: index of each
  /// passage word's candidate, or −1.
  std::vector<std::string> candidates;
  std::vector<int32_t> of_words;
  /// Index of the answer in `candidates`; −1 if it does not occur.
  int32_t answer = -1;
};

/// Splits a question's texts into words. `lowercase`: match words ignoring
/// case. Without candidates all words are possible answers. Candidates and
/// answers of several words are never found. Throws: FormatError that begins
/// with the question's place if passage or question have no words.
PassageText ReadPassageText(const PassageQuestion& question, bool lowercase);

}  // namespace heed

#endif  // HEED_DATA_PASSAGES_H_
