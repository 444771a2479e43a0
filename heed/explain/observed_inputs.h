// Input vectors of a model, as part of an explanation.
#ifndef HEED_EXPLAIN_OBSERVED_INPUTS_H_
#define HEED_EXPLAIN_OBSERVED_INPUTS_H_

#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/explain/explanation.h"

namespace heed {

/// Keeps attention values and, if `inputs` is set, the vectors of a model
/// input, the vectors added to them and the sum (see TextEmbedding).
class InputWatch : public AttentionWatch {
 public:
  InputWatch(Selector select, bool inputs, std::string input = "source")
      : AttentionWatch(std::move(select)),
        inputs_(inputs),
        input_(std::move(input)) {}

  bool WantsInput(const std::string& name) override;
  Var OnInput(const std::string& name, const Var& x) override;

  /// Vectors of row `b` of the batch, in the order of summation.
  std::vector<InputVectors> Vectors(int64_t b = 0) const;

 private:
  bool inputs_;
  std::string input_;
  std::vector<std::pair<std::string, Tensor>> kept_;
};

}  // namespace heed

#endif  // HEED_EXPLAIN_OBSERVED_INPUTS_H_
