// The parameters of a model, by name.
#ifndef HEED_AUTOGRAD_PARAMETER_SET_H_
#define HEED_AUTOGRAD_PARAMETER_SET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter.h"
#include "heed/base/rng.h"
#include "heed/tensor/named_tensor.h"

namespace heed {

/// Initial values of a parameter.
struct Init {
  enum class Kind {
    kConstant,  // every element `scale`
    kUniform,   // in [−scale, scale]
    kNormal,    // standard deviation `scale`
    kGlorot,  // uniform, ±scale·√(6 / (rows + columns)); Glorot, Bengio 2010
    kOrthogonal,  // scale · rows or columns orthonormal; Saxe et al. 2013
  };
  Kind kind = Kind::kGlorot;
  double scale = 1;
};
inline constexpr Init kGlorotInit = {};
inline constexpr Init kZeroInit = {Init::Kind::kConstant, 0};
/// Initial values of embeddings, whose size is independent of the number of
/// rows.
inline constexpr Init kEmbeddingInit = {Init::Kind::kUniform, 0.1};

/// Seed of a model whose weights are loaded next. They are not initialised and
/// their memory is not touched until then.
inline constexpr uint64_t kNoSeed = ~uint64_t{0};

/// Owner of parameters with stable addresses. Equal seeds give equal values.
class ParameterSet {
 public:
  ParameterSet(uint64_t seed, DType dtype, kernels::Precision precision)
      : rng_(seed),
        dtype_(dtype),
        precision_(precision),
        has_values_(seed != kNoSeed) {}

  /// Adds a parameter. Throws: ConfigError if the name is taken, if the shape
  /// has no elements, or if the machine has too little memory to train all
  /// parameters.
  Parameter& Add(const std::string& name, const Shape& shape, Init init,
                 ParameterUse use = ParameterUse::kOther);

  /// Sets the precision of products. kInt8 quantises matrices and tables once
  /// they have values: a quarter of the memory, and no training. Throws:
  /// ConfigError if parameters are quantised already and `precision` is not
  /// kInt8.
  void SetPrecision(kernels::Precision precision);

  /// Replaces int8 and bf16 weights by their f32 values, so that all can be
  /// trained. Returns true if there were int8 weights.
  bool Dequantize();
  /// Rounds matrices and tables to bf16 and stores them so, once they have
  /// values: half of the memory.
  void StoreInBF16();
  /// Replaces weights that are packed or in bf16 by equal f32 values.
  void Widen();
  /// Prepares a model that is only run: each matrix is packed for products and
  /// then stored only so.
  void Arrange();

  /// See Parameter::FixActivations. Throws: ConfigError if no parameter is
  /// quantised.
  void FixActivations();

  kernels::Precision precision() const { return precision_; }

  /// Tensors to save: see Parameter::Tensors.
  std::vector<NamedTensor> Tensors() const;
  /// Loads values: numbers for a quantised parameter are quantised, int8 values
  /// make a parameter quantised, and a matrix in bf16 stays so. Throws:
  /// FormatError, naming `file`, for a missing tensor or a wrong shape.
  void SetTensors(std::span<const NamedTensor> tensors,
                  const std::string& file);
  /// Loads values and frees or adopts each tensor, so that a model never takes
  /// its memory twice. Throws: FormatError, naming `file`, for a missing tensor
  /// or a wrong shape.
  void TakeTensors(std::vector<NamedTensor> tensors, const std::string& file);

  /// Null if there is none of this name.
  Parameter* Find(const std::string& name) const;
  const std::vector<std::unique_ptr<Parameter>>& all() const { return all_; }
  /// Number of elements of all parameters.
  int64_t elements() const;

 private:
  void EndOfReading();

  Rng rng_;
  DType dtype_;
  kernels::Precision precision_;
  bool has_values_;  // false with kNoSeed until values are loaded
  std::vector<std::unique_ptr<Parameter>> all_;
};

/// Path in a model under which its parts add parameters.
class Scope {
 public:
  Scope(ParameterSet& set, std::string path)
      : set_(&set), path_(std::move(path)) {}

  Scope operator/(const std::string& name) const {
    return {*set_, path_.empty() ? name : path_ + "." + name};
  }
  const std::string& path() const { return path_; }
  Parameter& Add(const std::string& name, const Shape& shape, Init init,
                 ParameterUse use = ParameterUse::kOther) const {
    return set_->Add((*this / name).path_, shape, init, use);
  }

 private:
  ParameterSet* set_;
  std::string path_;
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_PARAMETER_SET_H_
