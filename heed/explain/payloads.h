// Payload types of the axis kinds; docs/reference/file_formats.md describes
// their JSON.
#ifndef HEED_EXPLAIN_PAYLOADS_H_
#define HEED_EXPLAIN_PAYLOADS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/data/image.h"

namespace heed {

/// Rows of numbers.
using VectorRows = std::vector<std::vector<double>>;

/// An image divided into square cells, row by row.
struct ImagePayload {
  /// A square region in pixels of the image; it may extend beyond the image.
  struct Window {
    int64_t left = 0;
    int64_t top = 0;
    int64_t side = 0;
    std::string png;  ///< pixels of the region, base64
  };

  /// Encodes the image as PNG.
  ImagePayload(Image own, int64_t side_of_cell);

  int64_t columns() const { return image.width / cell; }

  Image image;
  int64_t cell = 0;  ///< side in pixels
  std::string png;   ///< image file, base64
  /// Windows of each glimpse, smallest first; empty: the image was read at
  /// once.
  std::vector<std::vector<Window>> looks;
};
nlohmann::ordered_json PayloadJson(const ImagePayload& payload);

/// Small grey version of the image for terminals, rows of 0 to 255.
std::vector<std::vector<int>> ThumbnailOf(const Image& image);

/// A sound and its spectrogram.
struct SoundPayload {
  double seconds = 0;
  double step = 0;                     ///< seconds per item
  double drawn = 0;                    ///< seconds of the spectrogram
  int rate = 0;                        ///< Hz
  std::vector<std::vector<int>> grey;  ///< small spectrogram, 0 to 255
  std::string png;                     ///< spectrogram as a file, base64
  std::string wav;                     ///< sound as a file, base64

  /// Share of the spectrogram's duration that `items` items cover; above 1 if
  /// the last item ends after the spectrogram.
  double ShareOf(int64_t items) const {
    return step * static_cast<double>(items) / drawn;
  }
};
nlohmann::ordered_json PayloadJson(const SoundPayload& payload);

/// Columns of a time series; one of them is shown.
struct SeriesPayload {
  std::vector<std::string> columns;
  VectorRows values;  ///< per column, in its unit
  std::string column;
};
nlohmann::ordered_json PayloadJson(const SeriesPayload& payload);

/// Nodes in a plane and their edges.
struct GraphPayload {
  struct Edge {
    int64_t from = 0;
    int64_t to = 0;
    double width = 0;  ///< 1: the widest
  };

  std::vector<std::string> classes;
  std::vector<int32_t> nodes;   ///< position in the picture, per item
  std::vector<int32_t> labels;  ///< class of each item; -1: unknown
  std::vector<int32_t> hops;    ///< distance of each item from the first item
  int64_t left_out = 0;         ///< nodes at these distances that are not shown
  std::vector<int32_t> predicted;             ///< per node of the picture
  std::vector<std::array<double, 2>> places;  ///< per node. Units: 0 to 1
  std::vector<Edge> edges;                    ///< between nodes of the picture
};
nlohmann::ordered_json PayloadJson(const GraphPayload& payload);

/// Visits of a patient.
struct TimelinePayload {
  std::vector<double> times;   ///< per visit; empty: unknown
  std::optional<double> bias;  ///< of the log-odds
  VectorRows beta;  ///< feature weights in bands, per visit; empty: unknown
};
nlohmann::ordered_json PayloadJson(const TimelinePayload& payload);

/// Reviews that form a document.
struct ReviewsPayload {
  struct Known {
    std::string name;  ///< user or item on the other side
    double rating = 0;
  };
  std::vector<std::optional<Known>> reviews;
};
nlohmann::ordered_json PayloadJson(const ReviewsPayload& payload);

/// Components of a predicted rating.
struct RatingPayload {
  struct Parts {
    double mean = 0;
    double user = 0;
    double item = 0;
    double reviews = 0;
  };
  /// Source of the rating: "model", or a mean as the fallback: "item_mean",
  /// "user_mean", "mean".
  std::string from;
  std::string user;
  std::string item;
  std::optional<Parts> parts;
};
nlohmann::ordered_json PayloadJson(const RatingPayload& payload);

/// Input vectors, step by step.
struct StepsPayload {
  VectorRows values;
};
nlohmann::ordered_json PayloadJson(const StepsPayload& payload);

/// Output vectors from step `begin` on.
struct AnswerStepsPayload {
  int64_t begin = 0;
  VectorRows values;
  VectorRows expected;
};
nlohmann::ordered_json PayloadJson(const AnswerStepsPayload& payload);

/// Vectors added to and read from a memory, step by step.
struct MemoryPayload {
  VectorRows add;
  VectorRows read;
};
nlohmann::ordered_json PayloadJson(const MemoryPayload& payload);

}  // namespace heed

#endif  // HEED_EXPLAIN_PAYLOADS_H_
