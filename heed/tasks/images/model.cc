
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/tasks/images/images.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::images {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kImagesFile = "images.json";

/// The config with model settings filled in for this image use.
Config FilledFor(Config config, const ImageUse& use) {
  config.model->Fill(use);
  return config;
}

ImageUse UseOf(const ImageFormat& format, int64_t classes) {
  return {format.height, format.width, format.channels, classes};
}

std::vector<std::string> NamesOf(const Json& json, const std::string& place) {
  std::vector<std::string> names;
  const auto found = json.find("classes");
  if (found != json.end() && found->is_array()) {
    for (const Json& name : *found) {
      if (!name.is_string()) break;
      names.push_back(name.get<std::string>());
    }
  }
  if (names.size() < 2 || names.size() != found->size()) {
    throw FormatError("{}: 'classes' are not the names of two classes or more",
                      place);
  }
  return names;
}

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const std::string place = PathIn(folder, kImagesFile);
  const Json json = ParseJson(FindFile(files, folder, kImagesFile), place);
  const ImageFormat format = FormatFromJson(json, place);
  return std::make_unique<Model>(*this, format, NamesOf(json, place), seed);
}

Model::Model(Config settings, const ImageFormat& own,
             std::vector<std::string> class_names, uint64_t seed)
    : ImageClassesModel(settings.data.canvas.FormatOf(own),
                        std::move(class_names)),
      own_format(own),
      config(
          FilledFor(std::move(settings), UseOf(format, std::ssize(classes)))),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""),
                                 UseOf(format, std::ssize(classes)))) {}

ModelFiles Model::Files() const {
  Json json = ToJson(own_format);
  json["classes"] = classes;
  return {{kImagesFile, json.dump(2) + "\n"}};
}

Image Model::Prepared(const Image& image, const std::string& /*place*/) const {
  const bool on_canvas = config.data.canvas.canvas > 0 &&
                         image.height <= format.height &&
                         image.width <= format.width;
  if (!on_canvas) return Fitted(image, format);
  // Scale to the image size of training.
  const Image own = image.height == format.height && image.width == format.width
                        ? WithChannels(image, format.channels)
                        : Fitted(image, own_format);
  return Centred(own, format);
}

}  // namespace heed::images
