// Pictures of attention weights and metrics of texts of heed.h.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/libheed/array.h"
#include "apps/libheed/guard.h"
#include "apps/libheed/picture.h"
#include "heed/base/base64.h"
#include "heed/base/config.h"
#include "heed/base/json.h"
#include "heed/data/image.h"
#include "heed/explain/explanation.h"
#include "heed/explain/payloads.h"
#include "heed/metrics/text_measures.h"
#include "heed/render/explanation_file.h"

namespace heed::c {

void DrawRequest::Visit(FieldList& v) {
  v("format", format, OneOf{"svg", "text", "html", "png", "json"},
    "kind of picture; text: for a terminal");
  PictureRequest::Visit(v);
  v("width", width, Range(20, 1e9), "columns of a terminal");
  v("colour", colour, "colours of a terminal");
}

std::string Draw(const Explanation& explanation, const DrawRequest& options,
                 bool with_methods) {
  PictureChoice choice = options.Choice();
  choice.methods = with_methods;
  if (options.format == "text") {
    return TerminalExplanation(
        explanation, choice,
        {.colour = options.colour, .width = options.width});
  }
  return ExplanationFile(ExplanationFormatOf("." + options.format),
                         {&explanation, 1}, choice);
}

}  // namespace heed::c

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMapName = "attention";

/// Options of heed_draw.
struct DrawOptions {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::string title;
  std::string image;
  DrawRequest picture;

  void Visit(FieldList& v) {
    v("source", source, Any{"LABELS"}, "labels of the columns");
    v("target", target, Any{"LABELS"},
      "labels of the rows; none: the columns'");
    v("title", title, Any{"TEXT"}, "name of the attention");
    v("image", image, Any{"BASE64"}, "PNG or JPEG file whose cells are keys");
    picture.Visit(v);
  }
};

Axis AxisOf(const std::string& id, const std::string& label, int64_t size,
            std::vector<std::string> items) {
  if (items.empty()) {
    for (int64_t i = 0; i < size; ++i) items.push_back(std::to_string(i));
  }
  if (std::ssize(items) != size) {
    throw ShapeError("{} has {} labels, the weights {}", id, items.size(),
                     size);
  }
  Axis axis;
  axis.id = id;
  axis.label = label;
  axis.items = std::move(items);
  return axis;
}

struct Grid {
  int64_t rows = 0;
  int64_t columns = 0;
};

/// A square grid of this many cells if there is one, else the grid nearest to
/// the shape of the image. Throws: ShapeError.
Grid GridOf(int64_t cells, const Image& image) {
  const double shape =
      static_cast<double>(image.width) / static_cast<double>(image.height);
  Grid best;
  double least = std::log(2.0);  // longer cells are no grid of the image
  for (int64_t columns = 1; columns <= cells; ++columns) {
    const int64_t rows = cells / columns;
    if (rows * columns != cells) continue;
    if (rows == columns) return {rows, columns};
    const double off = std::abs(std::log(static_cast<double>(columns) /
                                         (static_cast<double>(rows) * shape)));
    if (off >= least) continue;
    least = off;
    best = {rows, columns};
  }
  if (best.rows > 0) return best;
  throw ShapeError(
      "{} weights are no grid of cells of an image of {} x {} pixels; leave "
      "out the weights of other tokens",
      cells, image.width, image.height);
}

/// Makes the items of an axis cells of an image, row by row.
void PutOnImage(const std::string& base64, Axis& axis) {
  const std::optional<std::string> bytes = FromBase64(base64);
  if (!bytes) throw FormatError("image is not base64");
  const Image image = DecodeImage(*bytes, "image");
  const Grid grid = GridOf(axis.size(), image);
  constexpr int64_t kMostPixels = 1024;  // of a side, unless cells are many
  const int64_t longer = std::max(grid.rows, grid.columns);
  const int64_t cell = std::clamp<int64_t>(
      std::max(image.width / grid.columns, image.height / grid.rows), 1,
      std::max<int64_t>(1, kMostPixels / longer));
  axis.kind = "image";
  axis.label = "Image";
  axis.payload =
      ImagePayload(Resized(image, grid.rows * cell, grid.columns * cell), cell);
}

/// Weights [T, S] or [H, T, S] as an explanation with one attention.
Explanation ExplanationOf(const Tensor& weights, DrawOptions options) {
  const int rank = weights.rank();
  if (rank != 2 && rank != 3) {
    throw ShapeError("weights {} are neither [T, S] nor [H, T, S]",
                     weights.shape().ToString());
  }
  if (weights.dtype() != DType::kF32 && weights.dtype() != DType::kF64) {
    throw ShapeError("weights are f32 or f64, not {}", Name(weights.dtype()));
  }
  const int64_t T = weights.dim(-2);
  const int64_t S = weights.dim(-1);
  if (weights.numel() == 0) throw ShapeError("there are no weights to draw");
  const bool within =
      T == S && options.image.empty() &&
      (options.target.empty() || options.target == options.source);
  AttentionMap map;
  map.name = kMapName;
  map.title = options.title.empty() ? "Attention" : options.title;
  map.heads = rank == 3 ? weights.dim(0) : 1;
  map.query_size = T;
  map.key_size = S;
  map.weights = weights.ToVector<float>();
  for (const float weight : map.weights) {
    if (!std::isfinite(weight)) {
      throw NumericError("a weight is {}; only finite numbers can be drawn",
                         weight);
    }
  }
  ExplanationSegment segment;
  segment.text = options.title;
  segment.axes.push_back(
      AxisOf("source", "Source", S, std::move(options.source)));
  if (!options.image.empty()) {
    PutOnImage(options.image, segment.axes.back());
    segment.answer = options.title;  // the title of a picture of an image
  }
  if (!within) {
    segment.axes.push_back(
        AxisOf("target", "Target", T, std::move(options.target)));
    map.query = "target";
  }
  for (int64_t t = 0; t < T; ++t) {
    segment.targets.push_back({.axis = map.query,
                               .item = t,
                               .map = 0,
                               .head = options.picture.head,
                               .row = t});
  }
  segment.maps.push_back(std::move(map));
  Explanation explanation;
  explanation.segments.push_back(std::move(segment));
  CheckExplanation(explanation);
  return explanation;
}

std::string DrawWeights(const Tensor& weights, const Json& json) {
  DrawOptions options;
  options.picture.view = "alignment";
  FromJson(options, json, "request");
  // A picture of lines has the title of the attention that is named.
  if (options.picture.view == "lines" && !options.title.empty()) {
    options.picture.layer = kMapName;
  }
  const Explanation e = ExplanationOf(weights, options);
  const int64_t heads = e.segments[0].maps[0].heads;
  if (options.picture.head >= heads) {
    throw ConfigError("head is {}; there are {} heads", options.picture.head,
                      heads);
  }
  return Draw(e, options.picture, /*with_methods=*/false);
}

/// Options of heed_metric.
struct MetricOptions {
  std::string metric;
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;

  void Visit(FieldList& v) {
    std::vector<std::string> names;
    for (const TextMeasure& measure : TextMeasures()) {
      names.emplace_back(measure.name);
    }
    v("metric", metric, OneOf(names), "what to compute");
    v("hypotheses", hypotheses, Any{"TEXTS"}, "answers");
    v("references", references, Any{"TEXTS"}, "right answers, one for each");
  }
};

}  // namespace

int32_t heed_draw(const heed_array* weights, const char* request, size_t size,
                  heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    result = new heed_answer{DrawWeights(Needed(weights, "weights").tensor,
                                         JsonOf(request, size, "request"))};
  });
}

int32_t heed_metric(const char* request, size_t size, double* value) {
  return Guard([&] {
    double& result = Needed(value, "value");
    MetricOptions options;
    FromJson(options, JsonOf(request, size, "request"), "request");
    if (options.metric.empty()) throw ConfigError("request: metric is needed");
    result =
        MeasureTexts(options.metric, options.hypotheses, options.references);
  });
}
