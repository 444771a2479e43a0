#include "apps/libheed/guard.h"

#include <exception>
#include <new>

#include "heed/base/json.h"
#include "heed/serve/http.h"

namespace heed::c {
namespace {

/// Message of the last failing call of this thread.
std::string& Message() {
  thread_local std::string message;
  return message;
}

int32_t Fail(int32_t code, const char* message) noexcept {
  try {
    Message() = message;
  } catch (...) {
    Message().clear();  // no memory for a message
  }
  return code;
}

/// Code of an error that the server answers with an HTTP status.
int32_t CodeOfStatus(int status) {
  if (status == 499) return HEED_CANCELLED;
  return status < 500 ? HEED_CONFIG : HEED_INTERNAL;
}

}  // namespace

int32_t CodeOfException() noexcept {
  try {
    throw;
  } catch (const ArgumentError& error) {
    return Fail(HEED_ARGUMENT, error.what());
  } catch (const ShapeError& error) {
    return Fail(HEED_SHAPE, error.what());
  } catch (const ConfigError& error) {
    return Fail(HEED_CONFIG, error.what());
  } catch (const FormatError& error) {
    return Fail(HEED_FORMAT, error.what());
  } catch (const IoError& error) {
    return Fail(HEED_IO, error.what());
  } catch (const NumericError& error) {
    return Fail(HEED_NUMERIC, error.what());
  } catch (const Interrupted& error) {
    return Fail(HEED_CANCELLED, error.what());
  } catch (const Cancelled& error) {
    return Fail(HEED_CANCELLED, error.what());
  } catch (const HttpError& error) {
    return Fail(CodeOfStatus(error.status()), error.what());
  } catch (const std::bad_alloc&) {
    return Fail(HEED_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return Fail(HEED_INTERNAL, error.what());
  } catch (...) {
    return Fail(HEED_INTERNAL, "an exception of an unknown type");
  }
}

std::string_view TextOf(const char* text, size_t size, const char* name) {
  if (size == 0) return {};
  return {&Needed(text, name), size};
}

std::string TextOf(const char* text, const char* name) {
  return &Needed(text, name);
}

nlohmann::ordered_json JsonOf(const char* text, size_t size, const char* name) {
  if (text == nullptr) return nlohmann::ordered_json::object();
  return ParseJson(TextOf(text, size, name), name);
}

heed_answer* NewAnswer(const nlohmann::ordered_json& json) {
  return new heed_answer{DumpJson(json)};
}

}  // namespace heed::c

using namespace heed::c;  // NOLINT: functions of C have no namespace

const char* heed_error_message(void) { return Message().c_str(); }

int32_t heed_answer_text(const heed_answer* answer, const char** text,
                         size_t* size) {
  return Guard([&] {
    const heed_answer& of = Needed(answer, "answer");
    Needed(text, "text") = of.text.c_str();
    if (size != nullptr) *size = of.text.size();
  });
}

void heed_answer_free(heed_answer* answer) { delete answer; }
