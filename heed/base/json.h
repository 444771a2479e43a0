// JSON parser for untrusted input.
#ifndef HEED_BASE_JSON_H_
#define HEED_BASE_JSON_H_

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

// Explicitly instantiated in json.cc.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace heed {

/// Limits of a JSON text; the defaults suit model files.
struct JsonLimits {
  size_t bytes = size_t{1} << 28;   ///< of the text
  size_t values = size_t{1} << 21;  ///< members and elements in total
  size_t names = size_t{1} << 20;   ///< members of one object
  /// Nesting depth: copying, printing, comparing and destroying a value
  /// recurses to this depth.
  size_t depth = 100;
};

/// Builds a value from its parts, in the order of the text, in linear time
/// (except for sorting the names of an object) and within limits.
class JsonBuilder {
 public:
  /// Reports an error ("nested more than 100 deep"); must throw.
  using Fail = std::function<void(std::string_view problem)>;

  JsonBuilder(const JsonLimits& limits, Fail fail)
      : limits_(limits), fail_(std::move(fail)) {}

  void Add(nlohmann::ordered_json scalar);
  void StartObject() { Start(true); }
  void StartArray() { Start(false); }
  /// Sets the name of the next member.
  void AddName(std::string name);
  /// Closes the innermost object or array. Fails if an object has duplicate
  /// names.
  void End();

  /// True if a name (or the end of the object) must come next.
  bool expects_name() const;
  size_t depth() const { return levels_.size(); }
  /// The finished value; null if nothing was added.
  nlohmann::ordered_json Take();

 private:
  /// Open object or array and the index of its first parts.
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
  // Parts of open levels; a closed object or array is one value.
  std::vector<nlohmann::ordered_json> values_;
  std::vector<std::string> names_;
  size_t count_ = 0;
};

/// Parses a JSON text. Throws: FormatError with the source's name, line and
/// column, for invalid JSON, a duplicate name in an object, or an exceeded
/// limit.
nlohmann::ordered_json ParseJson(std::string_view text,
                                 std::string_view source_name,
                                 const JsonLimits& limits = {});

/// Serialises a value; ill-formed UTF-8 becomes U+FFFD. `indent`: spaces per
/// level; -1: all on one line.
std::string DumpJson(const nlohmann::ordered_json& value, int indent = -1);

/// JSON of an invalid value for a message, truncated to fit on a line.
std::string Abridged(const nlohmann::ordered_json& value);

}  // namespace heed

#endif  // HEED_BASE_JSON_H_
