// What `heed predict` writes, taken apart for programs.
#ifndef HEED_SERVE_PREDICTION_H_
#define HEED_SERVE_PREDICTION_H_

#include <nlohmann/json.hpp>
#include <string>

namespace heed {

/// The parts of an answer to a text, by the model's task and its options of
/// prediction, all of them given: labels, words with their tags, completions,
/// rows of a forecast. Of one line: an object; of several: a list of them.
nlohmann::ordered_json DetailsOf(const std::string& task,
                                 const nlohmann::ordered_json& options,
                                 const std::string& text,
                                 const std::string& answer);

}  // namespace heed

#endif  // HEED_SERVE_PREDICTION_H_
