// What clients ask for, out of JSON, forms and queries: plain values, checked.
#ifndef HEED_SERVE_REQUEST_H_
#define HEED_SERVE_REQUEST_H_

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

/// What one request may ask for.
struct RequestLimits {
  int char_limit = 10000;  // of each text; 0: none
  int batch_limit = 256;   // texts; 0: none
  int alternatives_limit = 10;
  int beam_limit = 16;
  int explain_limit = 1000;  // characters

  void Visit(FieldList& v);
  /// Characters of a text that is explained at most; 0: any number.
  /// `in_sentences`: each by itself, which takes less, so that explain_limit is
  /// that of a sentence.
  int MostExplained(bool in_sentences) const {
    return explain_limit * (in_sentences ? 4 : 1);
  }
};

/// What the parameters of a request may be called, and how many there may be.
inline constexpr size_t kMostParameters = 100;
inline constexpr size_t kLongestParameterName = 100;  // bytes

/// The parameters of a request as one JSON object: those of the query and, over
/// them, those of the body, which is JSON, a form or form data. Values of
/// queries and forms are texts, files of form data objects of bytes (binary),
/// media_type and name; a name that comes twice gives a list. Takes a time
/// linear in the request's size.
/// Throws: HttpError 400 with line and column for wrong JSON, or that says what
/// is wrong; 415 for another type of body; as DecodedBody.
nlohmann::ordered_json ParametersOf(const HttpRequest& request);

/// POST /translate
struct TranslateCall {
  std::vector<std::string> texts;
  bool batch = false;  ///< a list was sent, so a list is answered
  std::string source;  ///< a LanguageCode, or "auto"
  std::string target;  ///< a LanguageCode
  TextFormat format = TextFormat::kText;
  int alternatives = 0;
  std::optional<int> beam;
  std::string model;  ///< "": the first one for the languages
  bool stream = false;
};

/// POST /detect
struct DetectCall {
  std::vector<std::string> texts;
};

/// POST /predict
struct ModelCall {
  std::vector<Input> inputs;
  /// Why others of a list cannot be read, by their places in it.
  std::map<size_t, std::string> unread;
  bool batch = false;
  /// All further parameters.
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
};

/// POST /explain
struct ExplainCall {
  Input input;
  std::string answer;    ///< to explain instead of the model's own; "": its own
  std::string contrast;  ///< an answer that it is explained against; "": none
  std::string target;    ///< LanguageCode of a translation; "": the model's own
  AttributionOptions attribution;
  std::string layer;               ///< whose numbers are wanted; "": none
  std::optional<int> head;         ///< of that layer alone
  std::vector<std::string> views;  ///< whose pictures are wanted, as PageJson
  ShadeScale scale = ShadeScale::kAuto;  ///< of these pictures
};

/// Out of what ParametersOf gave. All throw HttpError 400 that names the
/// parameter. What LibreTranslate would ignore is ignored.
TranslateCall ParseTranslate(const nlohmann::ordered_json& parameters,
                             const RequestLimits& limits);
DetectCall ParseDetect(const nlohmann::ordered_json& parameters,
                       const RequestLimits& limits);
/// An input is "text" (a list of texts are several inputs, a list in it is one
/// of several texts), or "file": a part of form data, or an object of base64,
/// media_type and name. Throws: HttpError 415 that lists what `kind` reads.
ModelCall ParsePredict(const nlohmann::ordered_json& parameters,
                       const InputKind& kind, const RequestLimits& limits);
/// `in_sentences`: the limit of what is explained is that of each sentence,
/// unless an answer is forced on the whole text.
ExplainCall ParseExplain(const nlohmann::ordered_json& parameters,
                         const InputKind& kind, const RequestLimits& limits,
                         bool in_sentences = false);

/// The parameter model; "". Throws: HttpError 400.
std::string ModelOf(const nlohmann::ordered_json& parameters);

/// The key in front of the body: of "Authorization: Bearer KEY", or api_key in
/// the query; "".
std::string ApiKeyOf(const HttpRequest& request);
/// The parameter api_key; "".
std::string ApiKeyIn(const nlohmann::ordered_json& parameters);

/// Whether the client would rather have `type` than JSON.
bool Accepts(const HttpRequest& request, std::string_view type);

}  // namespace heed

#endif  // HEED_SERVE_REQUEST_H_
