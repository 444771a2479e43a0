// How other programs name and lay out what Heed's models are made of.
#ifndef HEED_CONVERT_LAYOUT_H_
#define HEED_CONVERT_LAYOUT_H_

#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/convert/source_weights.h"

namespace heed {

/// A program's names: what stands for the '*' in the name of a part.
struct Layout {
  const char* weight;  // of a matrix
  const char* weight_bias;
  const char* gain;  // of a norm
  const char* norm_bias;
  bool transposed;  // matrices are [out, in], not [in, out] as Heed's
};

/// A part of a model by both names: parameters OURS.weight and OURS.bias (of a
/// norm: OURS.gain and OURS.bias), and theirs. Matrices of theirs stand side by
/// side in ours (queries, keys and values).
struct Part {
  enum class Kind : uint8_t { kLinear, kNorm };
  Kind kind;
  std::string ours;
  std::vector<std::string> theirs;
};

/// Fills the parameters of a model from another program's weights, and knows
/// what is filled.
class WeightReader {
 public:
  WeightReader(SourceWeights& from, ParameterSet& to) : from_(from), to_(to) {}

  SourceWeights& from() { return from_; }
  const Shape& ShapeOf(const std::string& ours) const;
  /// Throws: FormatError that names a tensor that is missing or ill-shaped.
  void Read(std::span<const Part> parts, const Layout& layout);
  void Set(const std::string& ours, const Tensor& value);
  /// Multiplies what was read.
  void Scale(const std::string& ours, float factor);
  /// Copies the parameters whose names begin with `from` to those that begin
  /// with `to` and go on alike.
  void CopyAll(const std::string& from, const std::string& to);
  /// Throws: FormatError that names what the model needs and what Heed does not
  /// understand.
  void CheckComplete() const;
  /// Names of the parameters that nothing was read for.
  std::vector<std::string> Unread() const;

 private:
  Parameter& Find(const std::string& ours) const;

  SourceWeights& from_;
  ParameterSet& to_;
  std::set<std::string> read_;
};

/// The parameters of `parts` by their names and in their layout.
std::vector<NamedTensor> WriteParts(const ParameterSet& from,
                                    std::span<const Part> parts,
                                    const Layout& layout);

/// Shapes: x [R, C], result [C, R].
Tensor Transposed(const Tensor& x);
/// Rows `rows` of a table; zeros where a number is negative.
/// Shapes: table [V, M], result [rows, M]; or [V], result [rows].
Tensor TakeRows(const Tensor& table, std::span<const int32_t> rows);

}  // namespace heed

#endif  // HEED_CONVERT_LAYOUT_H_
