// What clients send: whole requests, and the parameters in them.
#include <nlohmann/json.hpp>

#include "heed/serve/request.h"
#include "heed/serve/request_reader.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heed;
  const std::string_view bytes = fuzz::Bytes(data, size);
  HttpRequest request;
  bool whole = false;
  fuzz::MayRefuse([&] {
    request = ParseRequest(bytes);
    whole = true;
  });
  // Bytes that come one by one are the same request, or none either.
  fuzz::MayRefuse([&] {
    RequestReader reader({});
    for (size_t i = 0; i < bytes.size() && !reader.done();) {
      i += reader.Feed(bytes.substr(i, 1));
    }
    if (whole) fuzz::Require(reader.done(), "ends byte by byte too");
  });
  if (!whole) return 0;
  const RequestLimits limits;
  fuzz::MayRefuse([&] {
    const nlohmann::ordered_json parameters = ParametersOf(request);
    (void)ApiKeyOf(request, parameters);
    fuzz::MayRefuse([&] { (void)ParseTranslate(parameters, limits); });
    fuzz::MayRefuse([&] { (void)ParseDetect(parameters, limits); });
    fuzz::MayRefuse([&] { (void)ParseModelCall(parameters, limits); });
  });
  return 0;
}
