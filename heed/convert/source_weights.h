// Weights of another program's model. The importer must use each of them.
#ifndef HEED_CONVERT_SOURCE_WEIGHTS_H_
#define HEED_CONVERT_SOURCE_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heed/models/settings.h"
#include "heed/tensor/named_tensor.h"
#include "heed/train/model_folder.h"

namespace heed {

/// How an import stores the weights of the model that it makes.
struct WeightStorage {
  /// Format of matrices and tables. Auto: bf16 where the source's are, else
  /// f32.
  Auto<RunFormat> dtype = {};
  /// Takes each weight when it is known; the model then keeps only its shape.
  /// Null: the model holds all weights.
  WeightsWriter* writer = nullptr;
};

/// A tensor that is read when it is taken.
struct SourceTensor {
  Shape shape;
  std::string file;  ///< name for error messages
  std::function<Tensor()> read;
  std::string dtype = "F32";  ///< in the file, as safetensors name it
  /// An int8 matrix: its elements stand for element times this. 0: others.
  float scale = 0;
};

/// A matrix in f32 or bf16, or in int8 with the scale of all elements.
struct StoredMatrix {
  Tensor values;
  float scale = 0;  // 0: values are the numbers

  bool quantized() const { return scale > 0; }
  /// The values as f32 or bf16.
  Tensor Numbers() const;
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
  /// True if the name of any tensor ends so.
  bool HasAnyEnding(std::string_view suffix) const;
  /// Shape of a tensor, which is not read; null if it does not exist. Does not
  /// mark it as taken.
  const Shape* FindShape(const std::string& name) const;

  /// Dtypes, int8 or floating-point, of the matrices that were added, as
  /// safetensors name them.
  const std::set<std::string>& matrix_dtypes() const { return matrix_dtypes_; }

  /// Removes a tensor, reads it and returns it as dense f32 with this shape.
  /// The stored shape may differ in dimensions of size 1. Throws: FormatError
  /// with file and tensor, also for NaN and infinity.
  Tensor Take(const std::string& name, const Shape& shape);
  /// Take() that does not convert bf16, unless it will be stored in f32.
  Tensor TakeStored(const std::string& name, const Shape& shape);
  /// TakeStored() that keeps int8 elements, unless another format will be
  /// stored.
  StoredMatrix TakeMatrix(const std::string& name, const Shape& shape);
  /// Take() of one number above 0.
  float TakeMultiplier(const std::string& name);
  /// Storage of the model that is filled.
  const WeightStorage& storage() const { return storage_; }
  void SetStorage(const WeightStorage& storage) { storage_ = storage; }

  /// Ignores a tensor that is redundant. It need not exist.
  void Skip(const std::string& name) { tensors_.erase(name); }

  /// Ignores all tensors with this prefix.
  void SkipAll(std::string_view prefix);
  /// Ignores all tensors with this suffix.
  void SkipAllEnding(std::string_view suffix);

  /// Throws: FormatError if `weights` is far above the number in the files.
  /// Call it before allocating a model whose size comes from a file.
  void CheckCount(double weights) const;
  /// Throws: FormatError with the tensors that were neither taken nor skipped.
  void CheckAllTaken() const;

 private:
  std::map<std::string, SourceTensor> tensors_;
  std::string file_;
  int64_t elements_ = 0;
  std::set<std::string> matrix_dtypes_;
  WeightStorage storage_;
};

}  // namespace heed

#endif  // HEED_CONVERT_SOURCE_WEIGHTS_H_
