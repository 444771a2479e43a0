// Mapping between the parameters of Heed and of other programs.
#ifndef HEED_CONVERT_LAYOUT_H_
#define HEED_CONVERT_LAYOUT_H_

#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/convert/source_weights.h"

namespace heed {

/// Naming scheme of a program: replacements for '*' in the names of parts.
struct Layout {
  const char* weight;  // of a matrix
  const char* weight_bias;
  const char* gain;  // of a norm
  const char* norm_bias;
  bool transposed;  // matrices are [out, in]; in Heed they are [in, out]
  /// Suffix of the multiplier of activations of an int8 matrix; null: none.
  const char* activations = nullptr;
};

/// A layer in both naming schemes. Heed's parameters are OURS.weight and
/// OURS.bias (if the layer has one), or OURS.gain and OURS.bias for a norm.
/// Several matrices of the other program are concatenated along Heed's columns
/// (queries, keys, values).
struct Part {
  enum class Kind : uint8_t { kLinear, kNorm };
  Kind kind;
  std::string ours;
  std::vector<std::string> theirs;
};

/// Name of a tensor of a part: its '*' replaced.
std::string NameOfPart(std::string pattern, const char* what);

/// Fills a model's parameters from another program's weights, and tracks which
/// ones are filled.
class WeightReader {
 public:
  WeightReader(SourceWeights& from, ParameterSet& to);

  SourceWeights& from() { return from_; }
  const Shape& ShapeOf(const std::string& ours) const;
  /// Fills the parameters of `parts`. Throws: FormatError with a tensor that is
  /// missing or has a wrong shape.
  void Read(std::span<const Part> parts, const Layout& layout);
  /// Fills a parameter with f32 or bf16. A matrix in bf16 stays so. A value
  /// that nobody else holds is not copied.
  void Set(const std::string& ours, Tensor value);
  /// Fills a table with rows of `table` (see TakeRows), which may be in int8.
  void SetTable(const std::string& ours, const StoredMatrix& table,
                std::span<const int32_t> rows);
  /// Sets the fixed multipliers of activations of a filled parameter in int8.
  void SetActivations(const std::string& ours, const Tensor& multipliers);
  /// Multiplies a filled parameter by `factor`.
  void Scale(const std::string& ours, float factor);
  /// Copies all parameters with prefix `from` to the names with prefix `to`.
  void CopyAll(const std::string& from, const std::string& to);
  /// Throws: FormatError with a tensor that was not used, or a parameter that
  /// was not filled.
  void CheckComplete() const;
  /// Names of unfilled parameters.
  std::vector<std::string> Unread() const;

 private:
  /// Reads matrices and biases into the columns of a layer.
  void ReadLinear(const Part& part, const Layout& layout);
  void ReadMatrices(const Part& part, const Layout& layout);
  void FillBytes(Parameter& parameter, std::span<const StoredMatrix> matrices);
  void ReadActivations(const Part& part, const Layout& layout);
  /// Gives a parameter a value that nobody else holds, and writes and frees it
  /// if weights are written one by one.
  void Fill(Parameter& parameter, Tensor value);
  Parameter& Find(const std::string& ours) const;

  SourceWeights& from_;
  ParameterSet& to_;
  std::set<std::string> read_;
};

/// Converts the parameters of `parts` to the names and layout of `layout`.
std::vector<NamedTensor> WriteParts(const ParameterSet& from,
                                    std::span<const Part> parts,
                                    const Layout& layout);

/// Transpose of a matrix of f32 or bf16. Shapes: x [R, C], result [C, R].
Tensor Transposed(const Tensor& x);
/// Selects rows of a table; a negative index gives a row of zeros. Shapes:
/// table [V, M], result [rows, M]; or table [V], result [rows].
Tensor TakeRows(const Tensor& table, std::span<const int32_t> rows);

}  // namespace heed

#endif  // HEED_CONVERT_LAYOUT_H_
