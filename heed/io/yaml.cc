#include "heed/io/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <string>

#include "heed/base/errors.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// Forwards the parser's events to a JsonBuilder.
class Handler : public YAML::EventHandler {
 public:
  Handler(std::string_view source_name, const JsonLimits& limits)
      : source_name_(source_name),
        builder_(limits, [this](std::string_view problem) { Fail(problem); }) {}

  Json Take() { return builder_.Take(); }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Meet(mark, anchor);
    if (builder_.expects_name()) Fail("a key is null; put it in quotes");
    // An empty document is null.
    builder_.Add(builder_.depth() == 0 ? Json() : Json(""));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    mark_ = mark;
    Fail("aliases are not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/,
                YAML::anchor_t anchor, const std::string& value) override {
    Meet(mark, anchor);
    if (builder_.expects_name()) {
      builder_.AddName(value);
    } else {
      builder_.Add(value);
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor);
    builder_.StartArray();
  }
  void OnSequenceEnd() override { builder_.End(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor);
    builder_.StartObject();
  }
  void OnMapEnd() override { builder_.End(); }

 private:
  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{}:{}: {}", source_name_, mark_.line + 1, problem);
  }

  void Meet(const YAML::Mark& mark, YAML::anchor_t anchor) {
    mark_ = mark;
    if (anchor != 0) Fail("anchors are not read");
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor) {
    Meet(mark, anchor);
    if (builder_.expects_name()) Fail("a key must be a text");
  }

  std::string_view source_name_;
  YAML::Mark mark_;  // position of the last event
  JsonBuilder builder_;
};

}  // namespace

Json ParseYaml(std::string_view text, std::string_view source_name,
               const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw FormatError("{}: {} bytes of YAML, more than {}", source_name,
                      text.size(), limits.bytes);
  }
  std::istringstream stream{std::string(text)};
  Handler handler(source_name, limits);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(handler);
  } catch (const YAML::Exception& error) {
    throw FormatError("{}:{}: not YAML: {}", source_name, error.mark.line + 1,
                      error.msg);
  }
  return handler.Take();
}

}  // namespace heed
