// Questions about passages that one word of the passage answers.
#ifndef HEED_DATA_PASSAGES_H_
#define HEED_DATA_PASSAGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// What a passage with its question may have. Units: bytes
inline constexpr size_t kMostPassageBytes = size_t{1} << 22;
/// And how many candidates.
inline constexpr size_t kMostCandidates = 1000;

struct PassageQuestion {
  std::string passage;  ///< a sentence on each line, or a text without lines
  std::string question;
  std::string answer;                        ///< "": not given
  std::vector<std::string> candidates = {};  ///< none: all words of the passage
  std::string place = {};                    ///< "train.jsonl:3"
};

/// How files of them are written:
///   jsonl  {"passage": "...", "question": "...", "answer": "...",
///          "candidates": ["...", ...]}, an object a line; "candidates" may be
///          left out
///   babi   "1 Mary moved to the garden." is a sentence, "3 Where is Mary?",
///          tab, "garden", tab, "1" a question about all sentences before it; a
///          story begins where the numbers do. Paper: Weston et al. 2015,
///          arXiv:1502.05698.
///   cbt    20 numbered sentences, and "21", a question with a blank (XXXXX),
///          tab, its answer, two tabs, candidates with | between them. Paper:
///          Hill et al. 2015, arXiv:1511.02301.
///   auto   by each file: jsonl by its name (.jsonl, also .gz), else cbt if its
///          questions have candidates, else babi
enum class PassageFormat : uint8_t { kAuto, kJsonl, kBabi, kCbt };
constexpr auto WordsOf(PassageFormat) {
  return std::array{"auto", "jsonl", "babi", "cbt"};
}

/// Those of all files (plain or .gz) in their order. Throws: IoError;
/// FormatError that names file and line, and for a file without a question.
std::vector<PassageQuestion> ReadPassages(const std::vector<std::string>& paths,
                                          PassageFormat format);
/// The same of the text of one file of this name.
std::vector<PassageQuestion> ParsePassages(std::string_view text,
                                           const std::string& name,
                                           PassageFormat format);

/// Whether a text is numbered lines as of babi or cbt.
bool IsNumberedStory(std::string_view text);
/// The questions of such a text, whose answers may be left out. Throws: as
/// ParsePassages.
std::vector<PassageQuestion> ParseAskedStories(std::string_view text,
                                               const std::string& name,
                                               PassageFormat format);

/// What is asked: a JSON object as above, whose "answer" may be left out, or
/// passage, tab, question. Throws: FormatError, which begins with `place`.
PassageQuestion ParsePassageQuestion(std::string_view line,
                                     const std::string& place);

/// The line of JSON that is read so, without its end.
std::string PassageLine(const PassageQuestion& question);

/// Words between white space, with punctuation at their ends on its own: "(Ann"
/// is "(" and "Ann", "don't" and "@entity3" are one.
std::vector<std::string> PassageWords(std::string_view text);

/// The words of a passage, sentence by sentence (see FindSentences), and which
/// of them are which candidate.
struct PassageText {
  std::vector<std::string> words;
  std::vector<int64_t> sentences;  ///< where each begins
  std::vector<std::string> question;
  /// The words that can be answers, by where each stands first, and of each
  /// word of the passage its place among them, or −1.
  std::vector<std::string> candidates;
  std::vector<int32_t> of_words;
  /// The place of the answer among them; −1: it is not there.
  int32_t answer = -1;
};

/// With `lowercase` words are alike whatever their case; without candidates all
/// words can be answers. A candidate or an answer of several words is found
/// nowhere. Throws: FormatError, which begins with the question's place, if
/// passage or question have no words.
PassageText ReadPassageText(const PassageQuestion& question, bool lowercase);

}  // namespace heed

#endif  // HEED_DATA_PASSAGES_H_
