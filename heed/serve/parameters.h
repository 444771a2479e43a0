// Validation of request parameters.
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

// All functions below throw HttpError 400 with the name of the parameter.

/// Value of a required, non-empty parameter.
const nlohmann::ordered_json& Need(const nlohmann::ordered_json& parameters,
                                   const char* name);
std::string TextOf(const nlohmann::ordered_json& value, std::string_view name);
/// Text of a parameter; "" if it is absent.
std::string OptionalText(const nlohmann::ordered_json& parameters,
                         const char* name);
/// Number from `min` (smaller ones are raised) to `max`; `otherwise` if the
/// parameter is absent.
int OptionalNumber(const nlohmann::ordered_json& parameters, const char* name,
                   int otherwise, int min, int max);
bool OptionalFlag(const nlohmann::ordered_json& parameters, const char* name);

/// Message for a text or list above its size limit.
std::string SizeError(int64_t size, int limit);
void CheckSize(int64_t size, int limit);
/// Texts of a parameter that is a text or a list of texts.
std::vector<std::string> TextsOf(const nlohmann::ordered_json& value,
                                 const char* name, const RequestLimits& limits);

void CheckKnown(const nlohmann::ordered_json& parameters,
                const std::vector<std::string>& known);
/// Names in a parameter that is a name or a list of names; empty if it is
/// absent.
std::vector<std::string> NamesOf(const nlohmann::ordered_json& parameters,
                                 const char* parameter,
                                 const std::vector<std::string>& known);

}  // namespace heed

#endif  // HEED_SERVE_PARAMETERS_H_
