#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed.h"
#include "testing.h"

namespace heed::c_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using Tape = std::unique_ptr<heed_tape, Free<heed_tape_free>>;
using Variable = std::unique_ptr<heed_variable, Free<heed_variable_free>>;
using Parameter = std::unique_ptr<heed_parameter, Free<heed_parameter_free>>;

Variable VariableOf(heed_tape* tape, const heed_array* array) {
  heed_variable* variable = nullptr;
  EXPECT_EQ(heed_variable_new(tape, array, &variable), HEED_OK)
      << heed_error_message();
  return Variable(variable);
}

Variable Operation(heed_tape* tape, const char* name,
                   std::vector<const heed_variable*> inputs,
                   const std::string& options = "{}") {
  heed_variable* result = nullptr;
  EXPECT_EQ(heed_operation(tape, name, inputs.data(), inputs.size(),
                           options.data(), options.size(), &result, 1),
            HEED_OK)
      << heed_error_message();
  return Variable(result);
}

TEST(Arrays, AnyStridesAreCopied) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {3, 2};
  const int64_t strides[] = {1, 3};  // the transpose of [2, 3]
  heed_view view = {};
  view.size = sizeof(view);
  view.dtype = HEED_F32;
  view.ndim = 2;
  view.shape = shape;
  view.strides = strides;
  view.data = const_cast<float*>(values.data());
  heed_array* array = nullptr;
  ASSERT_EQ(heed_array_new(&view, &array), HEED_OK);
  const Array owned(array);
  EXPECT_EQ(ValuesOf(array), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  view.ndim = 9;
  EXPECT_EQ(heed_array_new(&view, &array), HEED_SHAPE);
  view.ndim = 2;
  view.dtype = 5;
  EXPECT_EQ(heed_array_new(&view, &array), HEED_SHAPE);
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  view.dtype = HEED_F32;
  view.shape = huge;
  EXPECT_EQ(heed_array_new(&view, &array), HEED_SHAPE);
  view.size = 4;
  EXPECT_EQ(heed_array_new(&view, &array), HEED_ARGUMENT);
}

TEST(Arrays, HalvesAndWholeNumbersAreConverted) {
  const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7c00, 0x8000};
  const int64_t five[] = {5};
  heed_view view = {};
  view.size = sizeof(view);
  view.dtype = HEED_F16;
  view.ndim = 1;
  view.shape = five;
  view.data = const_cast<uint16_t*>(halves);
  heed_array* array = nullptr;
  ASSERT_EQ(heed_array_new(&view, &array), HEED_OK);
  const Array owned(array);
  EXPECT_EQ(ValuesOf(array), (std::vector<float>{1, -2, std::ldexp(1.0F, -24),
                                                 INFINITY, -0.0F}));
  const int64_t wide[] = {1, 2, 3, 4, int64_t{1} << 40};
  view.dtype = HEED_I64;
  view.data = const_cast<int64_t*>(wide);
  heed_array* integers = nullptr;
  EXPECT_EQ(heed_array_new(&view, &integers), HEED_SHAPE);
}

TEST(Tape, GradientsFlowThroughOperations) {
  heed_tape* made = nullptr;
  ASSERT_EQ(heed_tape_new(&made), HEED_OK);
  const Tape tape(made);
  const Variable x = VariableOf(made, ArrayOf({1, 2, 3}, {3}).get());
  const Variable loss = Operation(
      made, "sum", {Operation(made, "mul", {x.get(), x.get()}).get()});
  ASSERT_EQ(heed_tape_backward(made, loss.get(), nullptr), HEED_OK);
  heed_array* gradient = nullptr;
  ASSERT_EQ(heed_tape_gradient(made, x.get(), &gradient), HEED_OK);
  const Array owned(gradient);
  EXPECT_EQ(ValuesOf(gradient), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(heed_tape_backward(made, loss.get(), nullptr), HEED_ARGUMENT);
}

TEST(Tape, OperationsRefuseWhatDoesNotFit) {
  const Variable x = VariableOf(nullptr, ArrayOf({1, 2, 3}, {3}).get());
  const Variable y = VariableOf(nullptr, ArrayOf({1, 2}, {2}).get());
  heed_variable* result = nullptr;
  const auto code = [&](const char* name, std::vector<const heed_variable*> in,
                        const std::string& options) {
    return heed_operation(nullptr, name, in.data(), in.size(), options.data(),
                          options.size(), &result, 1);
  };
  EXPECT_EQ(code("add", {x.get(), y.get()}, "{}"), HEED_SHAPE);
  EXPECT_EQ(code("add", {x.get()}, "{}"), HEED_ARGUMENT);
  EXPECT_EQ(code("add", {x.get(), nullptr}, "{}"), HEED_ARGUMENT);
  EXPECT_EQ(code("fly", {x.get()}, "{}"), HEED_CONFIG);
  EXPECT_EQ(code("scale", {x.get()}, R"({"factr": 2})"), HEED_CONFIG);
  EXPECT_EQ(code("scale", {x.get()}, R"({"factor": "2"})"), HEED_CONFIG);
  EXPECT_EQ(code("reshape", {x.get()}, R"({"shape": [2, -1]})"), HEED_SHAPE);
  EXPECT_EQ(code("embedding", {y.get(), x.get()}, "{}"), HEED_SHAPE);
}

TEST(Tape, AnOptimizerChangesParameters) {
  heed_parameter* made = nullptr;
  ASSERT_EQ(heed_parameter_new("w", ArrayOf({1, 1}, {2}).get(), &made),
            HEED_OK);
  const Parameter parameter(made);
  heed_optimizer* optimizer = nullptr;
  const std::string options = R"({"optimizer": "sgd"})";
  ASSERT_EQ(
      heed_optimizer_new(&made, 1, options.data(), options.size(), &optimizer),
      HEED_OK)
      << heed_error_message();
  ASSERT_EQ(heed_parameter_set_gradient(made, ArrayOf({1, 2}, {2}).get()),
            HEED_OK);
  double norm = 0;
  ASSERT_EQ(heed_optimizer_step(optimizer, 0.5, &norm), HEED_OK);
  EXPECT_NEAR(norm, std::sqrt(5), 1e-6);
  heed_optimizer_free(optimizer);
  heed_array* array = nullptr;
  ASSERT_EQ(heed_parameter_array(made, &array), HEED_OK);
  const Array owned(array);
  EXPECT_EQ(ValuesOf(array), (std::vector<float>{0.5, 0}));
}

/// Weights of the attention from x to itself. Shapes: x [B, T, D], result [B,
/// H, T, T].
std::vector<float> WeightsWithin(const heed_attention* attention,
                                 heed_tape* tape, const Variable& x) {
  heed_variable* context = nullptr;
  heed_variable* weights = nullptr;
  EXPECT_EQ(heed_attention_attend(attention, tape, x.get(), x.get(), nullptr,
                                  nullptr, &context, &weights),
            HEED_OK)
      << heed_error_message();
  const Variable first(context);
  const Variable second(weights);
  heed_array* array = nullptr;
  EXPECT_EQ(heed_variable_array(weights, &array), HEED_OK);
  const Array owned(array);
  return ValuesOf(array);
}

TEST(Attention, WeightsOfARowSumToOne) {
  const std::string options =
      R"({"query": 4, "key": 4, "heads": 2, "mask": "causal"})";
  heed_attention* attention = nullptr;
  ASSERT_EQ(heed_attention_new(options.data(), options.size(), &attention),
            HEED_OK)
      << heed_error_message();
  const Variable x = VariableOf(
      nullptr, ArrayOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6}, {1, 3, 4}).get());
  const std::vector<float> w = WeightsWithin(attention, nullptr, x);
  ASSERT_EQ(w.size(), 18u);
  for (size_t row = 0; row < 6; ++row) {
    EXPECT_NEAR(w[3 * row] + w[3 * row + 1] + w[3 * row + 2], 1, 1e-6);
  }
  EXPECT_EQ(w[1], 0);  // masked
  heed_attention_free(attention);
}

/// Weights [1, 1, 2, 2] of equal scores with a dropout rate of 0.5.
std::vector<float> DroppedWeights(bool train) {
  const std::string options = R"({"query": 1, "key": 1, "dropout": 0.5})";
  heed_attention* attention = nullptr;
  EXPECT_EQ(heed_attention_new(options.data(), options.size(), &attention),
            HEED_OK);
  heed_tape* tape = nullptr;
  EXPECT_EQ(heed_tape_new(&tape), HEED_OK);
  if (train) {
    EXPECT_EQ(heed_tape_train(tape, 3), HEED_OK);
  }
  const Variable x = VariableOf(tape, ArrayOf({0, 0}, {1, 2, 1}).get());
  std::vector<float> weights = WeightsWithin(attention, tape, x);
  heed_tape_free(tape);
  heed_attention_free(attention);
  return weights;
}

TEST(Attention, WeightsAreDroppedInTrainingAlone) {
  EXPECT_THAT(DroppedWeights(false), testing::Each(0.5F));
  EXPECT_THAT(DroppedWeights(true), testing::Each(testing::AnyOf(0.F, 1.F)));
  EXPECT_EQ(heed_tape_train(nullptr, 1), HEED_ARGUMENT);
}

TEST(Pictures, WeightsOfAnyOriginAreDrawn) {
  const Array weights = ArrayOf({0.9F, 0.1F, 0.2F, 0.8F}, {2, 2});
  const auto draw = [&](const Json& request) {
    const std::string text = request.dump();
    heed_answer* answer = nullptr;
    EXPECT_EQ(heed_draw(weights.get(), text.data(), text.size(), &answer),
              HEED_OK)
        << heed_error_message();
    return answer == nullptr ? "" : TextOf(answer);
  };
  const Json labels = {{"source", {"das", "Haus"}},
                       {"target", {"the", "house"}}};
  EXPECT_THAT(draw(labels), HasSubstr("Haus"));
  Json text = labels;
  text["format"] = "text";
  EXPECT_THAT(draw(text), HasSubstr("house"));
  const auto code = [&](const Json& wrong) {
    const std::string request = wrong.dump();
    heed_answer* answer = nullptr;
    return heed_draw(weights.get(), request.data(), request.size(), &answer);
  };
  EXPECT_EQ(code({{"source", {"one"}}}), HEED_SHAPE);
  EXPECT_EQ(code({{"image", "%"}, {"view", "input"}}), HEED_FORMAT);
  EXPECT_EQ(code({{"view", "input"}}), HEED_CONFIG);  // no image
}

TEST(Metrics, AreThoseOfTheCommand) {
  const std::string request =
      R"({"metric": "bleu", "hypotheses": ["a b c d"], "references": ["a b c d"]})";
  double value = 0;
  ASSERT_EQ(heed_metric(request.data(), request.size(), &value), HEED_OK)
      << heed_error_message();
  EXPECT_NEAR(value, 100, 1e-9);
}

}  // namespace
}  // namespace heed::c_test
