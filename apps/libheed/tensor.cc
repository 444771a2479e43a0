// Tapes, variables, parameters and optimisers of heed.h.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/libheed/array.h"
#include "apps/libheed/variables.h"
#include "heed/train/optimizer.h"

using namespace heed;     // NOLINT: functions of C have no namespace
using namespace heed::c;  // NOLINT

struct heed_optimizer {
  std::vector<SharedParameter> parameters;
  Optimizer optimizer;
  int64_t step = 0;

  heed_optimizer(std::vector<SharedParameter> of, const OptimizerConfig& config)
      : parameters(std::move(of)), optimizer(Pointers(parameters), config) {}

  static std::vector<Parameter*> Pointers(
      const std::vector<SharedParameter>& of) {
    std::vector<Parameter*> pointers;
    for (const SharedParameter& one : of) pointers.push_back(one.parameter);
    return pointers;
  }
};

namespace heed::c {

SharedTape* TapeOf(const heed_tape* tape) {
  if (tape == nullptr) return nullptr;
  if (tape->shared->done) {
    throw ArgumentError(
        "the gradients of this tape are computed already; make a new tape for "
        "the "
        "next computation");
  }
  return tape->shared.get();
}

const Var& OnTape(const heed_variable* variable, const SharedTape* tape,
                  const char* name) {
  const Var& value = Needed(variable, name).value;
  if (value.tape() != nullptr && variable->tape.get() != tape) {
    throw ArgumentError("{} is on another tape", name);
  }
  return value;
}

heed_variable* NewVariable(const heed_tape* tape, Var value) {
  auto variable = std::make_unique<heed_variable>();
  if (value.tape() != nullptr) variable->tape = tape->shared;
  variable->value = std::move(value);
  return variable.release();
}

}  // namespace heed::c

namespace {

Tensor ZerosLike(const Tensor& tensor) {
  return Tensor::Zeros(tensor.shape(), tensor.dtype());
}

/// Throws: ShapeError unless `given` can replace the elements of a parameter.
void CheckReplaces(const Tensor& given, const Parameter& parameter) {
  const Tensor& own = parameter.value();
  if (given.shape() == own.shape() && given.dtype() == own.dtype()) return;
  throw ShapeError("the parameter '{}' is {} {}, the array {} {}",
                   parameter.name(), Name(own.dtype()), own.shape().ToString(),
                   Name(given.dtype()), given.shape().ToString());
}

Parameter& Of(const heed_parameter* parameter) {
  return *Needed(parameter, "parameter").shared.parameter;
}

}  // namespace

int32_t heed_tape_new(heed_tape** tape) {
  return Guard([&] {
    heed_tape*& result = Result(tape, "tape");
    result = new heed_tape;
  });
}

void heed_tape_free(heed_tape* tape) { delete tape; }

int32_t heed_variable_new(heed_tape* tape, const heed_array* array,
                          heed_variable** variable) {
  return Guard([&] {
    heed_variable*& result = Result(variable, "variable");
    const Tensor& tensor = Needed(array, "array").tensor;
    const bool leaf = tape != nullptr && tensor.dtype() != DType::kI32;
    result =
        NewVariable(tape, leaf ? TapeOf(tape)->tape.Leaf(tensor) : Var(tensor));
  });
}

int32_t heed_variable_of(heed_tape* tape, heed_parameter* parameter,
                         heed_variable** variable) {
  return Guard([&] {
    heed_variable*& result = Result(variable, "variable");
    const SharedParameter& shared = Needed(parameter, "parameter").shared;
    Context ctx;
    if (SharedTape* const recorded = TapeOf(tape)) {
      ctx.tape = &recorded->tape;
      recorded->parameters.push_back(shared);
    }
    result = NewVariable(tape, ctx.Use(*shared.parameter));
    result->set = shared.set;
  });
}

int32_t heed_variable_array(const heed_variable* variable, heed_array** array) {
  return Guard([&] {
    heed_array*& result = Result(array, "array");
    result = new heed_array(Needed(variable, "variable").value.value());
  });
}

void heed_variable_free(heed_variable* variable) { delete variable; }

int32_t heed_tape_backward(heed_tape* tape, const heed_variable* output,
                           const heed_array* seed) {
  return Guard([&] {
    SharedTape* const recorded = TapeOf(&Needed(tape, "tape"));
    const Var& value = OnTape(output, recorded, "output");
    if (value.tape() == nullptr) {
      throw ArgumentError("the output depends on no variable of this tape");
    }
    const Tensor given = seed == nullptr ? Tensor() : seed->tensor;
    if (given.defined() && (given.shape() != value.shape() ||
                            given.dtype() != value.value().dtype())) {
      throw ShapeError("the seed is {} {}, the output {} {}",
                       Name(given.dtype()), given.shape().ToString(),
                       Name(value.value().dtype()), value.shape().ToString());
    }
    recorded->done = true;
    recorded->tape.Backward(value, given);
  });
}

int32_t heed_tape_gradient(heed_tape* tape, const heed_variable* variable,
                           heed_array** gradient) {
  return Guard([&] {
    heed_array*& result = Result(gradient, "gradient");
    const SharedTape& recorded = *Needed(tape, "tape").shared;
    const Var& value = OnTape(variable, &recorded, "variable");
    if (value.tape() == nullptr || !recorded.done) {
      throw ArgumentError(value.tape() == nullptr
                              ? "the variable is a constant"
                              : "call heed_tape_backward first");
    }
    const Tensor found = recorded.tape.Gradient(value);
    result = new heed_array(found.defined() ? found : ZerosLike(value.value()));
  });
}

int32_t heed_parameter_new(const char* name, const heed_array* array,
                           heed_parameter** parameter) {
  return Guard([&] {
    heed_parameter*& result = Result(parameter, "parameter");
    const Tensor& tensor = Needed(array, "array").tensor;
    if (tensor.dtype() != DType::kF32 && tensor.dtype() != DType::kF64) {
      throw ShapeError("a parameter has elements of f32 or f64, not {}",
                       Name(tensor.dtype()));
    }
    auto set = std::make_shared<ParameterSet>(kNoSeed, tensor.dtype(),
                                              kernels::Precision::kNative);
    Parameter& added =
        set->Add(TextOf(name, "name"), tensor.shape(), kZeroInit);
    added.Set(tensor);
    result = new heed_parameter{{std::move(set), &added}};
  });
}

int32_t heed_parameter_array(const heed_parameter* parameter,
                             heed_array** array) {
  return Guard([&] {
    heed_array*& result = Result(array, "array");
    result = new heed_array(Of(parameter).value().Clone());
  });
}

int32_t heed_parameter_gradient(const heed_parameter* parameter,
                                heed_array** gradient) {
  return Guard([&] {
    heed_array*& result = Result(gradient, "gradient");
    const Parameter& of = Of(parameter);
    result = new heed_array(of.gradient().defined() ? of.gradient().Clone()
                                                    : ZerosLike(of.value()));
  });
}

const char* heed_parameter_name(const heed_parameter* parameter) {
  return parameter == nullptr ? "" : Of(parameter).name().c_str();
}

int32_t heed_parameter_set(heed_parameter* parameter, const heed_array* array) {
  return Guard([&] {
    const Tensor& tensor = Needed(array, "array").tensor;
    CheckReplaces(tensor, Of(parameter));
    Of(parameter).Set(tensor);
  });
}

int32_t heed_parameter_set_gradient(heed_parameter* parameter,
                                    const heed_array* gradient) {
  return Guard([&] {
    if (gradient == nullptr) return Of(parameter).ClearGradient();
    CheckReplaces(gradient->tensor, Of(parameter));
    Of(parameter).mutable_gradient() = gradient->tensor.Clone();
  });
}

void heed_parameter_free(heed_parameter* parameter) { delete parameter; }

int32_t heed_optimizer_new(heed_parameter* const* parameters, size_t count,
                           const char* options, size_t size,
                           heed_optimizer** optimizer) {
  return Guard([&] {
    heed_optimizer*& result = Result(optimizer, "optimizer");
    OptimizerConfig config;
    config.clip = 0;
    FromJson(config, JsonOf(options, size, "options"), "options");
    config.Resolve();
    std::vector<SharedParameter> all;
    for (size_t i = 0; i < count; ++i) {
      all.push_back(
          Needed((&Needed(parameters, "parameters"))[i], "parameter").shared);
    }
    result = new heed_optimizer(std::move(all), config);
  });
}

int32_t heed_optimizer_step(heed_optimizer* optimizer, double rate,
                            double* norm) {
  return Guard([&] {
    heed_optimizer& of = Needed(optimizer, "optimizer");
    const double found = of.optimizer.Step(of.step + 1, rate);
    ++of.step;
    if (norm != nullptr) *norm = found;
  });
}

void heed_optimizer_free(heed_optimizer* optimizer) { delete optimizer; }
