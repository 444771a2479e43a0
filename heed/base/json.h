// The one parser of JSON: what it reads may come from anybody.
#ifndef HEED_BASE_JSON_H_
#define HEED_BASE_JSON_H_

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

// The members are instantiated once, in json.cc.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace heed {

/// What a text may hold at most; the defaults are for files of models.
struct JsonLimits {
  size_t bytes = size_t{1} << 28;   ///< of the text
  size_t values = size_t{1} << 21;  ///< members and elements, in all
  size_t names = size_t{1} << 20;   ///< members of one object
  /// Objects and arrays inside one another: to copy, print, compare and destroy
  /// them takes that much of the stack.
  size_t depth = 100;
};

/// Puts a value together from its parts, in the order in which a text has them,
/// in linear time (but for sorting the names of an object) and within limits.
class JsonBuilder {
 public:
  /// Called with what is wrong ("nested more than 100 deep"); must throw.
  using Fail = std::function<void(std::string_view problem)>;

  JsonBuilder(const JsonLimits& limits, Fail fail)
      : limits_(limits), fail_(std::move(fail)) {}

  void Add(nlohmann::ordered_json scalar);
  void StartObject() { Start(true); }
  void StartArray() { Start(false); }
  /// The name of the member that comes next.
  void AddName(std::string name);
  /// Of the innermost object or array. No name may stand twice in an object.
  void End();

  /// Whether a name must come next (or the end of the object).
  bool expects_name() const;
  size_t depth() const { return levels_.size(); }
  /// The value, when all is closed; null if there was none.
  nlohmann::ordered_json Take();

 private:
  /// An object or array that is open: where its parts begin.
  struct Level {
    bool is_object;
    size_t first_value;
    size_t first_name;
  };

  void Start(bool is_object);
  void CheckNames(size_t first) const;

  JsonLimits limits_;
  Fail fail_;
  std::vector<Level> levels_;
  // The parts of what is open; a closed object or array is one value.
  std::vector<nlohmann::ordered_json> values_;
  std::vector<std::string> names_;
  size_t count_ = 0;
};

/// Parses a JSON text. Throws: FormatError with the source's name, and line and
/// column of what is not JSON; also for a name that stands twice in an object,
/// and for what passes a limit.
nlohmann::ordered_json ParseJson(std::string_view text,
                                 std::string_view source_name,
                                 const JsonLimits& limits = {});

/// A JSON text; what is not UTF-8 becomes U+FFFD. `indent`: spaces of each
/// level, on lines of their own; -1: all on one line.
std::string DumpJson(const nlohmann::ordered_json& value, int indent = -1);

/// What a message shows of a value that is refused: its JSON, cut to what fits
/// on a line.
std::string Abridged(const nlohmann::ordered_json& value);

}  // namespace heed

#endif  // HEED_BASE_JSON_H_
