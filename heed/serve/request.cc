#include "heed/serve/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/base64.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/serve/content_coding.h"
#include "heed/serve/parameters.h"
#include "heed/text/languages.h"
#include "heed/text/markup/ascii.h"
#include "heed/text/markup/markdown_blocks.h"
#include "heed/text/markup/text_split.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFileParameter = "file";
constexpr const char* kTextParameter = "text";

// A repeated name becomes a list. The number of names is limited, so a linear
// search is cheap.
void AddParameter(Json& parameters, const std::string& name, Json value) {
  Json& place = parameters[name];
  if (place.is_null()) {
    place = std::move(value);
  } else {
    if (!place.is_array()) place = Json::array({std::move(place)});
    place.push_back(std::move(value));
  }
}

void CheckNames(const Json& parameters, const std::string& last) {
  if (parameters.size() > kMaxParameters) {
    RefuseRequest(fmt::format("more than {} parameters", kMaxParameters));
  }
  if (last.size() > kLongestParameterName) {
    RefuseRequest(fmt::format("the name of a parameter has more than {} bytes",
                              kLongestParameterName));
  }
}

/// Names and values; the value of a file is an object.
using Parts = std::vector<std::pair<std::string, Json>>;

Json ToParameters(Parts&& values) {
  Json parameters = Json::object();
  for (auto& [name, value] : values) {
    AddParameter(parameters, name, std::move(value));
    CheckNames(parameters, name);
  }
  return parameters;
}

// LibreTranslate counts line ends in forms as one character.
std::string WithUnifiedLineEnds(std::string_view value) {
  std::string unified;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\r') {
      if (i + 1 == value.size() || value[i + 1] != '\n') unified += '\n';
    } else {
      unified += value[i];
    }
  }
  return unified;
}

Parts TextsOf(const NamedValues& values, bool unify) {
  Parts parts;
  for (const auto& [name, value] : values) {
    parts.emplace_back(name, unify ? WithUnifiedLineEnds(value) : value);
  }
  return parts;
}

Json ParseJsonBody(const std::string& body) {
  Json json = Json::object();
  if (body.find_first_not_of(" \t\r\n") == std::string::npos) return json;
  JsonLimits limits;
  limits.bytes = body.size();  // limited by the server
  limits.names = kMaxParameters;
  try {
    json = ParseJson(body, "the body", limits);
  } catch (const FormatError& error) {
    throw HttpError(400, std::string("Invalid JSON format: ") + error.what());
  }
  if (!json.is_object()) {
    throw HttpError(400,
                    "Invalid JSON format: the body is of type "
                    "{}, an object is needed",
                    json.type_name());
  }
  return json;
}

// Parameter of a header value: boundary in "form-data; boundary=x".
std::string ParameterOf(std::string_view value, std::string_view name) {
  for (const std::string_view part :
       SplitAt(SplitOnce(value, ";").second, ";")) {
    auto [key, text] = SplitOnce(TrimBlanks(part), "=");
    if (!EqualIgnoringCase(key, name)) continue;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
      text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
  }
  return "";
}

/// Value of a header in the head of a part; "" if it is absent.
std::string HeaderIn(std::string_view head, std::string_view name) {
  for (const std::string_view line : SplitAt(head, "\r\n")) {
    const auto [key, value] = SplitOnce(line, ":");
    if (EqualIgnoringCase(key, name)) return std::string(TrimBlanks(value));
  }
  return "";
}

bool IsPlainText(std::string_view media_type) {
  return EqualIgnoringCase(TrimBlanks(SplitOnce(media_type, ";").first),
                           "text/plain");
}

/// Value of a part of form data. A part with a file name is a file, unless it
/// is plain text outside the file parameter: some clients name all parts.
Json PartOf(std::string_view name, std::string_view head,
            const std::string& disposition, std::string_view body) {
  const std::string file = ParameterOf(disposition, "filename");
  const std::string type = HeaderIn(head, "Content-Type");
  const bool plain = type.empty() || IsPlainText(type);
  if (file.empty() || (plain && name != kFileParameter)) {
    if (!IsValidUtf8(body)) RefuseRequest("form data that is not valid UTF-8");
    return WithUnifiedLineEnds(body);
  }
  if (!IsValidUtf8(file) || !IsValidUtf8(type)) {
    RefuseRequest("form data that is not valid UTF-8");
  }
  return {{"name", file},
          {"media_type", type},
          {"bytes", Json::binary({body.begin(), body.end()})}};
}

// multipart/form-data (RFC 7578).
Parts ParseFormData(std::string_view body, const std::string& boundary) {
  constexpr size_t kLongestBoundary = 70;  // RFC 2046, 5.1.1
  if (boundary.empty()) RefuseRequest("form data without a boundary");
  if (boundary.size() > kLongestBoundary) {
    RefuseRequest(fmt::format("form data whose boundary has more than {} bytes",
                              kLongestBoundary));
  }
  const std::string mark = "\r\n--" + boundary;
  const std::string whole = "\r\n" + std::string(body);
  std::string_view rest = whole;
  Parts values;
  size_t at = rest.find(mark);
  while (at != rest.npos) {
    rest = rest.substr(at + mark.size());
    if (rest.starts_with("--")) return values;
    const size_t head_end = rest.find("\r\n\r\n");
    const size_t next = rest.find(mark);
    if (head_end == rest.npos || next == rest.npos) break;
    if (head_end + 4 > next)
      RefuseRequest(
          "form data with a part that has no "
          "head");
    const std::string_view head = rest.substr(0, head_end);
    const std::string disposition = HeaderIn(head, "Content-Disposition");
    const std::string name = ParameterOf(disposition, "name");
    if (!IsValidUtf8(name)) RefuseRequest("form data that is not valid UTF-8");
    values.emplace_back(name,
                        PartOf(name, head, disposition,
                               rest.substr(head_end + 4, next - head_end - 4)));
    at = next;
  }
  RefuseRequest("form data that does not end with its boundary");
}

Json BodyParameters(const HttpRequest& request) {
  const std::string body = DecodedBody(request);
  const std::string_view header = request.Header("Content-Type").value_or("");
  const std::string_view type = TrimBlanks(SplitOnce(header, ";").first);
  const bool is_json =
      EqualIgnoringCase(type, "application/json") ||
      (type.starts_with("application/") && type.ends_with("+json"));
  // Type that fetch() gives to a text, and of clients that give none.
  const bool untyped = type.empty() || EqualIgnoringCase(type, "text/plain");
  const size_t start = body.find_first_not_of(" \t\r\n");
  if (is_json ||
      (untyped && start != std::string::npos && body[start] == '{')) {
    return ParseJsonBody(body);
  }
  if (start == std::string::npos) return Json::object();
  if (untyped || EqualIgnoringCase(type, "application/x-www-form-urlencoded")) {
    return ToParameters(TextsOf(ParseForm(body), /*unify=*/true));
  }
  if (EqualIgnoringCase(type, "multipart/form-data")) {
    return ToParameters(ParseFormData(body, ParameterOf(header, "boundary")));
  }
  throw HttpError(415,
                  "the body's Content-Type must be application/json, "
                  "application/x-www-form-urlencoded or multipart/form-data");
}

/// Throws: HttpError 415 unless the model reads this media type.
void CheckMediaType(const InputKind& kind, const std::string& type) {
  if (kind.Reads(type)) return;
  const std::string known =
      kind.of_bytes() ? fmt::format("{}", fmt::join(kind.media_types, ", "))
                      : "text/plain";
  throw HttpError(415, "the model reads {}, not {}", known, type);
}

std::string BytesOf(const Json& file, const std::string& name) {
  const auto bytes = file.find("bytes");
  if (bytes != file.end() && bytes->is_binary()) {
    return {bytes->get_binary().begin(), bytes->get_binary().end()};
  }
  const std::optional<std::string> decoded =
      FromBase64(TextOf(Need(file, "base64"), name + ".base64"));
  if (!decoded) throw FormatError(name + ".base64 parameter is not base64");
  return *decoded;
}

/// Throws: FormatError if a text of an input is too long.
void CheckLength(std::string_view text, const RequestLimits& limits) {
  const int64_t size = CountCharacters(text);
  if (limits.char_limit != 0 && size > limits.char_limit) {
    throw FormatError(SizeError(size, limits.char_limit));
  }
}

/// Throws: FormatError for bytes that are not text, or for a text that is too
/// long.
Input FileOf(const Json& file, const std::string& name, const InputKind& kind,
             const RequestLimits& limits) {
  if (!file.is_object()) {
    RefuseRequest(
        fmt::format("{} parameter must be a part of form data with a file "
                    "name, or an object of base64 and media_type",
                    name));
  }
  std::string type = OptionalText(file, "media_type");
  if (type.empty()) type = kind.of_bytes() ? kind.media_types[0] : "text/plain";
  std::string of_user = OptionalText(file, "name");
  if (of_user.empty()) of_user = name;
  // Type that clients such as curl give to files of unknown endings.
  if (EqualIgnoringCase(type, "application/octet-stream")) {
    const std::string by_name = kind.TypeOfName(of_user);
    if (!by_name.empty()) type = by_name;
  }
  std::string bytes = BytesOf(file, name);
  if (!kind.of_bytes() && IsPlainText(type)) {
    if (!IsValidUtf8(bytes)) throw FormatError(of_user + " is not valid UTF-8");
    CheckLength(bytes, limits);
    return {std::move(bytes), of_user};
  }
  CheckMediaType(kind, type);
  return {NamedBytes{of_user, type, std::move(bytes)}, of_user};
}

/// Input from a text, or from a list of texts that form one input. Throws: as
/// CheckLength.
Input TextInputOf(const Json& value, const std::string& name,
                  const InputKind& kind, const RequestLimits& limits) {
  Input input;
  input.place = name;
  if (value.is_array()) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < value.size(); ++i) {
      texts.push_back(TextOf(value[i], fmt::format("{}[{}]", name, i)));
    }
    input.content = std::move(texts);
  } else {
    input.content = TextOf(value, name);
  }
  CheckLength(input.Text(), limits);
  if (!kind.of_bytes()) return input;
  // The text is the content of a file.
  const std::string& type = kind.media_types.front();
  if (!type.starts_with("text/")) CheckMediaType(kind, "text/plain");
  return {NamedBytes{name, type, input.Text()}, name};
}

/// True if inputs are files. A request has files or texts, not both.
bool HasFiles(const Json& parameters) {
  const bool files = parameters.contains(kFileParameter);
  if (files && parameters.contains(kTextParameter)) {
    RefuseRequest("text or file parameter, but not both");
  }
  return files;
}

/// Parameter that holds the inputs; if the request has none, the one that this
/// kind of model requires.
const char* InputParameter(const Json& parameters, const InputKind& kind) {
  if (HasFiles(parameters)) return kFileParameter;
  const bool of_files =
      kind.of_bytes() && !kind.media_types.front().starts_with("text/");
  return of_files && !parameters.contains(kTextParameter) ? kFileParameter
                                                          : kTextParameter;
}

TextFormat OptionalFormat(const Json& parameters, const char* name) {
  const std::string format = OptionalText(parameters, name);
  const auto words = WordsOf(TextFormat());
  const auto found = std::ranges::find(words, format);
  if (found != words.end()) {
    return static_cast<TextFormat>(found - words.begin());
  }
  if (!format.empty()) {
    throw HttpError(400, format + " format is not supported");
  }
  return TextFormat::kText;
}

}  // namespace

void RequestLimits::Visit(FieldList& v) {
  v("char_limit", char_limit, Range(0, 1e9),
    "maximum characters of a text (a time series has no limit); 0: no limit");
  v("batch_limit", batch_limit, Range(0, 1e9),
    "maximum texts of a request; 0: no limit");
  v("alternatives_limit", alternatives_limit, Range(0, 100),
    "maximum alternatives of a request");
  v("beam_limit", beam_limit, Range(1, 1000), "maximum beam size of a request");
  v("explain_limit", explain_limit, Range(0, 1e9),
    "maximum characters of a text to explain; translations: of a sentence, "
    "with 4 times as many for a text and 10 times for a document; models of "
    "Hugging Face: 16 times, and 590 rows of attention weights (tokens x "
    "layers "
    "x heads) for each; 0: no limit");
}

Json ParametersOf(const HttpRequest& request) {
  Json parameters = ToParameters(TextsOf(request.query, /*unify=*/false));
  Json body = BodyParameters(request);
  for (auto& [name, value] : body.get_ref<Json::object_t&>()) {
    parameters[name] = std::move(value);
    CheckNames(parameters, name);
  }
  return parameters;
}

TranslateCall ParseTranslate(const Json& parameters,
                             const RequestLimits& limits) {
  TranslateCall call;
  const Json& q = Need(parameters, "q");
  call.source = LanguageCode(TextOf(Need(parameters, "source"), "source"));
  call.target = LanguageCode(TextOf(Need(parameters, "target"), "target"));
  call.alternatives = OptionalNumber(parameters, "alternatives", 0, 0,
                                     limits.alternatives_limit);
  if (const int beam =
          OptionalNumber(parameters, "beam", 0, 0, limits.beam_limit)) {
    call.beam = beam;
  }
  call.batch = q.is_array();
  call.texts = TextsOf(q, "q", limits);
  call.format = OptionalFormat(parameters, "format");
  if (!parameters.contains("format") &&
      std::ranges::any_of(call.texts, LooksLikeMarkdown)) {
    call.format = TextFormat::kMarkdown;
  }
  call.model = OptionalText(parameters, "model");
  call.stream = OptionalFlag(parameters, "stream");
  call.confidence = OptionalFlag(parameters, "confidence");
  return call;
}

DetectCall ParseDetect(const Json& parameters, const RequestLimits& limits) {
  return {TextsOf(Need(parameters, "q"), "q", limits)};
}

ModelCall ParsePredict(const Json& parameters, const InputKind& kind,
                       const RequestLimits& limits) {
  ModelCall call;
  const bool files = HasFiles(parameters);
  const char* name = InputParameter(parameters, kind);
  const Json& given = Need(parameters, name);
  call.batch = given.is_array();
  const size_t count = call.batch ? given.size() : 1;
  CheckSize(static_cast<int64_t>(count), call.batch ? limits.batch_limit : 0);
  for (size_t i = 0; i < count; ++i) {
    const Json& one = call.batch ? given[i] : given;
    const std::string place =
        call.batch ? fmt::format("{}[{}]", name, i) : name;
    try {
      call.inputs.push_back(files ? FileOf(one, place, kind, limits)
                                  : TextInputOf(one, place, kind, limits));
      call.inputs.back().number = static_cast<int64_t>(i);
    } catch (const FormatError& error) {
      if (!call.batch) RefuseRequest(error.what());
      call.unread[i] = error.what();
    }
  }
  call.stream = OptionalFlag(parameters, "stream");
  for (const auto& [key, value] : parameters.items()) {
    if (key == name || key == "model" || key == "api_key" || key == "stream") {
      continue;
    }
    call.options[key] = value;
  }
  return call;
}

ExplainCall ParseExplain(const Json& parameters, const InputKind& kind,
                         const RequestLimits& limits, bool in_sentences) {
  constexpr int kMaxHeads = 1000000;
  CheckKnown(parameters, {kTextParameter, kFileParameter, "model", "api_key",
                          "answer", "contrast", "target", "layer", "head",
                          "methods", "steps", "samples", "pictures", "scale"});
  ExplainCall call;
  try {
    call.input =
        HasFiles(parameters)
            ? FileOf(parameters[kFileParameter], kFileParameter, kind, limits)
            : TextInputOf(Need(parameters, InputParameter(parameters, kind)),
                          kTextParameter, kind, limits);
  } catch (const FormatError& error) {
    RefuseRequest(error.what());
  }
  for (const auto& [name, text] : {std::pair("answer", &call.answer),
                                   std::pair("contrast", &call.contrast)}) {
    *text = OptionalText(parameters, name);
    CheckSize(CountCharacters(*text), limits.explain_limit);
  }
  if (in_sentences && call.answer.empty()) {
    for (const Segment& segment : SplitText(call.input.Text())) {
      CheckSize(CountCharacters(segment.text), limits.explain_limit);
    }
  }
  if (!kind.of_bytes()) {
    CheckSize(CountCharacters(call.input.Text()),
              limits.MaxExplained(in_sentences && call.answer.empty()));
  }
  call.target = LanguageCode(OptionalText(parameters, "target"));
  call.layer = OptionalText(parameters, "layer");
  const auto pictures = parameters.find("pictures");
  if (pictures != parameters.end() && pictures->is_array()) {
    call.views = NamesOf(parameters, "pictures", PageViewNames());
  } else if (OptionalFlag(parameters, "pictures")) {
    call.views = PageViewNames();
  }
  for (const std::string& scale :
       NamesOf(parameters, "scale", ShadeScaleNames())) {
    call.scale = ParseShadeScale(scale);
  }
  const int head = OptionalNumber(parameters, "head", -1, -1, kMaxHeads);
  if (head >= 0) call.head = head;
  if (call.head && call.layer.empty()) {
    RefuseRequest("head parameter without layer parameter");
  }
  call.attribution.methods =
      NamesOf(parameters, "methods", ExplanationMethods());
  const AttributionOptions usual;
  call.attribution.steps =
      OptionalNumber(parameters, "steps", usual.steps, 1, 256);
  call.attribution.samples =
      OptionalNumber(parameters, "samples", usual.samples, 1, 256);
  return call;
}

std::string ModelOf(const Json& parameters) {
  return OptionalText(parameters, "model");
}

std::string ApiKeyOf(const HttpRequest& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view header = request.Header("Authorization").value_or("");
  if (header.size() > kBearer.size() &&
      EqualIgnoringCase(header.substr(0, kBearer.size()), kBearer)) {
    return std::string(TrimBlanks(header.substr(kBearer.size())));
  }
  for (const auto& [name, value] : request.query) {
    if (name == "api_key") return value;
  }
  return "";
}

std::string ApiKeyIn(const Json& parameters) {
  const auto found = parameters.find("api_key");
  if (found == parameters.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

bool Accepts(const HttpRequest& request, std::string_view type) {
  const std::string_view accept = request.Header("Accept").value_or("");
  for (const std::string_view item : SplitAt(accept, ",")) {
    if (EqualIgnoringCase(TrimBlanks(SplitOnce(item, ";").first), type)) {
      return true;
    }
  }
  return false;
}

}  // namespace heed
