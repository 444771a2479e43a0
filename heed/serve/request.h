// Parsing of requests (JSON, forms, queries) into checked, plain values.
#ifndef HEED_SERVE_REQUEST_H_
#define HEED_SERVE_REQUEST_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/explain/attribution.h"
#include "heed/render/explanation_file.h"
#include "heed/serve/http.h"
#include "heed/tasks/input.h"
#include "heed/text/markup/text_split.h"

namespace heed {

/// Limits of one request.
struct RequestLimits {
  int char_limit = 10000;  // per text; 0: no limit
  int batch_limit = 256;   // texts; 0: no limit
  int alternatives_limit = 10;
  int beam_limit = 16;
  int explain_limit = 1000;  // characters
  int64_t max_rows = 0;      // of attention weights to explain; 0: no limit

  void Visit(FieldList& v);
  /// Maximum characters of a text to explain; 0: no limit. `in_sentences`:
  /// sentences are explained one by one, which is cheaper, so explain_limit is
  /// the limit of a sentence.
  int MaxExplained(bool in_sentences) const {
    const int64_t max = int64_t{explain_limit} * (in_sentences ? 4 : 1);
    return static_cast<int>(
        std::min<int64_t>(max, std::numeric_limits<int>::max()));
  }
};

/// Maximum number of parameters of a request, and maximum length of their
/// names.
inline constexpr size_t kMaxParameters = 100;
inline constexpr size_t kLongestParameterName = 100;  // bytes

/// Parameters of the query and the body (JSON, form or form data) as one JSON
/// object; those of the body take precedence. Values of queries and forms are
/// texts. Files of form data are objects of bytes (binary), media_type and
/// name. A repeated name gives a list. Takes time linear in the size of the
/// request. Throws: HttpError 400 with line and column for invalid JSON, or
/// with the cause; 415 for other types of bodies; as DecodedBody.
nlohmann::ordered_json ParametersOf(const HttpRequest& request);

/// POST /translate
struct TranslateCall {
  std::vector<std::string> texts;
  bool batch = false;  ///< q was a list, so the response is a list
  std::string source;  ///< a LanguageCode, or "auto"
  std::string target;  ///< a LanguageCode
  TextFormat format = TextFormat::kText;
  int alternatives = 0;
  std::optional<int> beam;
  bool confidence = false;
  std::string model;  ///< "": the nearest one for the languages
  bool stream = false;
};

/// POST /detect
struct DetectCall {
  std::vector<std::string> texts;
};

/// POST /predict
struct ModelCall {
  std::vector<Input> inputs;
  /// Errors of unreadable inputs, by position in the list.
  std::map<size_t, std::string> unread;
  bool batch = false;
  bool stream = false;
  /// All other parameters.
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
};

/// POST /explain
struct ExplainCall {
  Input input;
  std::string answer;    ///< instead of the model's own; "": its own
  std::string contrast;  ///< contrastive answer; "": none
  std::string target;    ///< LanguageCode; "": the default target
  AttributionOptions attribution;
  std::string layer;        ///< layer whose weights are returned; "": none
  std::optional<int> head;  ///< the only head of that layer to return
  std::vector<std::string> views;        ///< names of pictures, for PageJson
  ShadeScale scale = ShadeScale::kAuto;  ///< of the pictures
};

/// Parsers of the parameters from ParametersOf. All throw HttpError 400 with
/// the name of the parameter. Parameters that LibreTranslate ignores are
/// ignored.
TranslateCall ParseTranslate(const nlohmann::ordered_json& parameters,
                             const RequestLimits& limits);
DetectCall ParseDetect(const nlohmann::ordered_json& parameters,
                       const RequestLimits& limits);
/// Inputs are in "text" or "file". A list of texts is several inputs; a list in
/// this list is one input of several texts. A file is a part of form data, or
/// an object of base64, media_type and name. Throws: HttpError 415 that lists
/// the media types of `kind`.
ModelCall ParsePredict(const nlohmann::ordered_json& parameters,
                       const InputKind& kind, const RequestLimits& limits);
/// `in_sentences`: explain_limit applies to each sentence, unless an answer is
/// forced on the whole text.
ExplainCall ParseExplain(const nlohmann::ordered_json& parameters,
                         const InputKind& kind, const RequestLimits& limits,
                         bool in_sentences = false);

/// Value of "model"; "" if it is absent. Throws: HttpError 400.
std::string ModelOf(const nlohmann::ordered_json& parameters);

/// API key outside the body: in "Authorization: Bearer KEY", or api_key in the
/// query; "" if there is none.
std::string ApiKeyOf(const HttpRequest& request);
/// Value of "api_key"; "" if it is absent.
std::string ApiKeyIn(const nlohmann::ordered_json& parameters);

/// True if the request accepts `type` instead of JSON.
bool Accepts(const HttpRequest& request, std::string_view type);

}  // namespace heed

#endif  // HEED_SERVE_REQUEST_H_
