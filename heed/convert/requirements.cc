#include "heed/convert/requirements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/base/errors.h"

namespace heed {

void Requirements::Need(bool holds, const std::string& setting,
                        const std::string& value) {
  if (!holds) missing_.push_back(fmt::format("{} '{}'", setting, value));
}

void Requirements::Is(const std::string& setting, const std::string& value,
                      const std::string& needed) {
  if (value == needed) return;
  missing_.push_back(
      fmt::format("{} '{}' (only '{}')", setting, value, needed));
}

void Requirements::HasUsualAttention(const TransformerConfig& c) {
  Is("score", c.score, "scaled_dot");
  Is("modifiers", c.modifiers, "none");
  Is("attention_mask", c.attention_mask, "none");
  Is("normalizer", c.normalizer, "softmax");
  Need(c.key_heads == c.heads, "key_heads", std::to_string(c.key_heads));
  Need(c.attention_bias, "attention_bias", "false");
  Is("norm", c.norm.word(), "post");
  Is("final_norm", c.final_norm.word(), "no");
}

void Requirements::Check(const std::string& advice) const {
  std::vector<std::string> all;
  if (!missing_.empty()) {
    all.push_back(
        fmt::format("{} has no {}", program_, fmt::join(missing_, ", no ")));
  }
  all.insert(all.end(), others_.begin(), others_.end());
  if (all.empty()) return;
  throw ConfigError("{}; {}", fmt::join(all, "; "), advice);
}

}  // namespace heed
