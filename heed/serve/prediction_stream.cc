#include "heed/serve/prediction_stream.h"

#include <string>
#include <vector>

#include "heed/serve/http.h"

namespace heed {

using Json = nlohmann::ordered_json;

void PredictionStream::Show(size_t input, const WrittenAnswer& written) {
  const std::lock_guard lock(shown_mutex_);
  Shown& shown = shown_[{input, written.line}];
  // An answer that is computed a second time begins anew.
  if (written.text.size() <= shown.text.size() ||
      written.tokens.size() < shown.tokens ||
      !written.text.starts_with(shown.text)) {
    return;
  }
  const std::vector<std::string> tokens(
      written.tokens.begin() + static_cast<int64_t>(shown.tokens),
      written.tokens.end());
  Send("token", {{"index", input},
                 {"line", written.line},
                 {"text", written.text.substr(shown.text.size())},
                 {"tokens", tokens}});
  shown = {written.text, written.tokens.size()};
}

bool HasFailed(const Answer& answer) {
  return !answer.error.empty() && !answer.parts.is_array();
}

std::exception_ptr CauseOf(const Answer& failed) {
  return failed.cause
             ? failed.cause
             : std::make_exception_ptr(HttpError(400, "{}", failed.error));
}

Json PredictionJson(const ServedModel& served, const std::vector<Answer>& all,
                    bool batch) {
  Json answers = Json::array();
  Json details = Json::array();
  for (const Answer& answer : all) {
    const bool failed = HasFailed(answer);
    answers.push_back(failed ? Json() : Json(answer.line));
    details.push_back(failed ? Json{{"error", answer.error}} : answer.parts);
  }
  return {{"model", served.name()},
          {"task", served.task().name},
          {"answer", batch ? answers : answers.at(0)},
          {"details", batch ? details : details.at(0)}};
}

}  // namespace heed
