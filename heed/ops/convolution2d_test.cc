#include "heed/ops/convolution2d.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/ops/testing.h"

namespace heed::convolution2d_test {
namespace {

Operation Convolving(const std::string& name, const Window2d& window,
                     const Shape& images, int64_t filters, bool bias) {
  std::vector<Shape> shapes = {images,
                               {window.size, window.size, images[3], filters}};
  if (bias) shapes.push_back({filters});
  return {name,
          [window, bias](Inputs in) {
            return Convolve2d(in[0], in[1], bias ? in[2] : Var(), window);
          },
          shapes};
}

const std::vector<Operation> kOperations = {
    Convolving("convolution", {3, 1, 1}, {2, 4, 5, 3}, 4, true),
    Convolving("convolution_strided", {3, 2, 1}, {3, 5, 5, 2}, 3, false),
    Convolving("convolution_of_patches", {2, 2, 0}, {2, 4, 4, 1}, 5, true),
    Convolving("convolution_of_nothing", {3, 1, 1}, {0, 4, 4, 2}, 3, true),
    {"max_pool", [](Inputs in) { return MaxPool2d(in[0], 2); }, {{2, 5, 4, 3}}},
    {"mean_pool",
     [](Inputs in) { return MeanPool2d(in[0], 2); },
     {{2, 5, 4, 3}}},
};

class Convolution2dTest : public OperationTest {};
INSTANTIATE_TEST_SUITE_P(Ops, Convolution2dTest, testing::ValuesIn(kOperations),
                         NameOf);

TEST_P(Convolution2dTest, GradientsAreThoseOfDifferences) {
  if (GetParam().shapes[0][0] > 0) {
    ExpectGradients();
    ExpectGradientsOfRowsApart();
    ExpectGradientsOfEachOperandAlone();
  }
  ExpectGradientsInF32();
}

TEST(Convolution2d, ErrorsNameTheShapes) {
  const Var x = RandomTensor({1, 4, 4, 2}, 1);
  ExpectShapeError(
      [&] {
        Convolve2d(x, RandomTensor({3, 3, 1, 5}, 2), Var(), {3, 1, 0});
      },
      {"convolve 2d", "[1, 4, 4, 2]", "[3, 3, 1, 5]"});
  ExpectShapeError(
      [&] {
        Convolve2d(x, RandomTensor({5, 5, 2, 5}, 2), Var(), {5, 1, 0});
      },
      {"convolve 2d", "[5, 5, 2, 5]"});
  ExpectShapeError(
      [&] {
        Convolve2d(x, RandomTensor({3, 3, 2, 5}, 2), RandomTensor({4}, 3),
                   {3, 1, 0});
      },
      {"convolve 2d", "[4]"});
  ExpectShapeError([&] { MaxPool2d(x, 5); }, {"max pool 2d", "[1, 4, 4, 2]"});
}

}  // namespace
}  // namespace heed::convolution2d_test
