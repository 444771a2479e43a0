// Operations of heed.h by name.
#ifndef HEED_APPS_LIBHEED_OPERATIONS_H_
#define HEED_APPS_LIBHEED_OPERATIONS_H_

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/context.h"

namespace heed::c {

/// Inputs and options of a call.
class OperationCall {
 public:
  /// `defaults`: all options with their default values. Throws: ConfigError for
  /// an option that is not among them, or of another type.
  OperationCall(const Context& ctx, std::span<const Var> inputs,
                const nlohmann::ordered_json& defaults,
                const nlohmann::ordered_json& options);

  const Context& ctx() const { return ctx_; }
  size_t size() const { return inputs_.size(); }
  std::span<const Var> inputs() const { return inputs_; }
  const Var& operator[](size_t i) const { return inputs_[i]; }
  /// Input i, or an undefined variable.
  Var Optional(size_t i) const { return i < size() ? inputs_[i] : Var(); }
  /// Input i, whose elements are i32; undefined if it is missing. Throws:
  /// ShapeError.
  Tensor Ids(size_t i) const;
  double Number(const char* option) const { return options_[option]; }
  int64_t Integer(const char* option) const { return options_[option]; }
  bool Flag(const char* option) const { return options_[option]; }
  std::string Text(const char* option) const { return options_[option]; }
  std::vector<int64_t> Integers(const char* option) const {
    return options_[option];
  }

 private:
  const Context& ctx_;
  std::span<const Var> inputs_;
  nlohmann::ordered_json options_;
};

/// Row of heed_operations.
struct Operation {
  const char* name;
  /// Inputs with their shapes; those in square brackets are optional.
  const char* inputs;
  size_t min_inputs;
  size_t max_inputs;
  const char* options;  ///< defaults of all options, as JSON
  const char* result;   ///< what it computes, with shapes
  std::vector<Var> (*run)(const OperationCall& call);
  int ids = -1;  ///< input whose elements are i32, if any
};

std::span<const Operation> Operations();

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_OPERATIONS_H_
