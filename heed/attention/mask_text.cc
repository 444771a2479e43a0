// Masks from texts such as "causal && !window(4)".

#include <string_view>

#include "heed/attention/mask.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

/// mask = term { "||" term }; term = factor { "&&" factor };
/// factor = "!" factor | "(" mask ")" | name [ "(" numbers ")" ].
class MaskParser {
 public:
  MaskParser(const std::string& text, const MaskSizes& sizes)
      : text_(text), rest_(text), sizes_(sizes) {}

  Mask Parse() {
    Mask mask = Or();
    if (!Skip().empty()) Fail();
    return mask;
  }

 private:
  Mask Or() {
    Mask mask = And();
    while (Take("||")) mask = mask || And();
    return mask;
  }
  Mask And() {
    Mask mask = Factor();
    while (Take("&&")) mask = mask && Factor();
    return mask;
  }
  Mask Factor() {
    if (++signs_ > kMaxSigns) Fail();
    if (Take("!")) return !Factor();
    if (Take("(")) {
      Mask mask = Or();
      if (!Take(")")) Fail();
      return mask;
    }
    return Name();
  }
  Mask Name() {
    size_t end =
        Skip().find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
    end = std::min(end, rest_.size());
    if (end == 0) Fail();
    if (end < rest_.size() && rest_[end] == '(') {
      end = rest_.find(')', end);
      if (end == std::string_view::npos) Fail();
      ++end;
    }
    const PartText part = ParsePart(std::string(rest_.substr(0, end)));
    rest_.remove_prefix(end);
    if (part.name == "none" && part.arguments.empty()) return {};
    const MaskInfo& info = FindPart("mask", Masks(), part.name);
    if (info.needs_data &&
        (sizes_.batch < 0 || sizes_.queries < 0 || sizes_.keys < 0)) {
      throw ConfigError(
          "mask '{}' needs data of each batch; a setting can be causal, "
          "strict_causal, window and local_m",
          part.name);
    }
    return info.make(CompleteArguments("mask", part, info.arguments), sizes_);
  }

  std::string_view Skip() {
    const size_t begin = rest_.find_first_not_of(' ');
    rest_.remove_prefix(std::min(begin, rest_.size()));
    return rest_;
  }
  bool Take(std::string_view sign) {
    if (!Skip().starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  [[noreturn]] void Fail() const {
    throw ConfigError(
        "'{}' is not a mask at '{}'; write names with &&, ||, ! and "
        "parentheses, as in 'causal && window(16)'",
        text_, rest_);
  }

  // Limit on nesting, since each sign may take a stack frame.
  static constexpr int kMaxSigns = 1000;

  const std::string& text_;
  std::string_view rest_;
  MaskSizes sizes_;
  int signs_ = 0;  // names, ! and parentheses so far
};

}  // namespace

Mask ParseMask(const std::string& text, const MaskSizes& sizes) {
  if (text.empty()) return {};
  return MaskParser(text, sizes).Parse();
}

}  // namespace heed
