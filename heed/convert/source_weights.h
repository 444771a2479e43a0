// Weights of another program's model. The importer must use each of them.
#ifndef HEED_CONVERT_SOURCE_WEIGHTS_H_
#define HEED_CONVERT_SOURCE_WEIGHTS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

class SourceWeights {
 public:
  /// `file`: name for error messages.
  SourceWeights(std::vector<NamedTensor> tensors, std::string file);

  const std::string& file() const { return file_; }
  bool Has(const std::string& name) const { return tensors_.contains(name); }
  /// The tensor; null if it does not exist. Does not mark it as taken.
  const Tensor* Find(const std::string& name) const;

  /// Removes and returns a tensor as dense f32 with this shape. The stored
  /// shape may differ in dimensions of size 1. Throws: FormatError with file
  /// and tensor.
  Tensor Take(const std::string& name, const Shape& shape);
  /// Ignores a tensor that is redundant. It need not exist.
  void Skip(const std::string& name) { tensors_.erase(name); }

  /// Ignores all tensors with this prefix.
  void SkipAll(std::string_view prefix);

  /// Throws: FormatError if `weights` is far above the number in the file. Call
  /// it before allocating a model whose size comes from a file.
  void CheckCount(double weights) const;
  /// Throws: FormatError with the tensors that were neither taken nor skipped.
  void CheckAllTaken() const;

 private:
  [[noreturn]] void Fail(const std::string& name,
                         const std::string& problem) const;

  std::map<std::string, Tensor> tensors_;
  std::string file_;
  int64_t elements_ = 0;
};

}  // namespace heed

#endif  // HEED_CONVERT_SOURCE_WEIGHTS_H_
