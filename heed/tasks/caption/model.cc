
#include <utility>

#include "heed/base/json.h"
#include "heed/tasks/caption/caption.h"

namespace heed::caption {
namespace {

constexpr const char* kCaptionsFile = "captions.json";

Config FilledFor(Config config, const ImageFormat& format) {
  config.model->Fill(CaptionUse(format));
  return config;
}

}  // namespace

ImageUse CaptionUse(const ImageFormat& format) {
  return {format.height, format.width, format.channels};
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const std::string place = PathIn(folder, kCaptionsFile);
  const ImageFormat format = FormatFromJson(
      ParseJson(FindFile(files, folder, kCaptionsFile), place), place);
  return std::make_unique<Model>(*this, format,
                                 data.vocabulary.Find(files, folder), seed);
}

Model::Model(Config settings, const ImageFormat& format, Vocabulary words,
             uint64_t seed)
    : format(format),
      vocabulary(std::move(words)),
      config(FilledFor(std::move(settings), format)),
      network(config.model->Make(CaptionUse(format), vocabulary.size(), seed)) {
}

ModelFiles Model::Files() const {
  return {{kCaptionsFile, ToJson(format).dump(2) + "\n"},
          {config.data.vocabulary.FileName(), vocabulary.Serialize()}};
}

}  // namespace heed::caption
