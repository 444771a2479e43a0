// The weights of another program's model, each of which must be understood.
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
  /// `file` is how errors call them.
  SourceWeights(std::vector<NamedTensor> tensors, std::string file);

  const std::string& file() const { return file_; }
  bool Has(const std::string& name) const { return tensors_.contains(name); }
  /// Null if there is none of this name. It still counts as not taken.
  const Tensor* Find(const std::string& name) const;

  /// The tensor, as dense f32 of this shape; in the file, dimensions of size 1
  /// may stand more or less. Throws: FormatError that names file and tensor.
  Tensor Take(const std::string& name, const Shape& shape);
  /// One that says nothing new. It need not be there.
  void Skip(const std::string& name) { tensors_.erase(name); }

  /// All whose names begin so.
  void SkipAll(std::string_view prefix);

  /// Throws: FormatError if so many weights cannot have come from this file.
  /// To be asked before a model is made whose sizes a file tells.
  void CheckCount(double weights) const;
  /// Throws: FormatError that names those that were neither taken nor skipped.
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
