// Responses of predictions, at once or as a stream of events.
#ifndef HEED_SERVE_PREDICTION_STREAM_H_
#define HEED_SERVE_PREDICTION_STREAM_H_

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "heed/serve/event_stream.h"
#include "heed/serve/served_model.h"
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

/// True if an input has no answer at all. An input of several lines has answers
/// in its parts, also if a line failed.
bool HasFailed(const Answer& answer);
/// The reason why `failed` has no answer.
std::exception_ptr CauseOf(const Answer& failed);
/// Body of the response to POST /predict. `batch`: lists instead of one answer.
nlohmann::ordered_json PredictionJson(const ServedModel& served,
                                      const std::vector<Answer>& all,
                                      bool batch);

}  // namespace heed

#endif  // HEED_SERVE_PREDICTION_STREAM_H_
