// Parameters: the tensors that training changes.
#ifndef HEED_AUTOGRAD_PARAMETER_H_
#define HEED_AUTOGRAD_PARAMETER_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "heed/kernels/gemm.h"
#include "heed/tensor/named_tensor.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Ending of the name of int8 scales in files.
inline constexpr const char* kScaleSuffix = ".scale";
/// Ending of the name of fixed multipliers of activations in files.
inline constexpr const char* kActivationsSuffix = ".activations";

/// How operations use a parameter, which decides if it can be stored in bf16 or
/// int8.
enum class ParameterUse : uint8_t {
  kOther,   // anything; stored as it is
  kMatrix,  // right factor [in, out] of products; one scale per column
  kTable,   // rows [V, M] are looked up, its transpose may be a right factor;
            // scales of rows
};

/// Named tensor with its gradient. The value may be read from many threads. A
/// writer (an optimiser, a loader) needs exclusive access and calls Changed()
/// afterwards, or FormsToUpdate() before.
class Parameter {
 public:
  Parameter(std::string name, Tensor value, kernels::Precision precision,
            ParameterUse use = ParameterUse::kOther)
      : name_(std::move(name)),
        value_(std::move(value)),
        precision_(precision),
        use_(use) {}
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  /// The path in the model: "decoder.attention.query.weight".
  const std::string& name() const { return name_; }
  /// The value. For a compact parameter only its shape is meaningful; products
  /// and look-ups read packed data instead.
  const Tensor& value() const { return value_; }
  Tensor& mutable_value() { return value_; }
  /// Precision to which products round their factors.
  kernels::Precision precision() const { return precision_; }

  /// True if the value is stored in int8; such a parameter cannot be trained.
  bool quantized() const { return scales_.defined(); }
  /// True if the value is stored in bf16, in int8 or packed for products.
  bool compact() const {
    return quantized() || arranged_only_ || value_.dtype() == DType::kBF16;
  }
  /// DType of computations: f32 also for a compact parameter.
  DType dtype() const { return compact() ? DType::kF32 : value_.dtype(); }
  /// The stored numbers, in f32, f64 or bf16; a copy if they are packed for
  /// products. Not for a quantised parameter.
  Tensor numbers() const;
  /// The int8 values and their scales; a copy if they are packed for products.
  kernels::QuantizedMatrix bytes() const;
  /// True if use and shape allow bf16.
  bool compressible() const;
  /// True if use and shape allow int8.
  bool quantizable() const;
  /// Replaces an f32 value by int8 if that is allowed.
  void Quantize();
  /// The numbers of a quantizable f32 value after Quantize(), which does not
  /// change them further.
  Tensor RoundedToInt8() const;
  /// Replaces a compact value by f32 numbers, so that the parameter can be
  /// trained; products then round their factors to `precision`.
  void Dequantize(kernels::Precision precision);
  /// Replaces a compact value that is not int8 by equal f32 numbers.
  void Widen();
  /// Rounds the value to bf16 and stores it so, immediately or once a parameter
  /// without values gets them. Products do not round their other factor unless
  /// precision() is kBF16. Does nothing if the parameter is not compressible.
  void StoreInBF16(bool has_values = true);
  /// Packs a matrix in f32 or bf16 for products and frees the unpacked copy.
  /// Does nothing for other values.
  void Arrange();
  /// Sets the precision of products; kInt8 quantises, immediately or once a
  /// parameter without values gets them. A value in bf16 stays so with others.
  /// Throws: ConfigError if the parameter is quantised already.
  void SetPrecision(kernels::Precision precision, bool has_values = true);
  /// Copies a value of equal shape: numbers (quantised if the parameter is;
  /// bf16 stays bf16 if the parameter can be), or int8 with scales (the
  /// parameter becomes quantised). Throws: ConfigError if the parameter cannot
  /// be int8.
  void Set(const Tensor& value);
  void Set(const kernels::QuantizedMatrix& bytes);
  /// Sets fixed multipliers [P] that quantise the left factors of products (see
  /// PackedMatrix::left_multipliers). They have no effect before
  /// FixActivations(). Throws: ConfigError unless the parameter is quantised.
  void SetActivations(const Tensor& multipliers);
  /// Products quantise their left factors by the fixed multipliers instead of
  /// row by row. Does nothing for a parameter without int8 products. Throws:
  /// ConfigError if there are no multipliers.
  void FixActivations();
  /// True after FixActivations() of a parameter with int8 products.
  bool has_fixed_activations() const {
    return arranged().matrix.left_multipliers.defined();
  }
  /// Takes a value of equal shape without a copy; quantises it if the parameter
  /// is quantised.
  void Take(Tensor value);
  /// Frees the value. `shape`: a tensor of the shape, for example one that was
  /// never written to and thus takes no memory.
  void Release(Tensor shape);
  /// Tensors to save: the value under its name, in f32 or bf16; int8 values
  /// with scales NAME.scale and, if set, multipliers NAME.activations.
  std::vector<NamedTensor> Tensors() const;
  /// Number of int8 scales: one for each row of a table or each column of a
  /// matrix.
  int64_t scale_count() const;

  /// Looks up rows of a table. Shapes: ids i32 [...], result [..., M]. Range: 0
  /// <= id < V.
  Tensor Rows(const Tensor& ids) const;

  /// Sum of gradients since ClearGradient; undefined if there was none.
  const Tensor& gradient() const { return gradient_; }
  Tensor& mutable_gradient() { return gradient_; }
  void ClearGradient() { gradient_ = Tensor(); }

  /// Marks a table that is also the output projection of a vocabulary.
  void SetScoresTokens() { scores_tokens_ = true; }
  bool scores_tokens() const { return scores_tokens_; }
  /// Multiply-adds of one row of a product with a matrix; 0 for a table used
  /// only for look-up.
  int64_t multiply_adds() const {
    return multiplied() && value_.rank() == 2 ? value_.numel() : 0;
  }

  /// Makes the parameter a constant of every computation: it gets no gradient,
  /// and optimisers made afterwards skip it.
  void Freeze() { frozen_ = true; }
  bool frozen() const { return frozen_; }

  /// Discards packed forms of the old value.
  void Changed();

  /// Packed forms of an f32 matrix that products used since the last change.
  /// The caller, who changes the value, repacks them. Discards all other forms.
  kernels::PackedForms FormsToUpdate();

  /// The value (or its transpose) packed for products, on first use.
  /// Thread-safe.
  const kernels::PackedMatrix& Packed(bool transpose) const;

 private:
  struct Cache {
    kernels::PackedMatrix matrix;
    bool valid = false;
    bool used = false;  // since the last change; implies valid
  };

  /// Discards a packed form, unless it is the only copy of the value.
  void Forget(Cache& cache);

  /// True if assigned numbers are quantised.
  bool quantizes() const;
  /// DType in which assigned numbers are stored.
  DType StoredDType(DType given) const;
  /// The packed form becomes the only copy of a compact value.
  void KeepArranged(int64_t elements);
  bool multiplied() const {
    return use_ != ParameterUse::kTable || scores_tokens_;
  }
  /// True if products use the transpose (a table) instead of the matrix.
  bool by_row() const { return use_ == ParameterUse::kTable; }
  const Cache& arranged() const { return packed_[by_row() ? 1 : 0]; }

  std::string name_;
  Tensor value_;
  Tensor scales_;       // f32, of int8 values
  Tensor activations_;  // f32, fixed multipliers of left factors
  /// True if the value is stored in arranged() alone and value_ is only a
  /// shape. False for a table used only for look-up.
  bool arranged_only_ = false;
  bool rounds_ = false;  // assigned numbers are rounded to bf16
  Tensor gradient_;
  kernels::Precision precision_;
  ParameterUse use_;
  bool frozen_ = false;
  bool scores_tokens_ = false;
  mutable std::mutex mutex_;
  mutable Cache packed_[2];
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_PARAMETER_H_
