// Parameters: the tensors that training changes.
#ifndef HEED_AUTOGRAD_PARAMETER_H_
#define HEED_AUTOGRAD_PARAMETER_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// What operations do with a parameter, and so whether bytes can stand for it.
enum class ParameterUse : uint8_t {
  kOther,   // anything; it stays as it is
  kMatrix,  // it is the right factor [in, out] of products; scales of columns
  kTable,   // rows [V, M] are looked up, its transpose may be a right factor;
            // scales of rows
};

/// A named tensor with its gradient. The value is read from many threads; who
/// changes it (an optimiser, a loader) is alone and calls Changed() afterwards,
/// or FormsToUpdate() before.
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
  /// Once it is quantised its shape alone means something: what products and
  /// look-ups read are bytes in an order of their own.
  const Tensor& value() const { return value_; }
  Tensor& mutable_value() { return value_; }
  /// In what products with this parameter round their factors.
  kernels::Precision precision() const { return precision_; }

  /// True if bytes stand for the value; such a parameter cannot be trained.
  bool quantized() const { return scales_.defined(); }
  /// What operations compute with: f32 also if it is quantised.
  DType dtype() const { return quantized() ? DType::kF32 : value_.dtype(); }
  /// The bytes and their scales; a copy if products have them arranged.
  kernels::QuantizedMatrix bytes() const;
  /// True if its use and its shape allow bytes.
  bool quantizable() const;
  /// Puts bytes in the place of an f32 value if that is allowed.
  void Quantize();
  /// Puts the numbers that bytes stand for in their place, so that it can be
  /// trained; products round their factors to `precision`.
  void Dequantize(kernels::Precision precision);
  /// Rounds the factors of products in another way from now on; kInt8
  /// quantises, a parameter without values when it gets them.
  /// Throws: ConfigError if it is quantised already.
  void SetPrecision(kernels::Precision precision, bool has_values = true);
  /// Takes a value of the same shape: as numbers (which are quantised if it
  /// is), or in int8 with scales (it then is quantised).
  /// Throws: ConfigError if bytes cannot stand for it.
  void Set(const Tensor& value);
  void Set(const kernels::QuantizedMatrix& bytes);
  /// As Set of numbers, but keeps the tensor itself if they stay numbers.
  void Take(Tensor value);
  /// Scales of bytes: one for each row of a table, each column of a matrix.
  int64_t scale_count() const;

  /// Rows of a table as numbers. Shapes: ids i32 [...], result [..., M].
  /// Range: 0 <= id < V.
  Tensor Rows(const Tensor& ids) const;

  /// Sum of gradients since ClearGradient; undefined if there was none.
  const Tensor& gradient() const { return gradient_; }
  Tensor& mutable_gradient() { return gradient_; }
  void ClearGradient() { gradient_ = Tensor(); }

  /// Of a layer whose products with it score the tokens of a vocabulary.
  void SetScoresTokens() { scores_tokens_ = true; }
  bool scores_tokens() const { return scores_tokens_; }
  /// Of a matrix: what one row of a product with it takes; 0 of a table whose
  /// rows are only looked up.
  int64_t multiply_adds() const {
    return multiplied() && value_.rank() == 2 ? value_.numel() : 0;
  }

  /// A frozen parameter is a constant of every computation: it gets no
  /// gradient, and an optimiser that is made afterwards leaves it as it is.
  void Freeze() { frozen_ = true; }
  bool frozen() const { return frozen_; }

  /// Forgets what was derived from the old value.
  void Changed();

  /// Of an f32 matrix the forms that products have had since the last change:
  /// who changes the value packs them again. Forgets all others.
  kernels::PackedForms FormsToUpdate();

  /// The value (or its transpose) arranged for products, made on first use.
  /// Thread-safe.
  const kernels::PackedMatrix& Packed(bool transpose) const;

 private:
  struct Cache {
    kernels::PackedMatrix matrix;
    bool valid = false;
    bool used = false;  // since the last change; valid, then
  };

  /// Forgets a form, unless it is what the value is held as.
  void Forget(Cache& cache);

  /// Whether numbers that it is given become bytes.
  bool quantizes() const;
  bool multiplied() const {
    return use_ != ParameterUse::kTable || scores_tokens_;
  }
  /// Whether products have a table's transpose, or a matrix as it is.
  bool by_row() const { return use_ == ParameterUse::kTable; }
  const Cache& arranged() const { return packed_[by_row() ? 1 : 0]; }

  std::string name_;
  Tensor value_;
  Tensor scales_;  // f32, of bytes
  /// Bytes are in arranged() alone, and value_ is their shape: a weight is held
  /// once. False of a table whose rows are only looked up.
  bool arranged_only_ = false;
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
