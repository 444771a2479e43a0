// The payloads of the kinds of axes; docs/explain.md describes their JSON.
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

/// An image in square cells, row by row.
struct ImagePayload {
  /// A square in pixels of the image, which may be partly outside.
  struct Window {
    int64_t left = 0;
    int64_t top = 0;
    int64_t side = 0;
    std::string png;  ///< what was seen in it, base64
  };

  /// Encodes the file.
  ImagePayload(Image own, int64_t side_of_cell);

  int64_t columns() const { return image.width / cell; }

  Image image;
  int64_t cell = 0;  ///< side in pixels
  std::string png;   ///< the file, base64
  /// The windows of each look, the smallest first; none: it was read at once.
  std::vector<std::vector<Window>> looks;
};
nlohmann::ordered_json PayloadJson(const ImagePayload& payload);

/// The image in grey and small, rows of 0 to 255, as a terminal shows it.
std::vector<std::vector<int>> ThumbnailOf(const Image& image);

/// A sound and its spectrogram.
struct SoundPayload {
  double seconds = 0;
  double step = 0;                     ///< s from item to item
  double drawn = 0;                    ///< s of the spectrogram
  int rate = 0;                        ///< Hz
  std::vector<std::vector<int>> grey;  ///< the spectrogram, small, 0 to 255
  std::string png;                     ///< likewise, a file, base64
  std::string wav;                     ///< the sound, a file, base64

  /// The share of the spectrogram's time that `items` items cover; above 1
  /// where the last item ends after the spectrogram.
  double ShareOf(int64_t items) const {
    return step * static_cast<double>(items) / drawn;
  }
};
nlohmann::ordered_json PayloadJson(const SoundPayload& payload);

/// Columns of a series, one of which is shown.
struct SeriesPayload {
  std::vector<std::string> columns;
  VectorRows values;  ///< of each column, in its unit
  std::string column;
};
nlohmann::ordered_json PayloadJson(const SeriesPayload& payload);

/// Nodes in a plane and the edges between them.
struct GraphPayload {
  struct Edge {
    int64_t from = 0;
    int64_t to = 0;
    double width = 0;  ///< 1: the widest
  };

  std::vector<std::string> classes;
  std::vector<int32_t> nodes;      ///< of each item: its place in the picture
  std::vector<int32_t> labels;     ///< of each item: its class; -1: not known
  std::vector<int32_t> hops;       ///< of each item: from the first one
  int64_t left_out = 0;            ///< nodes as near as these
  std::vector<int32_t> predicted;  ///< of each node of the picture
  std::vector<std::array<double, 2>> places;  ///< likewise. Units: 0 to 1
  std::vector<Edge> edges;                    ///< between nodes of the picture
};
nlohmann::ordered_json PayloadJson(const GraphPayload& payload);

/// Visits of a patient.
struct TimelinePayload {
  std::vector<double> times;   ///< of each visit; none: not known
  std::optional<double> bias;  ///< of the log-odds
  VectorRows beta;  ///< weights of features in bands, by visit; none: not known
};
nlohmann::ordered_json PayloadJson(const TimelinePayload& payload);

/// Reviews that a document is made of.
struct ReviewsPayload {
  struct Known {
    std::string name;  ///< of the other side
    double rating = 0;
  };
  std::vector<std::optional<Known>> reviews;
};
nlohmann::ordered_json PayloadJson(const ReviewsPayload& payload);

/// How a rating is made up.
struct RatingPayload {
  struct Parts {
    double mean = 0;
    double user = 0;
    double item = 0;
    double reviews = 0;
  };
  /// "model", or the mean that was answered: "item_mean", "user_mean", "mean".
  std::string from;
  std::string user;
  std::string item;
  std::optional<Parts> parts;
};
nlohmann::ordered_json PayloadJson(const RatingPayload& payload);

/// Vectors that were read, step by step.
struct StepsPayload {
  VectorRows values;
};
nlohmann::ordered_json PayloadJson(const StepsPayload& payload);

/// Vectors that were answered, from a step on.
struct AnswerStepsPayload {
  int64_t begin = 0;
  VectorRows values;
  VectorRows expected;
};
nlohmann::ordered_json PayloadJson(const AnswerStepsPayload& payload);

/// Vectors that went into a memory and came out of it, step by step.
struct MemoryPayload {
  VectorRows add;
  VectorRows read;
};
nlohmann::ordered_json PayloadJson(const MemoryPayload& payload);

}  // namespace heed

#endif  // HEED_EXPLAIN_PAYLOADS_H_
