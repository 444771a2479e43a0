// Which word of a pair belongs to which, as the attention of a translator says.
#ifndef HEED_TASKS_TRANSLATE_WORD_ALIGNMENT_H_
#define HEED_TASKS_TRANSLATE_WORD_ALIGNMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/explain/alignment.h"
#include "heed/metrics/aer.h"
#include "heed/tasks/translate/translation_model.h"

namespace heed::translate {

/// An attention of a translator to its source, and the step of a word.
struct AttentionChoice {
  int64_t layer = 0;  // of the model's source_attentions()
  int64_t head = -1;  // −1: the mean of all
  /// The weights of the step that reads the word, one behind the step that
  /// writes it: the model knows the word by then.
  /// Paper: Chen et al. 2020, arXiv:2004.14837.
  bool shift = false;

  bool operator==(const AttentionChoice&) const = default;
};

/// What is taken where nothing is said: the attention that was taught with
/// guided_alignment, or that alignment_head names; else the last layer but one,
/// or the only one. Throws: ConfigError if the model has no attention to a
/// source. Paper: Garg et al. 2019, arXiv:1909.02074.
AttentionChoice UsualAttention(const Model& model);

/// How each target word of each pair looked at the words of the source, for
/// each choice: a view has the white-space words as tokens and as weights
///   w_ts = mean over the pieces of target word t of
///          Σ over the pieces of source word s of the attention,
/// of the model that reads the source and is led along the target. What a row
/// lacks to 1 lies on </s> and on spaces. The text is lower-cased first if the
/// model's was, but for the tokens of the views.
/// Shapes: result [choices][pairs].
/// Throws: ConfigError for a layer or head that is not there; FormatError that
/// names the pair if one has more tokens than the model has positions.
std::vector<std::vector<AlignmentView>> WordWeights(
    const Model& model, const ParallelText& text,
    std::span<const AttentionChoice> choices);

/// The attention of a translation between white-space words, as WordWeights:
/// without </s>, and with the pieces of a word as one token.
AlignmentView WordView(const Translation& translation, VocabularyKind source,
                       VocabularyKind target);

/// WordWeights of one choice.
std::vector<AlignmentView> WordWeights(const Model& model,
                                       const ParallelText& text,
                                       const AttentionChoice& choice);

/// The links of UsualAttention: each target word to the source word it looks at
/// most.
std::vector<AlignmentLinks> AlignWords(const Model& model,
                                       const ParallelText& text);

/// The attentions of the models of two directions whose links agree most.
struct AgreedChoice {
  AttentionChoice forward;
  AttentionChoice backward;
  double agreement = 0;  // see AlignmentAgreement
};

/// Tries every layer of both, each at both steps, on the first `pairs` pairs of
/// the text, without gold links; `backward` reads the target and writes the
/// source. Paper: Chen et al. 2020, arXiv:2004.14837.
AgreedChoice ChooseByAgreement(const Model& forward, const Model& backward,
                               const ParallelText& text,
                               const LinkOptions& options = {},
                               int64_t pairs = 500);

/// Empties pairs with a side of more than 2,000 words, tokens of the model's
/// vocabularies, or its position limit, each with a warning on standard error:
/// the weights of all their words would not fit into memory. `reversed`: the
/// model reads the text's target side.
void EmptyLongPairs(ParallelText& text, const Model& model,
                    bool reversed = false);
/// Empties pairs with a side of more than 2,000 words.
void EmptyLongPairs(ParallelText& text);

/// The text with its sides exchanged.
ParallelText Swapped(const ParallelText& text);

/// The two directions as one: w_ts = √(forward w_ts · backward w_st), the
/// tokens and the title of `forward`. Throws: ShapeError if they do not fit.
AlignmentView BothWays(const AlignmentView& forward,
                       const AlignmentView& backward);

/// Lines of links `i-j` (sure) or `i?j` (possible), one for each pair; also the
/// last column of a table of source, target, links. Several files add up.
/// Throws: IoError; FormatError that names file and line for another
/// number of lines, what is no link, or a word that the pair does not have.
std::vector<GoldAlignment> ReadAlignments(const std::vector<std::string>& paths,
                                          const ParallelText& text);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_WORD_ALIGNMENT_H_
