#include "heed/base/json_elements.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "heed/base/json_handler.h"

namespace heed {
namespace {

using ElementVisit =
    std::function<void(int64_t index, const nlohmann::ordered_json& element)>;

/// Depth of the elements: within the array within the object.
constexpr int64_t kElementDepth = 2;

/// Builds each element of one array; skips everything else.
class ElementHandler final : public JsonHandler {
 public:
  ElementHandler(std::string_view text, std::string_view source_name,
                 std::string_view list, const ElementVisit& visit,
                 const JsonLimits& limits)
      : JsonHandler(text, source_name, limits), list_(list), visit_(visit) {}

  void RequireList() const {
    if (!found_) Fail(fmt::format("has no array '{}'", list_));
  }

 protected:
  void Add(Json scalar) override {
    if (in_list_) {
      JsonHandler::Add(std::move(scalar));
      VisitFinished();
    } else {
      RequireOther();
    }
  }
  void AddName(std::string name) override {
    if (in_list_) {
      JsonHandler::AddName(std::move(name));
    } else if (depth_ == 1) {
      name_ = std::move(name);
    }
  }
  void Start(bool is_object) override {
    if (in_list_) {
      JsonHandler::Start(is_object);
    } else if (depth_ == 1 && name_ == list_ && !is_object) {
      if (found_) Fail(fmt::format("has two members '{}'", list_));
      in_list_ = found_ = true;
    } else if (depth_ > 0 || !is_object) {
      RequireOther();
    }
    ++depth_;
  }
  void End() override {
    --depth_;
    if (in_list_ && depth_ == kElementDepth - 1) {
      in_list_ = false;
    } else if (in_list_) {
      JsonHandler::End();
      VisitFinished();
    }
  }

 private:
  /// Called for values outside the array. Throws: FormatError if the document
  /// is not an object, or its member `list` not an array.
  void RequireOther() const {
    if (depth_ == 0) Fail("is not a JSON object");
    if (depth_ == 1 && name_ == list_) {
      Fail(fmt::format("'{}' is not an array", list_));
    }
  }
  void VisitFinished() {
    if (depth_ == kElementDepth) visit_(index_++, Take());
  }

  std::string_view list_;
  const ElementVisit& visit_;
  int64_t depth_ = 0;
  std::string name_;  // of the current member of the object
  bool in_list_ = false;
  bool found_ = false;
  int64_t index_ = 0;
};

}  // namespace

void ForEachJsonElement(std::string_view text, std::string_view source_name,
                        std::string_view name, const ElementVisit& visit,
                        const JsonLimits& limits) {
  ElementHandler handler(text, source_name, name, visit, limits);
  nlohmann::ordered_json::sax_parse(text, &handler);
  handler.RequireList();
}

}  // namespace heed
