// The values of a request's parameters, checked.
#ifndef HEED_SERVE_PARAMETERS_H_
#define HEED_SERVE_PARAMETERS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "heed/serve/request.h"

namespace heed {

/// Throws: HttpError 400 with this message.
[[noreturn]] void RefuseRequest(const std::string& message);

// All below throw HttpError 400 that names the parameter.

/// A parameter that must be there and not be empty.
const nlohmann::ordered_json& Need(const nlohmann::ordered_json& parameters,
                                   const char* name);
std::string TextOf(const nlohmann::ordered_json& value, std::string_view name);
/// "" if it is absent.
std::string OptionalText(const nlohmann::ordered_json& parameters,
                         const char* name);
/// A number from `least`, to which smaller ones are raised, to `most`.
int OptionalNumber(const nlohmann::ordered_json& parameters, const char* name,
                   int otherwise, int least, int most);
bool OptionalFlag(const nlohmann::ordered_json& parameters, const char* name);

/// Why a text or list of this size is refused.
std::string SizeError(int64_t size, int limit);
void CheckSize(int64_t size, int limit);
/// A text or a list of texts.
std::vector<std::string> TextsOf(const nlohmann::ordered_json& value,
                                 const char* name, const RequestLimits& limits);

void CheckKnown(const nlohmann::ordered_json& parameters,
                const std::vector<std::string>& known);
/// The names of a parameter: one or a list; none if it is absent.
std::vector<std::string> NamesOf(const nlohmann::ordered_json& parameters,
                                 const char* parameter,
                                 const std::vector<std::string>& known);

}  // namespace heed

#endif  // HEED_SERVE_PARAMETERS_H_
