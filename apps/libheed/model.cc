// Models of heed.h: the HTTP API of a server with one model, without sockets.
#include "apps/libheed/model.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/libheed/array.h"
#include "apps/libheed/guard.h"
#include "apps/libheed/local_exchange.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/kernels/quantize.h"
#include "heed/serve/api.h"
#include "heed/serve/engine.h"
#include "heed/text/vocabulary.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

struct heed_model {
  /// A model with the threads that compute its answers.
  struct Open {
    heed::Log log{LogLevel::kOff};
    ServerMetrics metrics;
    Engine engine;
    Api api;

    Open(const ModelSpec& spec, const EngineOptions& options,
         const ApiOptions& api_options)
        : engine({spec}, options, this->log, metrics),
          api(engine, api_options, metrics) {}
  };

  ModelSpec spec;
  EngineOptions options;
  ApiOptions api_options;
  mutable std::mutex mutex = {};
  mutable pid_t process = 0;
  mutable std::unique_ptr<Open> open = {};

  /// The open model. A child of fork() has no threads of its parent, so it
  /// opens the model again.
  Open& Get() const {
    const std::lock_guard lock(mutex);
    LeaveToParent();
    if (open == nullptr) {
      open = std::make_unique<Open>(spec, options, api_options);
      process = getpid();
    }
    return *open;
  }
  /// Leaks a model that was opened before fork(): its threads cannot be joined.
  void LeaveToParent() const {
    if (process != getpid()) static_cast<void>(open.release());
  }
  ~heed_model() { LeaveToParent(); }
};

struct heed_call {
  std::optional<std::string> answer = {};
  std::shared_ptr<LocalExchange> exchange = {};  // null once answered

  ~heed_call() {
    if (exchange != nullptr) exchange->SetGone();
  }
};

namespace heed::c {

std::shared_ptr<const ServedModel> ServedBy(const heed_model& model) {
  return model.Get().engine.queues().front()->model();
}

}  // namespace heed::c

namespace {

using Json = nlohmann::ordered_json;

/// Options without the limits that protect a server from its clients.
ApiOptions WithoutLimits() {
  ApiOptions options;
  options.limits.char_limit = 0;
  options.limits.batch_limit = 0;
  options.limits.explain_limit = 0;
  options.limits.alternatives_limit = 100;
  options.limits.beam_limit = 1000;
  return options;
}

const Vocabulary& Known(const Vocabulary* vocabulary, const char* what) {
  if (vocabulary == nullptr) throw ConfigError("the model {} no tokens", what);
  return *vocabulary;
}

/// {"text"} -> {"tokens", "ids"}.
Json EncodeText(const TaskModel& model, const Json& request) {
  std::string text;
  FieldList fields;
  fields("text", text, "a line of text");
  FieldsFromJson(fields.fields(), request, "request");
  if (!IsValidUtf8(text)) throw FormatError("text is not valid UTF-8");
  const Encoded encoded =
      Known(model.read_vocabulary(), "reads").EncodeWithPieces(text);
  return {{"tokens", encoded.pieces}, {"ids", encoded.ids}};
}

/// {"ids"} -> {"text", "tokens"}.
Json DecodeIds(const TaskModel& model, const Json& request) {
  if (!request.is_object() || !request.contains("ids") ||
      !request["ids"].is_array()) {
    throw FormatError("request: 'ids' must be a list of token ids");
  }
  const Vocabulary& vocabulary = Known(model.written_vocabulary(), "writes");
  std::vector<int32_t> ids;
  Json tokens = Json::array();
  for (const Json& id : request["ids"]) {
    if (!id.is_number_integer() || id < 0 || id >= vocabulary.size()) {
      throw FormatError("request: {} is no token id from 0 to {}", Abridged(id),
                        vocabulary.size() - 1);
    }
    ids.push_back(id.get<int32_t>());
    tokens.push_back(vocabulary.Piece(ids.back()));
  }
  return {{"text", vocabulary.Decode(ids)}, {"tokens", tokens}};
}

/// Numbers of a parameter in f32 or f64.
Tensor NumbersOf(const Parameter& parameter) {
  if (parameter.quantized()) return kernels::Dequantize(parameter.bytes());
  const Tensor numbers = parameter.numbers();
  return numbers.dtype() == DType::kBF16 ? numbers.To(DType::kF32) : numbers;
}

std::unique_ptr<heed_model> Open(const std::string& folder, const Json& json) {
  EngineOptions options;
  options.queue_limit = 1 << 20;
  options.job_seconds = 0;
  ModelSpec spec = {folder};
  std::string languages;
  FieldList fields;
  fields("dtype", options.dtype, "number format of matrix products");
  fields("activations", options.activations, "scale of int8 activations");
  fields("name", spec.name, Any{"NAME"}, "name of the model");
  fields("languages", languages, Any{"LANGUAGES"}, "such as de-en");
  FieldsFromJson(fields.fields(), json, "options");
  if (!languages.empty()) {
    spec.languages = ParseModelSpec(languages + "=" + folder).languages;
  }
  auto model = std::make_unique<heed_model>();
  model->spec = spec;
  model->options = options;
  model->api_options = WithoutLimits();
  model->Get();
  return model;
}

std::shared_ptr<LocalExchange> Ask(const heed_model& model,
                                   const std::string& path,
                                   std::string_view body) {
  HttpRequest request;
  const bool reads = path == "models" || path == "languages";
  request.method = reads ? "GET" : "POST";
  request.target = request.path = "/" + path;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = reads ? "" : body.empty() ? "{}" : body;
  request.max_body = request.body.size();
  request.client = "127.0.0.1";
  auto exchange = std::make_shared<LocalExchange>(std::move(request));
  model.Get().api.Handle(exchange);
  return exchange;
}

/// The answer of a request that needs no thread of the model.
std::optional<std::string> AnswerAtOnce(const heed_model& model,
                                        const std::string& path,
                                        std::string_view request) {
  if (path != "encode" && path != "decode") return {};
  const auto served = ServedBy(model);
  const Json json = ParseJson(request, "request");
  return DumpJson(path == "encode" ? EncodeText(served->model(), json)
                                   : DecodeIds(served->model(), json));
}

std::string Run(const heed_model& model, const std::string& path,
                std::string_view request, const heed_cancel* cancel) {
  if (auto answer = AnswerAtOnce(model, path, request)) return *answer;
  return Ask(model, path, request)->Wait(FlagOf(cancel));
}

}  // namespace

int32_t heed_model_open(const char* folder, const char* options, size_t size,
                        heed_model** model) {
  return Guard([&] {
    heed_model*& result = Result(model, "model");
    result = Open(TextOf(folder, "folder"), JsonOf(options, size, "options"))
                 .release();
  });
}

int32_t heed_model_run(const heed_model* model, const char* path,
                       const char* request, size_t size, heed_cancel* cancel,
                       heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    result = new heed_answer{Run(Needed(model, "model"), TextOf(path, "path"),
                                 TextOf(request, size, "request"), cancel)};
  });
}

int32_t heed_model_start(const heed_model* model, const char* path,
                         const char* request, size_t size, heed_call** call) {
  return Guard([&] {
    heed_call*& result = Result(call, "call");
    const heed_model& of = Needed(model, "model");
    const std::string where = TextOf(path, "path");
    const std::string_view text = TextOf(request, size, "request");
    auto started = std::make_unique<heed_call>();
    started->answer = AnswerAtOnce(of, where, text);
    if (!started->answer) started->exchange = Ask(of, where, text);
    result = started.release();
  });
}

int32_t heed_call_wait(heed_call* call, int32_t milliseconds,
                       heed_answer** answer) {
  return Guard([&] {
    heed_answer*& result = Result(answer, "answer");
    heed_call& of = Needed(call, "call");
    if (milliseconds < 0) {
      throw ArgumentError("milliseconds is {}; wait 0 or more", milliseconds);
    }
    if (of.exchange != nullptr) {
      of.answer = of.exchange->WaitFor(std::chrono::milliseconds(milliseconds));
      if (!of.answer) return;
      of.exchange = nullptr;
    }
    if (!of.answer) throw ArgumentError("the answer was given already");
    result = new heed_answer{*std::exchange(of.answer, {})};
  });
}

void heed_call_free(heed_call* call) { delete call; }

int32_t heed_model_stream(const heed_model* model, const char* path,
                          const char* request, size_t size, heed_cancel* cancel,
                          heed_event_function event, void* user) {
  return Guard([&] {
    Needed(event, "event");
    Json json = JsonOf(request, size, "request");
    if (json.is_object()) json["stream"] = true;
    Ask(Needed(model, "model"), TextOf(path, "path"), DumpJson(json))
        ->Wait(FlagOf(cancel), [&](const LocalExchange::Event& e) {
          return event(user, e.name.c_str(), e.data.data(), e.data.size()) == 0;
        });
  });
}

int32_t heed_model_parameter(const heed_model* model, const char* name,
                             heed_array** array) {
  return Guard([&] {
    heed_array*& result = Result(array, "array");
    const auto served = ServedBy(Needed(model, "model"));
    const std::string wanted = TextOf(name, "name");
    const Parameter* const parameter =
        served->model().parameters().Find(wanted);
    if (parameter == nullptr) {
      throw ConfigError(
          "the model has no parameter '{}'; heed info lists its parameters",
          wanted);
    }
    result = new heed_array(NumbersOf(*parameter));
  });
}

void heed_model_free(heed_model* model) { delete model; }
