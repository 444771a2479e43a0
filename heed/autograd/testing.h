// Helpers of tests of differentiable code.
#ifndef HEED_AUTOGRAD_TESTING_H_
#define HEED_AUTOGRAD_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/gradient_check.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/kernels/testing.h"

namespace heed {

/// Random numbers within [-1, 1].
inline Tensor RandomTensor(const Shape& shape, uint64_t seed,
                           DType dtype = DType::kF64) {
  Rng rng(seed);
  Tensor x(shape, DType::kF64);
  for (int64_t i = 0; i < x.numel(); ++i)
    x.data<double>()[i] = rng.Uniform(-1, 1);
  return x.To(dtype);
}

inline Tensor Ids(const std::vector<int32_t>& ids, const Shape& shape) {
  return Tensor::Of(ids, shape);
}
inline Tensor Lengths(const std::vector<int32_t>& lengths) {
  return Ids(lengths, {static_cast<int64_t>(lengths.size())});
}

/// Largest |a − b|; infinite for different shapes and for NaN.
inline double MaxDifference(const Tensor& a, const Tensor& b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(a.shape() == b.shape())) return kInfinity;
  const std::vector<double> x = a.ToVector<double>();
  const std::vector<double> y = b.ToVector<double>();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]);
    if (std::isnan(difference)) return kInfinity;
    worst = std::max(worst, difference);
  }
  return worst;
}

/// Checks the gradient of f(inputs), a function of Vars, by finite differences.
template <typename F>
void ExpectGradientOf(const F& f, std::vector<Tensor> inputs) {
  const GradientCheckResult result = CheckGradient(f, std::move(inputs));
  EXPECT_LT(result.worst, 1e-6) << result.where;
  EXPECT_FALSE(result.where.empty()) << "nothing was compared";
}

/// Checks that f() throws a ShapeError whose message contains all `parts`.
template <typename F>
void ExpectShapeError(const F& f, const std::vector<std::string>& parts) {
  try {
    f();
    ADD_FAILURE() << "no ShapeError about " << parts[0];
  } catch (const ShapeError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << error.what() << "' does not say '" << part << "'";
    }
  }
}

}  // namespace heed

#endif  // HEED_AUTOGRAD_TESTING_H_
