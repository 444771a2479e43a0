// Predictions as a stream of events.
#ifndef HEED_SERVE_PREDICTION_STREAM_H_
#define HEED_SERVE_PREDICTION_STREAM_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "heed/serve/event_stream.h"
#include "heed/tasks/predictor.h"

namespace heed {

/// The response of POST /predict with `stream`: events "token" {index, line,
/// text, tokens} with the new part of an answer, then "done" with the answers,
/// or "error".
class PredictionStream : public EventStream {
 public:
  using EventStream::EventStream;

  /// Sends what is new in the answer to an input. Thread-safe.
  void Show(size_t input, const WrittenAnswer& written);

 private:
  struct Shown {
    std::string text;
    size_t tokens = 0;
  };

  std::mutex shown_mutex_;
  std::map<std::pair<size_t, size_t>, Shown> shown_;  // by input and line
};

}  // namespace heed

#endif  // HEED_SERVE_PREDICTION_STREAM_H_
