// Word alignment by the attention of a translation model.
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

/// A choice of source attention: layer, head and step.
struct AttentionChoice {
  int64_t layer = 0;  // of the model's source_attentions()
  int64_t head = -1;  // −1: mean of all heads
  /// Uses the weights of the step that reads the target word, one after the
  /// step that predicts it: the model then knows the word.
  /// Paper: Chen et al. 2020, arXiv:2004.14837.
  bool shift = false;

  bool operator==(const AttentionChoice&) const = default;
};

/// Default attention: the one trained with guided_alignment or named by
/// alignment_head, else the second-to-last layer, or the only one. Throws:
/// ConfigError if the model has no source attention.
/// Paper: Garg et al. 2019, arXiv:1909.02074.
AttentionChoice UsualAttention(const Model& model);

/// Attention weights between the words of each pair by teacher forcing, for
/// each choice. A view has the white-space words as tokens and the weights
///   w_ts = mean over the pieces of target word t of
///          Σ over the pieces of source word s of the attention.
/// The rest of a row to 1 is the weight of </s> and of spaces. Text is
/// lower-cased first if the model's training text was; the tokens of the views
/// keep their case.
/// Shapes: result [choices][pairs].
/// Throws: ConfigError for an unknown layer or head; FormatError that names the
/// pair if one has more tokens than the model has positions.
std::vector<std::vector<AlignmentView>> WordWeights(
    const Model& model, const ParallelText& text,
    std::span<const AttentionChoice> choices);

/// The attention of a translation between white-space words, as in WordWeights:
/// without </s>, and with the pieces of a word as one token.
AlignmentView WordView(const Translation& translation, VocabularyKind source,
                       VocabularyKind target);

/// WordWeights for a single choice.
std::vector<AlignmentView> WordWeights(const Model& model,
                                       const ParallelText& text,
                                       const AttentionChoice& choice);

/// Links by UsualAttention: each target word to its most attended source word.
std::vector<AlignmentLinks> AlignWords(const Model& model,
                                       const ParallelText& text);

/// The attentions of the models of two directions with the highest agreement of
/// links.
struct AgreedChoice {
  AttentionChoice forward;
  AttentionChoice backward;
  double agreement = 0;  // see AlignmentAgreement
};

/// Compares all layers of both models, each with and without shift, on the
/// first `pairs` pairs of the text, without gold links. `backward` translates
/// from the target to the source.
/// Paper: Chen et al. 2020, arXiv:2004.14837.
AgreedChoice ChooseByAgreement(const Model& forward, const Model& backward,
                               const ParallelText& text,
                               const LinkOptions& options = {},
                               int64_t pairs = 500);

/// Empties pairs with a side of more than 2,000 words or tokens, or beyond the
/// model's positions, each with a warning on standard error. This bounds the
/// memory for the weights of all words. `reversed`: the model reads the text's
/// target side.
void EmptyLongPairs(ParallelText& text, const Model& model,
                    bool reversed = false);
/// Empties pairs with a side of more than 2,000 words.
void EmptyLongPairs(ParallelText& text);

/// Swaps source and target of the text.
ParallelText Swapped(const ParallelText& text);

/// Combines two directions: w_ts = √(forward w_ts · backward w_st), with the
/// tokens and the title of `forward`. Throws: ShapeError if sizes differ.
AlignmentView BothWays(const AlignmentView& forward,
                       const AlignmentView& backward);

/// Reads lines of links `i-j` (sure) or `i?j` (possible), one line per pair, or
/// the last column of a table of source, target, links. Several files are
/// concatenated. Throws: IoError; FormatError that names file and line for a
/// wrong number of lines, a malformed link, or a word that the pair does not
/// have.
std::vector<GoldAlignment> ReadAlignments(const std::vector<std::string>& paths,
                                          const ParallelText& text);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_WORD_ALIGNMENT_H_
