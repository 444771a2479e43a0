#include "heed/io/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <utility>
#include <vector>

#include "heed/base/errors.h"

namespace heed {
namespace {

using SortedJson = nlohmann::json;

/// Builds JSON from what the parser meets.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::string_view source_name) : source_name_(source_name) {}

  SortedJson Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(mark, anchor, SortedJson());
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Fail(mark, "aliases are not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/,
                YAML::anchor_t anchor, const std::string& value) override {
    Add(mark, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, SortedJson::array());
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor, SortedJson::object());
  }
  void OnMapEnd() override { Close(); }

 private:
  /// A map or sequence that is not finished, and the key that it goes to.
  struct Level {
    SortedJson value;
    std::string key;  // of the next value of a map
    bool has_key = false;
  };

  [[noreturn]] void Fail(const YAML::Mark& mark,
                         std::string_view problem) const {
    throw FormatError(
        fmt::format("{}:{}: {}", source_name_, mark.line + 1, problem));
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, SortedJson empty) {
    if (anchor != 0) Fail(mark, "anchors are not read");
    if (!levels_.empty() && levels_.back().value.is_object() &&
        !levels_.back().has_key) {
      Fail(mark, "a key must be a text");
    }
    levels_.push_back({std::move(empty), {}, false});
  }

  void Close() {
    SortedJson value = std::move(levels_.back().value);
    levels_.pop_back();
    Put(std::move(value));
  }

  void Add(const YAML::Mark& mark, YAML::anchor_t anchor, SortedJson scalar) {
    if (anchor != 0) Fail(mark, "anchors are not read");
    if (levels_.empty() || levels_.back().value.is_array() ||
        levels_.back().has_key) {
      Put(scalar.is_null() ? SortedJson("") : std::move(scalar));
      return;
    }
    Level& map = levels_.back();
    if (scalar.is_null()) Fail(mark, "a key is null; put it in quotes");
    map.key = scalar.get<std::string>();
    map.has_key = true;
    if (map.value.contains(map.key)) {
      Fail(mark, fmt::format("the key '{}' stands twice", map.key));
    }
  }

  void Put(SortedJson value) {
    if (levels_.empty()) {
      root_ = std::move(value);
    } else if (Level& level = levels_.back(); level.value.is_array()) {
      level.value.push_back(std::move(value));
    } else {
      level.value[level.key] = std::move(value);
      level.has_key = false;
    }
  }

  std::string_view source_name_;
  SortedJson root_;
  std::vector<Level> levels_;
};

}  // namespace

SortedJson ParseYaml(std::string_view text, std::string_view source_name) {
  std::istringstream stream{std::string(text)};
  Builder builder(source_name);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    throw FormatError(fmt::format("{}:{}: not YAML: {}", source_name,
                                  error.mark.line + 1, error.msg));
  }
  return builder.Take();
}

}  // namespace heed
