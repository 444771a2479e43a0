// From lines of text to lines of text.
#ifndef HEED_DECODE_TRANSLATOR_H_
#define HEED_DECODE_TRANSLATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/data/shortlist.h"
#include "heed/decode/hypothesis.h"
#include "heed/models/decoder.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// One translation of a line. A line without a word has an empty one: no text,
/// no pieces, score 0.
struct Translation {
  std::string text;
  double score = 0;                        ///< as Hypothesis::score
  double log_probability = 0;              ///< as Hypothesis::log_probability
  std::vector<std::string> source_pieces;  ///< the last one is </s>
  std::vector<std::string> target_pieces;  ///< the last one is </s>
  std::vector<int32_t> target_ids;         ///< the tokens of these pieces
  bool source_cut = false;        ///< its end has no positions in the model
  bool at_last_position = false;  ///< see Hypothesis
  /// How much each target piece looked at each source piece, row-major
  /// [target_pieces, source_pieces]; empty if it was not asked for
  /// (DecodeOptions::keep_attention) or the model has none.
  std::vector<float> attention;
};

/// Gets, while a line is translated, the subword tokens that will not be taken
/// back, and at last all of them (see PrefixObserver); nothing of a line
/// without a word. Called from several threads at the same time.
using PiecesObserver = std::function<void(
    int64_t line, const std::vector<std::string>& pieces, bool whole)>;

/// As SearchHooks, of the lines by their places. A cancelled line has an empty
/// translation.
struct TranslateHooks {
  PiecesObserver observer;
  std::vector<const Cancellation*> cancellations;
};

/// Best first, at least one.
using Translations = std::vector<Translation>;

/// What is shown of them, a line each: the text, or with `nbest`
/// "index ||| text ||| score".
std::string LinesOf(int64_t index, const Translations& translations,
                    bool nbest);

/// Reads the shortlist that the options name: from a lexicon, or from the
/// model's folder; null if they name none. Throws: IoError; FormatError.
std::shared_ptr<const Shortlist> ReadShortlist(const DecodeOptions& options,
                                               const std::string& model_folder,
                                               const Vocabulary& source,
                                               const Vocabulary& target);

/// Encodes a line for the model, with </s> at the end, truncated to the
/// position limit of the model.
Encoded EncodeSource(const Decoder& model, const Vocabulary& vocabulary,
                     const std::string& line, bool lowercase);

/// Warns on standard error how many translations met the end of the model's
/// positions, if some did.
void WarnOfPositions(const Decoder& model, std::span<const Translations> all);

/// Immutable, used from many threads. The model must outlive it.
class Translator {
 public:
  /// `lowercase`: as the model's training text was. With a shortlist, only what
  /// it lists for the sentences of a batch is written.
  /// Throws: ConfigError for options out of range, or that do not fit the
  /// vocabularies.
  Translator(const Decoder& model, Vocabulary source, Vocabulary target,
             bool lowercase, const DecodeOptions& options,
             std::shared_ptr<const Shortlist> shortlist = nullptr);

  const Decoder& model() const { return model_; }
  /// The translations of each line. Lines of similar length are translated
  /// together, several batches at the same time; the results stand in the order
  /// of the lines. `first` is the
  /// number of the first line in the whole text: samples depend on it, errors
  /// name it. Throws: FormatError for a line that is not valid UTF-8; and as
  /// BeamSearch, but for Cancelled.
  std::vector<Translations> Translate(std::span<const std::string> lines,
                                      int64_t first = 0,
                                      const TranslateHooks& hooks = {}) const;

 private:
  /// Each ends with </s>; nothing for a line without a word.
  struct Sentences {
    std::vector<std::vector<int32_t>> ids;
    std::vector<std::vector<std::string>> pieces;
    std::vector<char> cut;
  };
  Sentences Encode(std::span<const std::string> lines) const;
  std::vector<std::vector<int64_t>> PlanBatches(
      const Sentences& sentences) const;
  void TranslateBatch(const Sentences& sentences,
                      const std::vector<int64_t>& indices, int64_t first,
                      const TranslateHooks& hooks,
                      std::vector<Translations>& results) const;
  std::vector<std::string> Settled(std::span<const int32_t> tokens) const;
  Translation Write(const std::vector<std::string>& source_pieces,
                    Hypothesis hypothesis) const;

  const Decoder& model_;
  Vocabulary source_;
  Vocabulary target_;
  bool lowercase_;
  DecodeOptions options_;
  std::shared_ptr<const Shortlist> shortlist_;
};

}  // namespace heed

#endif  // HEED_DECODE_TRANSLATOR_H_
