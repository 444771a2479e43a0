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
// come from that one description. A config contains another by visiting it
// (`v.Section("Model"); model.Visit(v);`); all keys share one flat space. What
// else is known of a field is added behind it:
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

/// The numbers from min to max, both included unless said to be open.
struct Range {
  Range(double min, double max) : min(min), max(max) {}

  double min;
  double max;
  bool open_min = false;
  bool open_max = false;
};

/// [min, infinity), (min, infinity) and [min, max).
Range AtLeast(double min);
Range Above(double min);
Range UpToBelow(double min, double max);

/// The values that a string (or each string of a list) may have.
struct OneOf {
  OneOf(std::initializer_list<std::string> choices) : choices(choices) {}
  explicit OneOf(std::vector<std::string> choices)
      : choices(std::move(choices)) {}

  std::vector<std::string> choices;
};

/// Any value; help shows the option with this instead of its type: --out DIR.
struct Any {
  std::string placeholder;
};

using Constraint = std::variant<std::monostate, Range, OneOf, Any>;

/// Throws: ConfigError that lists the words.
[[noreturn]] void ThrowUnknownWord(const std::string& word,
                                   const std::vector<std::string>& words);

/// A value of an enum, or (kMayBeOpen) "auto": left open, for others to fill
/// in. The enum's values are 0, 1, ...; beside it stands what they are called:
///   constexpr auto WordsOf(Norm) { return std::array{"pre", "post"}; }
/// Whoever writes a config may also name the word. Throws: ConfigError for
/// another word.
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
  /// Not open.
  Enum value() const { return static_cast<Enum>(value_); }
  operator Enum() const requires(!kMayBeOpen) {  // NOLINT
    return value();
  }
  std::string word() const { return At(Words(), value_ - kFirst); }
  /// "auto" first.
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

/// Reads and writes an EnumField.
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

/// The member that a field reads and writes.
using FieldTarget =
    std::variant<bool*, int*, int64_t*, uint64_t*, double*, std::string*,
                 std::vector<std::string>*, WordTarget>;

/// One described member of a config; points into it, so must not outlive it.
struct Field {
  std::string key;  ///< snake_case, as in JSON
  FieldTarget target;
  Constraint constraint;
  std::string help;
  std::string section;
  std::vector<std::string> aliases = {};  ///< further names, like the key
  bool main = false;                      ///< among those to know first
  /// Options that the field needs beside it to have an effect; "": it has one.
  std::string needs = {};
  /// Largest value that a request to a server may give; 0: any in the range.
  int served_limit = 0;

  bool IsBool() const { return std::holds_alternative<bool*>(target); }
  bool IsList() const {
    return std::holds_alternative<std::vector<std::string>*>(target);
  }
  nlohmann::ordered_json Value() const;

  /// "flag", "int", "number", "text", "list", or the choices: "adam|sgd".
  std::string TypeName() const;
  /// "1 to 10000", "above 0", or empty when every value is allowed.
  std::string RangeName() const;
  /// --learning-rate
  std::string OptionName() const;
  /// That, and those of the aliases.
  std::vector<std::string> OptionNames() const;
  /// Whether this is its key or an alias.
  bool IsNamed(std::string_view name) const;
  /// Whether it has a value: a text or a list that is not empty.
  bool IsSet() const;

  /// Sets and checks the value. `name` is how errors call the field.
  /// Throws: ConfigError, with the value, the name and what would be valid.
  void SetJson(const nlohmann::ordered_json& json, std::string_view name) const;
  /// The same from command-line words: one, or several for a list.
  void SetText(const std::vector<std::string>& words,
               std::string_view name) const;
  void Check(std::string_view name) const;
};

/// Ways to give what is needed: keys that belong together.
using Requirement = std::vector<std::vector<std::string>>;

/// The visitor: collects fields in the order of their description.
class FieldList {
 public:
  /// The heading under which the fields that follow are shown.
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
  /// Only some of the words.
  template <typename Enum, bool kMayBeOpen>
  FieldList& operator()(std::string_view key,
                        EnumField<Enum, kMayBeOpen>& member, const OneOf& words,
                        std::string_view help) {
    return Add(key, WordTarget(&member), words, help);
  }

  /// Another name of the field before. Throws: ConfigError if it is taken.
  FieldList& Alias(std::string_view name);
  /// The field before is one of the few to know first.
  FieldList& Main();
  /// Limits what requests to a server may give the field before.
  FieldList& ServedUpTo(int limit);
  /// The field before has an effect only if `acts`, which depends on the values
  /// that other members have now; `needs` names the options that make it act:
  /// "--optimizer sgd". A command refuses the field where it does not act.
  FieldList& If(bool acts, std::string_view needs);
  /// Does so for the field of this key.
  void If(std::string_view key, bool acts, std::string_view needs);
  /// Removes the field of this key, which never has an effect, as `reason`
  /// explains. A command that is given the option says so.
  void Remove(std::string_view key, std::string reason);
  /// A command cannot do without: of several ways, each of which is keys that
  /// are needed together, one must be gone.
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

/// Whether one of the ways is given whole.
bool IsMet(const Requirement& ways, const std::vector<Field>& fields);

/// Throws: ConfigError that names what a config cannot do without and has not:
/// "--tsv is needed".
void CheckGiven(const FieldList& list);

/// The field of this key or alias, or nullptr.
const Field* FindField(const std::vector<Field>& fields, std::string_view name);

template <typename Config>
concept Visitable = requires(Config& config, FieldList& list) {
  config.Visit(list);
};

/// What documentation, --help and `heed info` show of a field.
struct FieldDescription {
  std::string key, type, default_value, range, help, section;
};

// The same for any config, on its list of fields.
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

/// All members in order, as an object (nlohmann::ordered_json).
template <Visitable Config>
auto ToJson(Config config) {
  return FieldsToJson(FieldsOf(config));
}

/// Sets the members that `json` names; the others keep their values.
/// An alias stands for its key. Throws: ConfigError that names the source and
/// the key, for a key that is unknown (lists the valid or nearest ones), given
/// twice, or a value of wrong type or out of range;
/// `config` is then unchanged.
template <Visitable Config>
void FromJson(Config& config, const nlohmann::ordered_json& json,
              std::string_view source_name) {
  Config next = config;
  FieldsFromJson(FieldsOf(next), json, source_name);
  config = std::move(next);
}

/// Throws: ConfigError when a member is not in its range.
template <Visitable Config>
void Check(Config config) {
  CheckFields(FieldsOf(config));
}

/// Throws: as CheckGiven of its fields.
template <Visitable Config>
void CheckGiven(Config config) {
  FieldList list;
  config.Visit(list);
  CheckGiven(list);
}

/// Describes each member; the present values are given as the defaults.
template <Visitable Config>
std::vector<FieldDescription> Describe(Config config) {
  return DescribeFields(FieldsOf(config));
}

/// The candidate with the fewest edits (insert, delete, replace, swap) to
/// `word`, or "" when none is near enough to be meant.
std::string NearestName(std::string_view word,
                        const std::vector<std::string>& candidates);

/// The candidates that `word` may stand for, nearest first, `count` at most: of
/// few edits, or of which one contains the other.
std::vector<std::string> NearestNames(
    std::string_view word, const std::vector<std::string>& candidates,
    size_t count);

/// ", did you mean 'x'?" for the nearest candidate, or "".
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string>& candidates);

}  // namespace heed

#endif  // HEED_BASE_CONFIG_H_
