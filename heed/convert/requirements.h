// Settings that another program lacks, collected for one message.
#ifndef HEED_CONVERT_REQUIREMENTS_H_
#define HEED_CONVERT_REQUIREMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "heed/models/transformer/transformer_config.h"

namespace heed {

/// Collects settings that the other program does not support.
class Requirements {
 public:
  explicit Requirements(std::string program) : program_(std::move(program)) {}

  void Need(bool holds, const std::string& setting, const std::string& value);
  void Is(const std::string& setting, const std::string& value,
          const std::string& needed);
  /// Needs scaled dot products, post-norm and no further parts of attention.
  void HasUsualAttention(const TransformerConfig& config);
  /// Adds a setting with its value.
  void AddMissing(std::string setting) {
    missing_.push_back(std::move(setting));
  }
  /// Adds an obstacle with its own message.
  void Add(std::string obstacle) { others_.push_back(std::move(obstacle)); }

  /// Throws: ConfigError with all obstacles and `advice`.
  void Check(const std::string& advice) const;

 private:
  std::string program_;
  std::vector<std::string> missing_;
  std::vector<std::string> others_;
};

}  // namespace heed

#endif  // HEED_CONVERT_REQUIREMENTS_H_
