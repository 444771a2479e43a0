// Collects every attention of a computation.
#ifndef HEED_EXPLAIN_ATTENTION_RECORDER_H_
#define HEED_EXPLAIN_ATTENTION_RECORDER_H_

#include <functional>
#include <string>
#include <vector>

#include "heed/autograd/recorder.h"
#include "heed/explain/explanation.h"

namespace heed {

/// Keeps the weights of all layers, heads and steps of a batch, and the parts
/// of one layer if asked for. Used by one computation.
class AttentionRecorder : public Recorder {
 public:
  /// `parts_of`: the layer whose parts are kept, or none.
  explicit AttentionRecorder(std::string parts_of = {})
      : parts_of_(std::move(parts_of)) {}

  void OnAttention(const std::string& layer, int head, int64_t step,
                   const Tensor& weights) override;
  bool WantsParts(const std::string& layer) override {
    return layer == parts_of_;
  }
  void OnParts(const std::string& layer, int64_t step,
               const AttentionParts& parts) override;

  /// The layers that were told of, in the order of computation.
  std::vector<std::string> layers() const;

  /// The weights of row `b` of the batch, layer by layer, without `queries` and
  /// `keys`. A layer that is run step by step is put together: row t is what
  /// step t looked at, keys that were not there yet having weight 0.
  std::vector<LayerAttention> Collect(int64_t b = 0) const;

  /// The parts of row `b` for each head of the layer that was asked for; empty
  /// if no layer has this name.
  std::vector<AttentionPanels> Panels(int64_t b = 0) const;

 private:
  struct Layer {
    std::string name;
    std::vector<std::vector<Tensor>> heads;  // steps of each [B, T, S]
  };
  std::string parts_of_;
  std::vector<Layer> layers_;
  std::vector<AttentionParts> parts_;
};

}  // namespace heed

#endif  // HEED_EXPLAIN_ATTENTION_RECORDER_H_
