#include <array>
#include <nlohmann/json.hpp>

#include "heed/render/markup.h"
#include "heed/serve/api.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr RouteParameter kText = {
    "text", "texts", true,
    "a text, or a list of texts: then lists are answered"};
constexpr RouteParameter kModelName = {
    "model", "string", false, "name of a model; not needed where there is one"};
constexpr RouteParameter kStream = {
    "stream", "boolean", false,
    "server-sent events while tokens are written; also by Accept: "
    "text/event-stream"};
constexpr RouteParameter kKey = {
    "api_key", "string", false,
    "where keys are needed; also as Authorization: "
    "Bearer KEY"};

Json SchemaOf(std::string_view type) {
  if (type != "texts") return {{"type", type}};
  const Json text = {{"type", "string"}};
  return {{"oneOf", {text, {{"type", "array"}, {"items", text}}}}};
}

Json BodyOf(const Route& route) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const RouteParameter& parameter : route.parameters) {
    Json schema = SchemaOf(parameter.type);
    schema["description"] = parameter.description;
    properties[std::string(parameter.name)] = schema;
    if (parameter.required) required.push_back(parameter.name);
  }
  const Json schema = {
      {"type", "object"}, {"properties", properties}, {"required", required}};
  Json json = {{"schema", schema}};
  if (!route.example.empty()) json["example"] = Json::parse(route.example);
  return {{"required", true},
          {"content",
           {{"application/json", json},
            {"application/x-www-form-urlencoded", {{"schema", schema}}}}}};
}

Json AnswersOf(const Route& route) {
  Json answers = {{"200", {{"description", route.answer}}}};
  if (route.parameters.empty()) return answers;
  const Json error = {{"application/json",
                       {{"schema", {{"$ref", "#/components/schemas/Error"}}}}}};
  const std::array<std::pair<const char*, const char*>, 6> kErrors = {{
      {"400",
       "the request is wrong or cannot be done in time, or its API key is "
       "missing"},
      {"403", "the API key is not known"},
      {"413", "the body is too long"},
      {"429", "too many requests; see Retry-After"},
      {"500", "the model failed"},
      {"503",
       "too many requests wait, or the answer took too long; see "
       "Retry-After"},
  }};
  for (const auto& [status, description] : kErrors) {
    answers[status] = {{"description", description}, {"content", error}};
  }
  return answers;
}

Route ExplainRoute() {
  return {
      "POST",
      "/explain",
      "What a model attended to",
      "an explanation: what was run, in the sentences of /translate: tokens, "
      "the weights of every attention, probabilities, and attributions if "
      "they were asked for (docs/reference/file_formats.md of the project)",
      {{"text", "string", true, "the text"},
       kModelName,
       {"answer", "string", false,
        "what is explained instead of the model's own answer, by forcing it "
        "on the whole text"},
       {"contrast", "string", false,
        "another answer: attributions are then of the difference"},
       {"target", "string", false,
        "the language to translate into, of a translator that has several"},
       {"methods", "texts", false,
        "attributions: saliency, gradient_x_input, integrated_gradients, "
        "smooth_grad, occlusion, rollout"},
       {"steps", "integer", false, "of integrated_gradients"},
       {"samples", "integer", false, "noisy copies of smooth_grad"},
       {"layer", "string", false,
        "attention whose queries, keys, scores and values are wanted"},
       {"head", "integer", false, "of that attention alone"},
       {"pictures", "texts", false,
        "views whose pictures are wanted, drawn as SVG; true: all"},
       {"scale", "string", false, "of these, as heed explain --scale"},
       kKey},
      R"({"text": "a man sleeps", "model": "m"})"};
}

Route TileRoute() {
  return {
      "GET",
      "/explain/tile",
      "A part of a large attention map of an explanation",
      "map, head, rows, columns and their weights, row by row. Maps are kept "
      "for 10 minutes; then 404",
      {{"id", "string", true, "in the tile of the map"},
       {"map", "integer", true, "index of the map in the explanation"},
       {"head", "string", true, "from 0, or mean"},
       {"rows", "string", true, "A:B, from A to before B"},
       {"columns", "string", true, "A:B; at most 262144 weights in all"},
       kKey},
      ""};
}

}  // namespace

const std::vector<Route>& Routes() {
  static const std::vector<Route> routes = {
      {"POST",
       "/translate",
       "Translate texts",
       "translatedText; detectedLanguage if the source is auto; alternatives "
       "if "
       "they were asked for. As a stream: events token {index, text, sentence, "
       "tokens} with what is new, then done with the answer, or error",
       {{"q", "texts", true,
         "a text, or a list of texts: then lists are answered"},
        {"source", "string", true, "its language, or auto"},
        {"target", "string", true,
         "the language to translate into; regions (en-US) are answered by the "
         "language where they have no model"},
        {"format", "string", false,
         "text (the default), html or markdown: tags and emphasis are put "
         "around "
         "the words that theirs became; code, translate=\"no\" and the like "
         "are kept. Placeholders are kept in all"},
        {"alternatives", "integer", false, "how many more translations"},
        {"beam", "integer", false, "beam size; 1: greedy"},
        {"confidence", "boolean", false,
         "true: also confidence, 0 to 1, calibrated, and words {text, start, "
         "end, confidence}"},
        kModelName,
        kStream,
        kKey},
       R"({"q": "A man sleeps.", "source": "en", "target": "de"})"},
      {"POST",
       "/detect",
       "Which language a text is in",
       "the source languages of all translators with a confidence in percent, "
       "the most probable first",
       {{"q", "texts", true, "the text"}, kKey},
       R"({"q": "A man sleeps."})"},
      {"POST",
       "/predict",
       "Predictions of a model of any task",
       "model, task, answer (as heed predict writes it) and details (the same "
       "in parts). As a stream: events token {index, line, text, tokens}",
       {kText, kModelName, kStream, kKey},
       R"({"text": "what a film", "model": "sentiment"})"},
      ExplainRoute(),
      TileRoute(),
      {"POST",
       "/suggest",
       "Suggest a better translation, which this server does not take",
       "403 in LibreTranslate's words",
       {},
       ""},
      {"POST",
       "/translate_file",
       "Translate a file, which this server does not do",
       "403 in LibreTranslate's words",
       {},
       ""},
      {"GET",
       "/languages",
       "Languages and what they are translated into",
       "a list of code, name, targets",
       {},
       ""},
      {"GET",
       "/models",
       "The loaded models",
       "models: name, task, model, parameters, sizes of vocabularies, source "
       "and target (of several: targets), requests that wait",
       {},
       ""},
      {"GET", "/health", "Whether the server runs", "status: ok", {}, ""},
      {"GET",
       "/ready",
       "Whether requests should be sent here: models are loaded, no queue is "
       "full, and the server does not drain",
       "status: ready; 503 with the reason if not",
       {},
       ""},
      {"GET",
       "/metrics",
       "Figures for Prometheus",
       "requests, latencies, batches, tokens, queues, memory",
       {},
       ""},
      {"GET",
       "/frontend/settings",
       "Settings that LibreTranslate's pages ask for",
       "charLimit (-1: none), apiKeys, language and others",
       {},
       ""},
      {"GET", "/docs", "This description as a page", "HTML", {}, ""},
      {"GET", "/openapi.json", "This description as OpenAPI 3", "JSON", {}, ""},
      {"GET", "/spec", "The same, where LibreTranslate has it", "JSON", {}, ""},
  };
  return routes;
}

std::string OpenApi(const std::string& base_path) {
  Json paths = Json::object();
  for (const Route& route : Routes()) {
    Json operation = {{"summary", route.summary}};
    if (route.method == "GET") {
      for (const RouteParameter& parameter : route.parameters) {
        operation["parameters"].push_back(
            {{"name", parameter.name},
             {"in", "query"},
             {"required", parameter.required},
             {"description", parameter.description},
             {"schema", SchemaOf(parameter.type)}});
      }
    } else if (!route.parameters.empty()) {
      operation["requestBody"] = BodyOf(route);
    }
    operation["responses"] = AnswersOf(route);
    paths[std::string(route.path)][route.method == "GET" ? "get" : "post"] =
        operation;
  }
  const Json error = {{"type", "object"},
                      {"properties", {{"error", {{"type", "string"}}}}},
                      {"required", {"error"}}};
  return Json{{"openapi", "3.0.3"},
              {"info",
               {{"title", "heed serve"},
                {"version", "1"},
                {"description",
                 "Translation under LibreTranslate's API, and models of all "
                 "other tasks."}}},
              {"servers",
               Json::array({{{"url", base_path.empty() ? "/" : base_path}}})},
              {"paths", paths},
              {"components", {{"schemas", {{"Error", error}}}}}}
      .dump(2);
}

std::string DocsPage(const std::string& base_path) {
  MarkupWriter page;
  page.Line(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
  page.Line("<meta name=\"viewport\" content=\"width=device-width\">");
  page.Line("<title>heed serve: the API</title>");
  page.Line(
      "<style>:root{{color-scheme:light dark}}body{{font:16px/1.5 "
      "system-ui,sans-serif;max-width:48em;margin:2em auto;padding:0 1em}}"
      "h2{{margin-top:2em}}code,pre{{font-family:ui-monospace,monospace}}"
      "pre{{padding:.8em;overflow:auto;border:1px solid "
      "#8886;border-radius:4px}}"
      "table{{border-collapse:collapse}}td,th{{text-align:left;vertical-align:"
      "top;padding:.2em 1em .2em 0}}</style></head><body>");
  page.Line("<h1>heed serve: the API</h1>");
  page.Line(
      "<p>Parameters come as JSON, as a form or in the query. Errors are "
      "<code>{{\"error\": \"why\"}}</code>. The same for programs: <a "
      "href=\"openapi.json\">/openapi.json</a>.</p>");
  for (const Route& route : Routes()) {
    page.Line("<h2><code>{} {}</code></h2>\n<p>{}.</p>", route.method,
              route.path, EscapeMarkup(route.summary));
    if (!route.parameters.empty()) {
      page.Line("<table><tr><th>parameter<th>type<th>meaning");
      for (const RouteParameter& p : route.parameters) {
        page.Line("<tr><td><code>{}</code>{}<td>{}<td>{}", p.name,
                  p.required ? " *" : "",
                  p.type == "texts" ? "string or list" : p.type,
                  EscapeMarkup(p.description));
      }
      page.Line("</table>");
    }
    if (route.path == "/predict") {
      page.Line(
          "<p>Further parameters are the options of <code>heed predict</code> "
          "for the model's task, with underscores.</p>");
    }
    if (!route.example.empty()) {
      page.Line(
          "<pre>curl -d '{}' -H 'Content-Type: application/json' "
          "http://localhost:5000{}{}</pre>",
          EscapeMarkup(route.example), EscapeMarkup(base_path), route.path);
    }
    page.Line("<p>Answers: {}.</p>", EscapeMarkup(route.answer));
  }
  page.Line("<p>* needed</p></body></html>");
  return page.Take();
}

}  // namespace heed
