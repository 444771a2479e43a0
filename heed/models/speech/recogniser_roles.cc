// Registry rows of speech recognisers.
#include "heed/models/recurrent/encoder_decoder.h"
#include "heed/models/registry.h"
#include "heed/models/speech/recogniser.h"

namespace heed {
namespace {

/// Recurrent encoder-decoder with location-aware attention.
struct RecogniserConfig : RecurrentConfig {
  RecogniserConfig() {
    normalizer = "smoothed_sigmoid";
    // At 30 ms per frame, 1.35 s to each side: the next word of a slow speaker.
    modifiers = "median_window(45)";
    embedding = 128;
    units = 128;
  }
};

class RecurrentRecogniser
    : public SettingsOf<RecurrentRecogniser, RecogniserSettings,
                        RecogniserConfig> {
 public:
  using SettingsOf::SettingsOf;

  void Fill() override {
    config_.model = model_;
    config_.Fill();
    (void)config_.Resolve();
  }
  std::unique_ptr<Decoder> Make(int64_t features, int vocabulary, uint64_t seed,
                                DType dtype) const override {
    return std::make_unique<EncoderDecoder>(
        config_.Resolve(),
        EncoderDecoder::SourceSize{.frame_features = features}, vocabulary,
        seed, dtype);
  }
};

}  // namespace

std::vector<ModelRow> RecogniserModels() {
  return {{.name = "arsg",
           .variants = {{"chorowski",
                         "a recurrent decoder whose attention to frames of a "
                         "sound sees where it was",
                         "Chorowski et al. 2015, arXiv:1506.07503",
                         "cell=gru layers=1 bidirectional=yes "
                         "reverse_source=no bridge=project attention=fed "
                         "score=location_aware(10,50) input_feeding=no "
                         "readout=maxout readout_state=cur"}},
           .roles = {MakeRole<RecurrentRecogniser>}}};
}

}  // namespace heed
