// Parts of an attention, as values with a name.
//
// A score, a modifier, a mask or a normaliser is described once, in its own
// small file, and listed in registry.cc. A text such as "soft_cap(30)" selects
// it, in code, in a model's configuration and on the command line. A private
// part needs no registry: fill in a PartInfo (or call UserPart) and put it into
// a Choice.
#ifndef HEED_ATTENTION_PART_H_
#define HEED_ATTENTION_PART_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/autograd/parameter_set.h"

namespace heed {

/// Sizes with which a part is built. Features are per head.
struct AttentionSizes {
  int64_t heads = 1;
  int64_t key_heads = 1;
  int64_t query = 0;
  int64_t key = 0;
  int64_t units = 0;      // width of a hidden layer (additive, mlp, local_p)
  int64_t layers = 2;     // hidden layers (mlp)
  int64_t positions = 0;  // longest source of the score "location"
  Init init;              // initial values of matrices
};

/// Number in parentheses after a part's name.
struct PartArgument {
  std::string name;
  double initial;  // default
  double minimum;
  double maximum;
};

/// Row of `heed list attentions`.
template <class Part>
struct PartInfo {
  std::string name;
  std::string formula;
  std::string source;
  bool equal_sizes = false;  // for a score: needs queries and keys of one size
  std::vector<PartArgument> arguments;
  /// For a normaliser: true if it samples one key per query in training,
  /// trained by REINFORCE.
  bool chooses = false;
  std::function<std::unique_ptr<Part>(const Scope& scope,
                                      const AttentionSizes& sizes,
                                      std::span<const double> arguments)>
      make;
};

/// Part with its arguments.
template <class Part>
struct Choice {
  PartInfo<Part> info;
  std::vector<double> arguments;

  std::unique_ptr<Part> Make(const Scope& scope,
                             const AttentionSizes& sizes) const {
    return info.make(scope, sizes, arguments);
  }
};

/// User-defined part: a class that derives from Part and is constructed from a
/// Scope and AttentionSizes, or by default.
template <class Own, class Part>
Choice<Part> UserPart(const std::string& name) {
  Choice<Part> choice;
  choice.info.name = name;
  choice.info.make = [](const Scope& scope, const AttentionSizes& sizes,
                        std::span<const double>) -> std::unique_ptr<Part> {
    if constexpr (std::is_constructible_v<Own, const Scope&,
                                          const AttentionSizes&>) {
      return std::make_unique<Own>(scope, sizes);
    } else {
      return std::make_unique<Own>();
    }
  };
  return choice;
}

/// Parsed text "name(1, 2)".
struct PartText {
  std::string name;
  std::vector<double> arguments;
};

/// Throws: ConfigError that quotes `text`.
PartText ParsePart(const std::string& text);

/// Completes `given` with the defaults of `arguments`. Throws: ConfigError that
/// names `kind`, the part and the argument that is out of range, or if there
/// are too many arguments.
std::vector<double> CompleteArguments(
    const std::string& kind, const PartText& given,
    const std::vector<PartArgument>& arguments);

/// Throws ConfigError: `kind` has no `name`; lists `names`.
[[noreturn]] void ThrowUnknownPart(std::string_view kind, std::string_view name,
                                   const std::vector<std::string>& names);

template <class Info>
std::vector<std::string> NamesOf(const std::vector<Info>& infos) {
  std::vector<std::string> names;
  for (const Info& info : infos) names.push_back(info.name);
  return names;
}

/// Throws: ConfigError that lists the names.
template <class Info>
const Info& FindPart(std::string_view kind, const std::vector<Info>& infos,
                     std::string_view name) {
  for (const Info& info : infos) {
    if (info.name == name) return info;
  }
  ThrowUnknownPart(kind, name, NamesOf(infos));
}

/// The part of `infos` named by `text`, with its arguments. Throws:
/// ConfigError.
template <class Part>
Choice<Part> ChoosePart(const std::string& kind,
                        const std::vector<PartInfo<Part>>& infos,
                        const std::string& text) {
  const PartText part = ParsePart(text);
  const PartInfo<Part>& info = FindPart(kind, infos, part.name);
  return {info, CompleteArguments(kind, part, info.arguments)};
}

}  // namespace heed

#endif  // HEED_ATTENTION_PART_H_
