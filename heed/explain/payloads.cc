#include "heed/explain/payloads.h"

#include <algorithm>
#include <utility>

#include "heed/base/base64.h"

namespace heed {

using Json = nlohmann::ordered_json;

ImagePayload::ImagePayload(Image own, int64_t side_of_cell)
    : image(std::move(own)),
      cell(side_of_cell),
      png(ToBase64(EncodePng(image))) {}

std::vector<std::vector<int>> ThumbnailOf(const Image& image) {
  constexpr int64_t kSide = 40;
  const int64_t longer = std::max(image.height, image.width);
  const auto side = [&](int64_t length) {
    return longer <= kSide ? length
                           : std::max<int64_t>(1, length * kSide / longer);
  };
  const Image small =
      Resized(WithChannels(image, 1), side(image.height), side(image.width));
  std::vector<std::vector<int>> rows;
  for (int64_t y = 0; y < small.height; ++y) {
    rows.emplace_back(small.pixels.begin() + y * small.width,
                      small.pixels.begin() + (y + 1) * small.width);
  }
  return rows;
}

Json PayloadJson(const ImagePayload& payload) {
  Json json = {{"width", payload.image.width},
               {"height", payload.image.height},
               {"cell", payload.cell},
               {"grey", ThumbnailOf(payload.image)},
               {"png", payload.png}};
  for (const auto& look : payload.looks) {
    Json windows = Json::array();
    Json seen = Json::array();
    for (const ImagePayload::Window& window : look) {
      windows.push_back({window.left, window.top, window.side});
      seen.push_back(window.png);
    }
    json["looks"].push_back({{"windows", windows}, {"seen", seen}});
  }
  return json;
}

Json PayloadJson(const SoundPayload& payload) {
  return {{"seconds", payload.seconds},
          {"step", payload.step},
          {"spectrogram_seconds", payload.drawn},
          {"rate", payload.rate},
          {"grey", payload.grey},
          {"png", payload.png},
          {"wav", payload.wav}};
}

Json PayloadJson(const SeriesPayload& payload) {
  return {{"columns", payload.columns},
          {"values", payload.values},
          {"column", payload.column}};
}

Json PayloadJson(const GraphPayload& payload) {
  Json edges = Json::array();
  for (const GraphPayload::Edge& edge : payload.edges) {
    edges.push_back({edge.from, edge.to, edge.width});
  }
  return {{"classes", payload.classes},   {"drawn", payload.nodes},
          {"labels", payload.labels},     {"hops", payload.hops},
          {"left_out", payload.left_out}, {"predicted", payload.predicted},
          {"places", payload.places},     {"edges", std::move(edges)}};
}

Json PayloadJson(const TimelinePayload& payload) {
  Json json = Json::object();
  if (!payload.times.empty()) json["times"] = payload.times;
  if (payload.bias) json["bias"] = *payload.bias;
  if (!payload.beta.empty()) json["beta"] = payload.beta;
  return json;
}

Json PayloadJson(const ReviewsPayload& payload) {
  Json reviews = Json::array();
  for (const auto& known : payload.reviews) {
    reviews.push_back(
        known ? Json{{"name", known->name}, {"rating", known->rating}}
              : Json::object());
  }
  return {{"reviews", std::move(reviews)}};
}

Json PayloadJson(const RatingPayload& payload) {
  Json json = {
      {"from", payload.from}, {"user", payload.user}, {"item", payload.item}};
  if (payload.parts) {
    json["parts"] = {{"mean", payload.parts->mean},
                     {"user", payload.parts->user},
                     {"item", payload.parts->item},
                     {"reviews", payload.parts->reviews}};
  }
  return json;
}

Json PayloadJson(const StepsPayload& payload) {
  return {{"values", payload.values}};
}

Json PayloadJson(const AnswerStepsPayload& payload) {
  return {{"begin", payload.begin},
          {"values", payload.values},
          {"expected", payload.expected}};
}

Json PayloadJson(const MemoryPayload& payload) {
  return {{"add", payload.add}, {"read", payload.read}};
}

}  // namespace heed
