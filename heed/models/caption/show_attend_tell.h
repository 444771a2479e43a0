// Show, Attend and Tell: a recurrent decoder with attention to image cells.
#ifndef HEED_MODELS_CAPTION_SHOW_ATTEND_TELL_H_
#define HEED_MODELS_CAPTION_SHOW_ATTEND_TELL_H_

#include <optional>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/caption/captioner.h"
#include "heed/models/settings.h"
#include "heed/nn/convolution_stack.h"
#include "heed/nn/linear.h"
#include "heed/nn/pooling.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Soft attention to all cells, or hard attention to one sampled cell.
enum class CaptionLook : uint8_t { kSoft, kHard };
constexpr auto WordsOf(CaptionLook) { return std::array{"soft", "hard"}; }

/// User-facing configuration. "auto" and 0 mean the paper's choice.
struct ShowAttendTellConfig : RecurrentAttentionSettings,
                              RecurrentNumbers,
                              ForgetBias {
  ShowAttendTellConfig() { dropout = 0.5; }

  Named<CaptionLook> look = CaptionLook::kSoft;
  int filters = 32;
  Named<YesNo> pool_cells = YesNo::kNo;
  int embedding = 128;
  int units = 128;
  Named<YesNo> gate = YesNo::kYes;
  Named<YesNo> cell_positions = YesNo::kYes;

  void Visit(FieldList& v);
  /// Replaces "auto" and 0. Throws: ConfigError.
  void Fill(const ImageUse& use);
  /// Spec of the attention; settings must be filled. Throws: ConfigError.
  AttentionSpec Attention(const ImageUse& use) const;
};

/// a_i are the features of cell i, given or from three layers of relu(3 × 3)
/// with 2 × 2 max pooling between them (pool_cells: also after them), plus a
/// position embedding (cell_positions):
///   h_0, c_0 = tanh(W relu(W ā)), ā the mean of all a_i
///   α_t = softmax_i f(a_i, h_{t−1}),  z_t = σ(w h_{t−1}) Σ_i α_ti a_i
///   h_t = LSTM([E y_{t−1}; z_t], h_{t−1})
///   p(y_t) = softmax(L_o tanh(E y_{t−1} + L_h h_t + L_z z_t))
/// f is a two-layer MLP by default. Hard attention samples one cell from α in
/// training. Parameters: image.first, .second, .third, .positions;
/// decoder.embedding, .start, .state, .attention, .gate, .lstm, .read_state,
/// .read_context, .output. Paper: Xu et al. 2015, arXiv:1502.03044; the gate
/// and the tanh follow the published code.
class ShowAttendTell : public Captioner {
 public:
  /// Throws: ConfigError.
  ShowAttendTell(const ShowAttendTellConfig& config, const ImageUse& use,
                 int64_t vocabulary, uint64_t seed, DType dtype = DType::kF32);

  Var Cells(const Context& ctx, const Var& images) const override;
  int64_t cell() const override { return cell_; }

  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& kept) const override;
  const OutputLayer& output() const override { return output_; }
  std::string alignment_attention() const override {
    return attention_.info().path;
  }
  bool hard_choices() const override { return hard_; }
  ModelOutline Outline() const override;

 private:
  ImageUse use_;
  int64_t cell_;  // side of a cell in pixels
  double dropout_;
  bool variational_;
  bool hard_;
  std::optional<ConvolutionStack> layers_;  // none: features are given
  Parameter* positions_ = nullptr;          // [Y X F]
  Embedding embedding_;
  Pooling mean_;
  Linear start_, state_;
  Attention attention_;
  std::optional<Linear> gate_;
  Recurrent lstm_;
  Linear read_state_, read_context_;
  OutputProjection output_;
};

}  // namespace heed

#endif  // HEED_MODELS_CAPTION_SHOW_ATTEND_TELL_H_
