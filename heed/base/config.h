// Configurations: plain structs whose members are described once.
//
//   struct TrainConfig {
//     int epochs = 10;
//     double learning_rate = 1e-3;
//     std::string optimizer = "adam";
//
//     void Visit(FieldList& v) {
//       v.Section("Training");
//       v("epochs", epochs, Range(1, 10000), "passes over the training data");
//       v("learning_rate", learning_rate, Above(0), "peak step size");
//       v("optimizer", optimizer, OneOf{"adam", "sgd"}, "update rule");
//     }
//   };
//
// JSON files, command-line options, range checks, help and documentation all
// derive from this description. A config contains another by visiting it
// (`v.Section("Model"); model.Visit(v);`); all keys share one flat namespace.
// Further properties of a field are chained:
//
//       v("learning_rate", learning_rate, Above(0), "peak step size")
//           .Alias("lr")  // another name
//           .Main();      // help shows it first
#ifndef HEED_BASE_CONFIG_H_
#define HEED_BASE_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heed/base/at.h"

namespace heed {

/// Numbers from min to max, inclusive unless an end is open.
struct Range {
  Range(double min, double max) : min(min), max(max) {}

  double min;
  double max;
  bool open_min = false;
  bool open_max = false;
};

/// Ranges [min, infinity), (min, infinity) and [min, max).
Range AtLeast(double min);
Range Above(double min);
Range UpToBelow(double min, double max);

/// Allowed values of a string or of each string of a list.
struct OneOf {
  OneOf(std::initializer_list<std::string> choices) : choices(choices) {}
  explicit OneOf(std::vector<std::string> choices)
      : choices(std::move(choices)) {}

  std::vector<std::string> choices;
};

/// Allows any value; help shows the placeholder instead of the type: --out DIR.
struct Any {
  std::string placeholder;
};

using Constraint = std::variant<std::monostate, Range, OneOf, Any>;

/// Throws: ConfigError that lists the valid words.
[[noreturn]] void ThrowUnknownWord(const std::string& word,
                                   const std::vector<std::string>& words);

/// Value of an enum, or "auto" (kMayBeOpen): a default that the model fills in.
/// The enum's values are 0, 1, ...; WordsOf lists their names:
///   constexpr auto WordsOf(Norm) { return std::array{"pre", "post"}; }
/// Also constructible from a word. Throws: ConfigError for an unknown word.
template <typename Enum, bool kMayBeOpen>
class EnumField {
 public:
  EnumField() requires kMayBeOpen = default;
  EnumField(Enum value)  // NOLINT: implicit by design
      : value_(static_cast<int>(value)) {}
  EnumField(const char* word)  // NOLINT
      : EnumField(std::string(word)) {}
  EnumField(const std::string& word) {  // NOLINT
    for (const std::string& known : Words()) {
      if (word == known) return;
      ++value_;
    }
    ThrowUnknownWord(word, Words());
  }

  bool open() const { return value_ < 0; }
  /// The value; must not be open.
  Enum value() const { return static_cast<Enum>(value_); }
  operator Enum() const requires(!kMayBeOpen) {  // NOLINT
    return value();
  }
  std::string word() const { return At(Words(), value_ - kFirst); }
  /// Valid words; "auto" first if allowed.
  static std::vector<std::string> Words() {
    std::vector<std::string> words;
    if (kMayBeOpen) words.emplace_back("auto");
    for (const char* word : WordsOf(Enum())) words.emplace_back(word);
    return words;
  }

  friend bool operator==(const EnumField& a, Enum value) {
    return !a.open() && a.value() == value;
  }
  friend bool operator==(const EnumField& a, std::string_view word) {
    return a.word() == word;
  }

 private:
  static constexpr int kFirst = kMayBeOpen ? -1 : 0;
  int value_ = kFirst;
};

template <typename Enum>
using Named = EnumField<Enum, false>;
template <typename Enum>
using Auto = EnumField<Enum, true>;

/// Type-erased access to an EnumField.
struct WordTarget {
  template <typename Enum, bool kMayBeOpen>
  explicit WordTarget(EnumField<Enum, kMayBeOpen>* to)
      : member(to),
        get([](const void* m) {
          return static_cast<const EnumField<Enum, kMayBeOpen>*>(m)->word();
        }),
        set([](void* m, const std::string& word) {
          *static_cast<EnumField<Enum, kMayBeOpen>*>(m) = word;
        }) {}

  void* member;
  std::string (*get)(const void* member);
  void (*set)(void* member, const std::string& word);
};

/// Member that a field reads and writes.
using FieldTarget =
    std::variant<bool*, int*, int64_t*, uint64_t*, double*, std::string*,
                 std::vector<std::string>*, WordTarget>;

/// One described member of a config; points into the config and must not
/// outlive it.
struct Field {
  std::string key;  ///< snake_case, as in JSON
  FieldTarget target;
  Constraint constraint;
  std::string help;
  std::string section;
  std::vector<std::string> aliases = {};  ///< alternative keys
  bool main = false;                      ///< true if shown first in help
  /// Options required for the field to have an effect; "": it has one.
  std::string needs = {};
  /// Maximum for requests to a server; 0: no limit but the range.
  int served_limit = 0;

  bool IsBool() const { return std::holds_alternative<bool*>(target); }
  bool IsList() const {
    return std::holds_alternative<std::vector<std::string>*>(target);
  }
  nlohmann::ordered_json Value() const;

  /// "flag", "int", "number", "text", "list", or the choices "adam|sgd".
  std::string TypeName() const;
  /// "1 to 10000", "above 0", or empty if every value is allowed.
  std::string RangeName() const;
  /// Option of the key: "--learning-rate".
  std::string OptionName() const;
  /// Options of the key and of its aliases.
  std::vector<std::string> OptionNames() const;
  /// True if `name` is the key or an alias.
  bool IsNamed(std::string_view name) const;
  /// True unless the value is an empty text or list.
  bool IsSet() const;

  /// Sets and checks the value; errors refer to the field as `name`. Throws:
  /// ConfigError, with the value, the name and the valid values.
  void SetJson(const nlohmann::ordered_json& json, std::string_view name) const;
  /// Sets the value from command-line words: one, or several for a list.
  /// Throws: ConfigError, with the value, the name and the valid values.
  void SetText(const std::vector<std::string>& words,
               std::string_view name) const;
  void Check(std::string_view name) const;
};

/// Alternatives of required options; each is a list of keys needed together.
using Requirement = std::vector<std::vector<std::string>>;

/// Visitor that collects fields in the order of their description.
class FieldList {
 public:
  /// Sets the heading of the fields that follow.
  void Section(std::string_view title) { section_ = title; }

  template <typename T>
  FieldList& operator()(std::string_view key, T& member,
                        std::string_view help) {
    return Add(key, &member, {}, help);
  }
  template <typename T>
  FieldList& operator()(std::string_view key, T& member,
                        const Constraint& constraint, std::string_view help) {
    return Add(key, &member, constraint, help);
  }
  template <typename Enum, bool kMayBeOpen>
  FieldList& operator()(std::string_view key,
                        EnumField<Enum, kMayBeOpen>& member,
                        std::string_view help) {
    return (*this)(key, member, OneOf(member.Words()), help);
  }
  /// Restricts an enum to some of its words.
  template <typename Enum, bool kMayBeOpen>
  FieldList& operator()(std::string_view key,
                        EnumField<Enum, kMayBeOpen>& member, const OneOf& words,
                        std::string_view help) {
    return Add(key, WordTarget(&member), words, help);
  }

  /// Adds an alternative key to the last field. Throws: ConfigError if it is
  /// taken.
  FieldList& Alias(std::string_view name);
  /// Marks the last field as one of the few shown first.
  FieldList& Main();
  /// Sets the maximum of the last field in requests to a server.
  FieldList& ServedUpTo(int limit);
  /// Declares that the last field has an effect only if `acts`, which depends
  /// on the current values of other members. `needs` names the options that
  /// enable it: "--optimizer sgd". Commands reject the field where it has no
  /// effect.
  FieldList& If(bool acts, std::string_view needs);
  /// Declares that the field `key` has an effect only if `acts`; see the other
  /// overload.
  void If(std::string_view key, bool acts, std::string_view needs);
  /// Removes the field `key`, which never has an effect, for `reason`. Commands
  /// report the reason if the option is given.
  void Remove(std::string_view key, std::string reason);
  /// Requires one of several alternatives, each a list of keys needed together.
  void Require(Requirement ways) { requirements_.push_back(std::move(ways)); }

  const std::vector<Field>& fields() const { return fields_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }

  struct Removed {
    Field field;
    std::string reason;
  };
  const std::vector<Removed>& removed() const { return removed_; }

 private:
  FieldList& Add(std::string_view key, FieldTarget target,
                 const Constraint& constraint, std::string_view help);
  void CheckFree(std::string_view name) const;

  std::vector<Field> fields_;
  std::vector<Requirement> requirements_;
  std::vector<Removed> removed_;
  std::string section_;
};

/// True if all options of one alternative are given.
bool IsMet(const Requirement& ways, const std::vector<Field>& fields);

/// Throws: ConfigError that names a missing required option: "--tsv is needed".
void CheckGiven(const FieldList& list);

/// The field with this key or alias, or nullptr.
const Field* FindField(const std::vector<Field>& fields, std::string_view name);

template <typename Config>
concept Visitable = requires(Config& config, FieldList& list) {
  config.Visit(list);
};

/// Description of a field for documentation, --help and `heed info`.
struct FieldDescription {
  std::string key, type, default_value, range, help, section;
};

// Implementation of the templates below for a list of fields.
nlohmann::ordered_json FieldsToJson(const std::vector<Field>& fields);
void FieldsFromJson(const std::vector<Field>& fields,
                    const nlohmann::ordered_json& json,
                    std::string_view source_name);
void CheckFields(const std::vector<Field>& fields);
std::vector<FieldDescription> DescribeFields(const std::vector<Field>& fields);

/// The fields of `config`, which must outlive them.
template <Visitable Config>
std::vector<Field> FieldsOf(Config& config) {
  FieldList list;
  config.Visit(list);
  return list.fields();
}

/// All members in order, as a JSON object.
template <Visitable Config>
auto ToJson(Config config) {
  return FieldsToJson(FieldsOf(config));
}

/// Sets the members named in `json`; others keep their values. Aliases are
/// accepted. Throws: ConfigError that names the source and the key, for an
/// unknown key (lists valid or similar ones), a duplicate key, or a value of
/// wrong type or out of range; `config` is then unchanged.
template <Visitable Config>
void FromJson(Config& config, const nlohmann::ordered_json& json,
              std::string_view source_name) {
  Config next = config;
  FieldsFromJson(FieldsOf(next), json, source_name);
  config = std::move(next);
}

/// Throws: ConfigError if a member is out of range.
template <Visitable Config>
void Check(Config config) {
  CheckFields(FieldsOf(config));
}

/// Throws: ConfigError that names a missing required option.
template <Visitable Config>
void CheckGiven(Config config) {
  FieldList list;
  config.Visit(list);
  CheckGiven(list);
}

/// Describes each member; current values are shown as defaults.
template <Visitable Config>
std::vector<FieldDescription> Describe(Config config) {
  return DescribeFields(FieldsOf(config));
}

/// The candidate with the fewest edits (insert, delete, replace, swap) to
/// `word`, or "" if none is similar.
std::string NearestName(std::string_view word,
                        const std::vector<std::string>& candidates);

/// Up to `count` candidates similar to `word`, nearest first: few edits away,
/// or one contains the other.
std::vector<std::string> NearestNames(
    std::string_view word, const std::vector<std::string>& candidates,
    size_t count);

/// ", did you mean 'x'?" for the nearest candidate, or "".
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string>& candidates);

}  // namespace heed

#endif  // HEED_BASE_CONFIG_H_
