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

/// How a parameter starts.
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
/// A row of an embedding is not a map between layers: its size does not depend
/// on how many rows there are.
inline constexpr Init kEmbeddingInit = {Init::Kind::kUniform, 0.1};

/// The seed of a model whose weights are read next. Until then they are not
/// initialised: their memory is not even touched.
inline constexpr uint64_t kNoSeed = ~uint64_t{0};

/// Owns parameters; their addresses stay. Same seed, same values.
class ParameterSet {
 public:
  ParameterSet(uint64_t seed, DType dtype, kernels::Precision precision)
      : rng_(seed),
        dtype_(dtype),
        precision_(precision),
        has_values_(seed != kNoSeed) {}

  /// Throws: ConfigError if the name is taken, if the shape has no elements, or
  /// if the machine has too little memory to train the parameters so far and
  /// this one.
  Parameter& Add(const std::string& name, const Shape& shape, Init init,
                 ParameterUse use = ParameterUse::kOther);

  /// How products round their factors from now on. kInt8 puts bytes in the
  /// place of matrices and tables, once they have values: a quarter of the
  /// memory, and no training.
  /// Throws: ConfigError if there are bytes already and kInt8 is not asked for.
  void SetPrecision(kernels::Precision precision);

  /// Replaces int8 weights by their f32 values, so that all can be trained.
  /// Returns whether there were int8 weights.
  bool Dequantize();

  kernels::Precision precision() const { return precision_; }

  /// What a file keeps: each value under its name; one of bytes with its scales
  /// as NAME.scale.
  std::vector<NamedTensor> Tensors() const;
  /// The values from a file of this set's or the other form: numbers for a
  /// quantised parameter are quantised, and bytes make a parameter quantised.
  /// Throws: FormatError, naming `file`, for a missing or ill-shaped one.
  void SetTensors(std::span<const NamedTensor> tensors,
                  const std::string& file);
  /// The same, but gives each tensor back as soon as it has been read, or keeps
  /// it instead of a copy: a model takes its memory once.
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
  bool has_values_;  // not with kNoSeed before they are read
  std::vector<std::unique_ptr<Parameter>> all_;
};

/// A place in a model, under whose name parts add their parameters.
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
