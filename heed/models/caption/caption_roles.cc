// Registry rows of image captioners.
#include "heed/models/caption/show_attend_tell.h"
#include "heed/models/registry.h"

namespace heed {
namespace {

class ShowAttendTellOfImages
    : public SettingsOf<ShowAttendTellOfImages, CaptionerSettings,
                        ShowAttendTellConfig> {
 public:
  using SettingsOf::SettingsOf;
  void Fill(const ImageUse& use) override { config_.Fill(use); }
  std::unique_ptr<Captioner> Make(const ImageUse& use, int64_t vocabulary,
                                  uint64_t seed, DType dtype) const override {
    return std::make_unique<ShowAttendTell>(config_, use, vocabulary, seed,
                                            dtype);
  }
};

}  // namespace

std::vector<ModelRow> CaptionModels() {
  return {{.name = "sat",
           .variants = {{"",
                         "a recurrent decoder that looks at cells of an image, "
                         "word by word",
                         "Xu et al. 2015, arXiv:1502.03044"}},
           .roles = {MakeRole<ShowAttendTellOfImages>}}};
}

}  // namespace heed
