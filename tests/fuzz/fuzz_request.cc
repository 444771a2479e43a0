// HTTP requests of clients, and their parameters.
#include <nlohmann/json.hpp>

#include "heed/serve/client_address.h"
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
  // Feeding the bytes one by one gives an equal request or none.
  fuzz::MayRefuse([&] {
    RequestReader reader({});
    size_t taken = 0;
    for (size_t come = 1; come <= bytes.size() && !reader.done(); ++come) {
      size_t more = 1;
      while (more > 0 && taken < come && !reader.done()) {
        more = reader.Feed(bytes.substr(taken, come - taken));
        taken += more;
      }
    }
    if (whole) fuzz::Require(reader.done(), "ends byte by byte too");
  });
  if (!whole) return 0;
  // Any proxy header gives a valid address or an empty one.
  request.client = "192.0.2.1";
  const std::string client = ForwardedClient(request);
  fuzz::Require(ParseClientAddress(client) == client, "a client's address");
  const std::string network = ClientNetwork(client);
  fuzz::Require(network == client || network.ends_with("::/64"), "a network");
  (void)IsLocal(request);
  const RequestLimits limits;
  fuzz::MayRefuse([&] {
    const nlohmann::ordered_json parameters = ParametersOf(request);
    (void)ApiKeyOf(request);
    (void)ApiKeyIn(parameters);
    fuzz::Require(parameters.size() <= kMaxParameters, "few parameters");
    fuzz::MayRefuse([&] { (void)ParseTranslate(parameters, limits); });
    fuzz::MayRefuse([&] { (void)ParseDetect(parameters, limits); });
    const InputKind files = {.name = "picture", .media_types = {"image/png"}};
    for (const InputKind& kind : {InputKind(), files}) {
      fuzz::MayRefuse([&] { (void)ParsePredict(parameters, kind, limits); });
      fuzz::MayRefuse([&] { (void)ParseExplain(parameters, kind, limits); });
    }
  });
  return 0;
}
