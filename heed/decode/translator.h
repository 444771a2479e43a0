// Translation of lines of text.
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

/// One translation of a line. A line without words has an empty translation: no
/// text, no pieces, score 0.
struct Translation {
  std::string text;
  double score = 0;                        ///< as Hypothesis::score
  double log_probability = 0;              ///< as Hypothesis::log_probability
  std::vector<std::string> source_pieces;  ///< ends with </s>
  std::vector<std::string> target_pieces;  ///< ends with </s>
  /// Ids of target_pieces; temporary ones if they were copied.
  std::vector<int32_t> target_ids;
  /// Log-probability of each of target_pieces; empty if not requested
  /// (DecodeOptions::keep_scores).
  std::vector<float> log_probabilities;
  bool source_cut = false;        ///< truncated to the position limit
  bool at_last_position = false;  ///< see Hypothesis
  /// Attention of each target piece over the source pieces, row-major
  /// [target_pieces, source_pieces]. Empty if not requested
  /// (DecodeOptions::keep_attention) or if the model has none.
  std::vector<float> attention;
};

/// Receives, while a line is translated, its final subword tokens so far, and
/// at the end all of them (see PrefixObserver). Not called for a line without
/// words. Called from several threads concurrently.
using PiecesObserver = std::function<void(
    int64_t line, const std::vector<std::string>& pieces, bool whole)>;

/// SearchHooks for lines, by their indices. A cancelled line has an empty
/// translation.
struct TranslateHooks {
  PiecesObserver observer;
  std::vector<const Cancellation*> cancellations;
};

/// Translations of one line, best first, at least one.
using Translations = std::vector<Translation>;

/// Output lines for translations: each text or, with `nbest`, "index ||| text
/// ||| score".
std::string LinesOf(int64_t index, const Translations& translations,
                    bool nbest);

/// Reads the shortlist that the options select: from a lexicon, or from the
/// model's folder; null if they select none. Throws: IoError; FormatError.
std::shared_ptr<const Shortlist> ReadShortlist(const DecodeOptions& options,
                                               const std::string& model_folder,
                                               const Vocabulary& source,
                                               const Vocabulary& target);

/// Encodes a line for the model, with </s> at the end, truncated to the
/// position limit of the model, and with temporary ids if it copies. `cut`, if
/// not null, receives whether the line was truncated.
Encoded EncodeSource(const Decoder& model, const Vocabulary& vocabulary,
                     const std::string& line, bool lowercase,
                     bool* cut = nullptr);

/// Warns on standard error if translations reached the position limit of the
/// model, and how many.
void WarnOfPositions(const Decoder& model, std::span<const Translations> all);

/// Translates lines with a model. Immutable; thread-safe. The model must
/// outlive it.
class Translator {
 public:
  /// `lowercase`: the training text was lower-cased. With a shortlist, only the
  /// tokens it lists for a sentence are generated in its translation.
  /// Throws: ConfigError for options out of range, or that do not fit the
  /// vocabularies.
  Translator(const Decoder& model, Vocabulary source, Vocabulary target,
             bool lowercase, const DecodeOptions& options,
             std::shared_ptr<const Shortlist> shortlist = nullptr);

  const Decoder& model() const { return model_; }
  /// Translates each line. Lines of similar length are batched, and several
  /// batches run concurrently; results are in line order. `first` is the number
  /// of the first line in the whole text; samples depend on it and errors name
  /// it. Throws: FormatError for a line that is not valid UTF-8; otherwise as
  /// BeamSearch, except Cancelled.
  std::vector<Translations> Translate(std::span<const std::string> lines,
                                      int64_t first = 0,
                                      const TranslateHooks& hooks = {}) const;

 private:
  /// Encoded lines; each ends with </s>, and is empty for a line without words.
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
  std::vector<std::string> Settled(
      std::span<const int32_t> tokens,
      const std::vector<std::string>& source_pieces) const;
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
