// Word alignment by IBM models 1 and 2, trained on sentence pairs alone: a
// baseline for alignment by attention.
#ifndef HEED_TASKS_TRANSLATE_IBM_ALIGNMENT_H_
#define HEED_TASKS_TRANSLATE_IBM_ALIGNMENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/word_aligner.h"
#include "heed/explain/alignment.h"
#include "heed/metrics/symmetrize.h"
#include "heed/tasks/translate/parallel_text.h"

namespace heed::translate {

/// Number of pairs up to which training shows no progress.
inline constexpr int64_t kQuietIbmPairs = 20'000;

/// Names of the models, "ibm1" and "ibm2", accepted instead of a model folder.
std::span<const char* const> IbmModelNames();
/// Default options of the model of this name; none for another name. Model 1 is
/// trained by maximum likelihood, model 2 with variational Bayes, as in Dyer et
/// al. 2013.
std::optional<AlignerOptions> IbmModelOf(std::string_view name);

/// Command-line options of the IBM models.
struct IbmOptions {
  int iterations = 5;
  double tension = 4;
  bool learn_tension = true;
  double null_probability = 0.08;
  double alpha = -1;  // below 0: the model's default
  bool lowercase = false;

  void Visit(FieldList& v);
  /// IbmModelOf(name) with these options.
  AlignerOptions Applied(std::string_view name) const;
};

/// A WordAligner of white-space words. Immutable and thread-safe.
class IbmAligner {
 public:
  /// Trains on the pairs of `text`, except those with more than 2,000 words on
  /// a side. `lowercase`: ignore case.
  IbmAligner(const ParallelText& text, const AlignerOptions& options,
             bool lowercase, const WordAligner::OnIteration& on_iteration = {});

  /// For each pair, weights w_ts = posterior of source word s for target word t
  /// (the rest to 1 is the empty word), and the most probable links. Runs on
  /// all threads.
  std::vector<AlignmentView> Align(const ParallelText& text) const;

  double tension() const { return aligner_->tension(); }
  /// Number of training pairs.
  int64_t pairs() const { return pairs_; }

 private:
  using Numbers = std::unordered_map<std::string, int32_t>;
  /// Converts words to ids, adding new words to `numbers`.
  std::vector<int32_t> Learn(std::string_view line, Numbers& numbers) const;
  std::vector<int32_t> Find(std::string_view line,
                            const Numbers& numbers) const;

  bool lowercase_;
  int64_t pairs_ = 0;
  Numbers sources_;
  Numbers targets_;
  std::optional<WordAligner> aligner_;
};

/// Options of the IBM baselines of an alignment error rate: whether to train
/// them, and on which pairs.
struct BaselineOptions {
  bool baselines = true;
  PairFiles learn;

  void Visit(FieldList& v);
};

/// Scores of a baseline alignment.
struct AlignmentBaseline {
  std::string key;    // "ibm1", "ibm1_backward", "ibm1_both"
  std::string label;  // "IBM model 1", "IBM model 1, backward", ...
  AlignmentScore score;
};

struct AlignmentBaselines {
  std::vector<AlignmentBaseline> rows;
  /// Training data: "EM on the 29000 training pairs".
  std::string origin;
};

/// Trains and scores IBM models 1 and 2 of both directions and their
/// symmetrization by `method`. Training pairs come from the files of the
/// options, else from those of the model (`data`). Above 200,000 pairs, every
/// n-th pair is used. Empty if baselines are disabled or, with a warning, if
/// the files of `data` cannot be read. Shows progress above 20,000 pairs.
/// Throws: as PairFiles::Read for files of the options.
AlignmentBaselines MeasureBaselines(const BaselineOptions& options,
                                    const DataConfig& data,
                                    const ParallelText& text,
                                    std::span<const GoldAlignment> gold,
                                    Symmetrization method);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_IBM_ALIGNMENT_H_
