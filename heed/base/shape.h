// Dimensions of a tensor, stored inline.
#ifndef HEED_BASE_SHAPE_H_
#define HEED_BASE_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace heed {

/// Up to five dimensions; rank 0 is a scalar with one element.
class Shape {
 public:
  static constexpr int kMaxRank = 5;

  Shape() = default;
  /// Throws: ShapeError for more than kMaxRank or negative dimensions.
  Shape(std::initializer_list<int64_t> dims);

  int rank() const { return rank_; }
  /// Dimension `axis`; negative axes count from the end.
  int64_t operator[](int axis) const {
    return dims_[axis < 0 ? axis + rank_ : axis];
  }
  void Set(int axis, int64_t dim) {
    dims_[axis < 0 ? axis + rank_ : axis] = dim;
  }
  void Append(int64_t dim);

  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }

  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }

  /// "[64, 512]".
  std::string ToString() const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

}  // namespace heed

#endif  // HEED_BASE_SHAPE_H_
