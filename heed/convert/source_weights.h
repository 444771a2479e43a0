// Weights of another program's model. The importer must use each of them.
#ifndef HEED_CONVERT_SOURCE_WEIGHTS_H_
#define HEED_CONVERT_SOURCE_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/named_tensor.h"

namespace heed {

/// A tensor that is read when it is taken.
struct SourceTensor {
  Shape shape;
  std::string file;  ///< name for error messages
  std::function<Tensor()> read;
};

class SourceWeights {
 public:
  /// No tensors. `file`: name for error messages about all of them.
  explicit SourceWeights(std::string file);
  /// Tensors in memory.
  SourceWeights(std::vector<NamedTensor> tensors, std::string file);

  /// Adds a tensor. Throws: FormatError if the name exists.
  void Add(const std::string& name, SourceTensor tensor);

  const std::string& file() const { return file_; }
  bool Has(const std::string& name) const { return tensors_.contains(name); }
  /// Shape of a tensor, which is not read; null if it does not exist. Does not
  /// mark it as taken.
  const Shape* FindShape(const std::string& name) const;

  /// Removes a tensor, reads it and returns it as dense f32 with this shape.
  /// The stored shape may differ in dimensions of size 1. Throws: FormatError
  /// with file and tensor, also for NaN and infinity.
  Tensor Take(const std::string& name, const Shape& shape);
  /// Ignores a tensor that is redundant. It need not exist.
  void Skip(const std::string& name) { tensors_.erase(name); }

  /// Ignores all tensors with this prefix.
  void SkipAll(std::string_view prefix);

  /// Throws: FormatError if `weights` is far above the number in the files.
  /// Call it before allocating a model whose size comes from a file.
  void CheckCount(double weights) const;
  /// Throws: FormatError with the tensors that were neither taken nor skipped.
  void CheckAllTaken() const;

 private:
  std::map<std::string, SourceTensor> tensors_;
  std::string file_;
  int64_t elements_ = 0;
};

}  // namespace heed

#endif  // HEED_CONVERT_SOURCE_WEIGHTS_H_
