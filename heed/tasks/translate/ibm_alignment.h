// Which word of a pair belongs to which, as IBM models 1 and 2 say: what pairs
// of sentences alone allow, beside which the attention of a translator stands.
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

/// Up to so many pairs models are learnt before progress need be shown.
inline constexpr int64_t kQuietIbmPairs = 20'000;

/// "ibm1" and "ibm2": instead of a model's folder.
std::span<const char* const> IbmModelNames();
/// What such a name stands for, or nothing. Model 1 is learnt by maximum
/// likelihood, model 2 with variational Bayes, as in Dyer et al. 2013.
std::optional<AlignerOptions> IbmModelOf(std::string_view name);

/// What a user may change of them.
struct IbmOptions {
  int iterations = 5;
  double tension = 4;
  bool learn_tension = true;
  double null_probability = 0.08;
  double alpha = -1;  // below 0: by the model
  bool lowercase = false;

  void Visit(FieldList& v);
  /// IbmModelOf `name` with these.
  AlignerOptions Applied(std::string_view name) const;
};

/// A WordAligner of white-space words. Immutable; used from many threads.
class IbmAligner {
 public:
  /// Learns from the pairs of `text`, but for those of more than 2,000 words on
  /// a side. With `lowercase` words that differ in case are one.
  IbmAligner(const ParallelText& text, const AlignerOptions& options,
             bool lowercase, const WordAligner::OnIteration& on_iteration = {});

  /// Of each pair the posterior of source word s for target word t as weights
  /// w_ts (what a row lacks to 1 is of the empty word) and the most probable
  /// links. Runs on all threads.
  std::vector<AlignmentView> Align(const ParallelText& text) const;

  double tension() const { return aligner_->tension(); }
  /// Pairs that were learnt from.
  int64_t pairs() const { return pairs_; }

 private:
  using Numbers = std::unordered_map<std::string, int32_t>;
  /// Words that are new are added to `numbers`.
  std::vector<int32_t> Learn(std::string_view line, Numbers& numbers) const;
  std::vector<int32_t> Find(std::string_view line,
                            const Numbers& numbers) const;

  bool lowercase_;
  int64_t pairs_ = 0;
  Numbers sources_;
  Numbers targets_;
  std::optional<WordAligner> aligner_;
};

/// Whether and from which pairs the IBM models learn that stand beside an
/// alignment error rate.
struct BaselineOptions {
  bool baselines = true;
  PairFiles learn;

  void Visit(FieldList& v);
};

/// An error rate that stands beside that of an attention.
struct AlignmentBaseline {
  std::string key;    // "ibm1", "ibm1_backward", "ibm1_both"
  std::string label;  // "IBM model 1", "IBM model 1, backward", ...
  AlignmentScore score;
};

struct AlignmentBaselines {
  std::vector<AlignmentBaseline> rows;
  /// "EM on the 29000 training pairs".
  std::string origin;
};

/// IBM models 1 and 2 of both directions, learnt from the files that the
/// options name, else from those that a model was trained on (`data`), and made
/// one by `method`. Of more than 200,000 pairs every second or every so many
/// are taken. Empty if they are not wanted, or, with a warning on standard
/// error, if the files of `data` cannot be read. Progress is shown where there
/// are more than 20,000 pairs. Throws: as PairFiles::Read for files of the
/// options.
AlignmentBaselines MeasureBaselines(const BaselineOptions& options,
                                    const DataConfig& data,
                                    const ParallelText& text,
                                    std::span<const GoldAlignment> gold,
                                    Symmetrization method);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_IBM_ALIGNMENT_H_
