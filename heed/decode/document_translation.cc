#include "heed/decode/document_translation.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "heed/decode/divided_lines.h"
#include "heed/text/markup/mark_placement.h"

namespace heed {
namespace {

/// Removes the target mark at the start of a sentence. Returns the mark, or
/// `usual` if there is none.
std::string TakeMarkOff(Segment& sentence, const TargetMarks& marks,
                        const std::string& usual) {
  const MarkAndText marked = TakeMark(marks, sentence.text, usual);
  const auto taken =
      marked.text.empty()
          ? sentence.text.size()
          : static_cast<size_t>(marked.text.data() - sentence.text.data());
  for (Mark& mark : sentence.marks) mark.at -= std::min(mark.at, taken);
  sentence.text = std::string(marked.text);
  return marked.mark;
}

/// Copy of a translation without the target mark, which is the first source
/// token.
Translation WithoutMark(Translation translation) {
  const size_t columns = translation.source_pieces.size();
  if (columns == 0) return translation;
  translation.source_pieces.erase(translation.source_pieces.begin());
  std::vector<float> attention;
  for (size_t i = 0; i < translation.attention.size(); ++i) {
    if (i % columns > 0) attention.push_back(translation.attention[i]);
  }
  translation.attention = std::move(attention);
  return translation;
}

}  // namespace

std::vector<std::string> MarkSentences(std::span<Segment* const> sentences,
                                       const TargetChoice& target) {
  std::vector<std::string> marked;
  std::string mark = target.mark;
  for (Segment* sentence : sentences) {
    mark = TakeMarkOff(*sentence, target.marks, mark);
    marked.push_back(WithMark(target.marks, sentence->text, mark));
    sentence->has_target_mark = !mark.empty();
  }
  return marked;
}

std::string WriteTarget(const Segment& sentence,
                        const Translation& translation) {
  if (!sentence.has_target_mark) {
    return WriteSentence(sentence, Aligned(translation));
  }
  const Translation without = WithoutMark(translation);
  return WriteSentence(sentence, Aligned(without));
}

std::string TranslateDocument(const Translator& translator,
                              std::string_view document, TextFormat format,
                              const SplitOptions& options,
                              const TargetChoice& target) {
  std::vector<Segment> segments = SplitMarkup(document, format, options);
  std::vector<Segment*> sentences;
  for (Segment& segment : segments) {
    if (segment.translate) sentences.push_back(&segment);
  }
  const std::vector<std::string> read = MarkSentences(sentences, target);
  std::vector<std::string> written;
  constexpr auto kTogether = static_cast<size_t>(kTranslatedTogether);
  for (size_t begin = 0; begin < sentences.size(); begin += kTogether) {
    const size_t end = std::min(begin + kTogether, sentences.size());
    const std::vector<Translations> all =
        translator.Translate(std::span(read).subspan(begin, end - begin),
                             static_cast<int64_t>(begin));
    for (size_t i = begin; i < end; ++i) {
      written.push_back(WriteTarget(*sentences[i], all[i - begin].front()));
    }
  }
  return JoinSegments(segments, written);
}

}  // namespace heed
