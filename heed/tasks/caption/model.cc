
#include <utility>

#include "heed/base/json.h"
#include "heed/tasks/caption/caption.h"

namespace heed::caption {
namespace {

constexpr const char* kCaptionsFile = "captions.json";
constexpr int64_t kMaxFeatureExtent = int64_t{1} << 24;

Config FilledFor(Config config, const Source& source) {
  config.model->Fill(source.Use());
  return config;
}

nlohmann::ordered_json SourceJson(const Source& source) {
  const ImageFormat& format = source.format;
  if (!source.of_features) return ToJson(format);
  return {{"rows", format.height},
          {"columns", format.width},
          {"features", format.channels}};
}

Source SourceFromJson(const nlohmann::ordered_json& json,
                      const std::string& place) {
  if (!json.is_object() || !json.contains("features")) {
    return {FormatFromJson(json, place)};
  }
  const auto size = [&](const char* key) {
    return SizeIn(json, key, place, kMaxFeatureExtent);
  };
  return {{size("rows"), size("columns"), size("features")}, true};
}

}  // namespace

ImageUse Source::Use() const {
  return {.height = format.height,
          .width = format.width,
          .channels = format.channels,
          .of_features = of_features};
}

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const std::string place = PathIn(folder, kCaptionsFile);
  const Source source = SourceFromJson(
      ParseJson(FindFile(files, folder, kCaptionsFile), place), place);
  return std::make_unique<Model>(*this, source,
                                 data.vocabulary.Find(files, folder), seed);
}

Model::Model(Config settings, const Source& source, Vocabulary words,
             uint64_t seed)
    : source(source),
      vocabulary(std::move(words)),
      config(FilledFor(std::move(settings), source)),
      network(config.model->Make(source.Use(), vocabulary.size(), seed)) {}

ModelFiles Model::Files() const {
  return {{kCaptionsFile, SourceJson(source).dump(2) + "\n"},
          {config.data.vocabulary.FileName(), vocabulary.Serialize()}};
}

}  // namespace heed::caption
