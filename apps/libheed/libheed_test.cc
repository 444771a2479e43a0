#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "heed.h"

extern "C" int HeaderIsC(void);

namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

/// A handle that is freed at the end of its scope.
template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
using Model = std::unique_ptr<heed_model, Free<heed_model_free>>;
using Call = std::unique_ptr<heed_call, Free<heed_call_free>>;
using Array = std::unique_ptr<heed_array, Free<heed_array_free>>;
using Tape = std::unique_ptr<heed_tape, Free<heed_tape_free>>;
using Variable = std::unique_ptr<heed_variable, Free<heed_variable_free>>;
using Parameter = std::unique_ptr<heed_parameter, Free<heed_parameter_free>>;

std::string TextOf(heed_answer* answer) {
  const char* text = nullptr;
  size_t size = 0;
  EXPECT_EQ(heed_answer_text(answer, &text, &size), HEED_OK);
  std::string copy(text, size);
  EXPECT_EQ(text[size], '\0');
  heed_answer_free(answer);
  return copy;
}

std::string Command(const Json& words, heed_cancel* cancel = nullptr) {
  const std::string text = words.dump();
  heed_answer* answer = nullptr;
  EXPECT_EQ(heed_command(text.data(), text.size(), cancel, &answer), HEED_OK)
      << heed_error_message();
  return answer == nullptr ? "" : TextOf(answer);
}

int32_t CodeOf(const Json& words, heed_cancel* cancel = nullptr) {
  const std::string text = words.dump();
  heed_answer* answer = nullptr;
  const int32_t code = heed_command(text.data(), text.size(), cancel, &answer);
  EXPECT_EQ(answer == nullptr, code != HEED_OK);
  heed_answer_free(answer);
  return code;
}

Json Answered(const heed_model* model, const char* path, const Json& request) {
  const std::string text = request.dump();
  heed_answer* answer = nullptr;
  EXPECT_EQ(
      heed_model_run(model, path, text.data(), text.size(), nullptr, &answer),
      HEED_OK)
      << heed_error_message();
  return answer == nullptr ? Json() : Json::parse(TextOf(answer));
}

Array ArrayOf(const std::vector<float>& values,
              const std::vector<int64_t>& shape) {
  heed_view view = {};
  view.size = sizeof(view);
  view.dtype = HEED_F32;
  view.ndim = static_cast<int32_t>(shape.size());
  view.shape = shape.data();
  view.data = const_cast<float*>(values.data());
  heed_array* array = nullptr;
  EXPECT_EQ(heed_array_new(&view, &array), HEED_OK) << heed_error_message();
  return Array(array);
}

std::vector<float> ValuesOf(const heed_array* array) {
  heed_view view = {};
  view.size = sizeof(view);
  EXPECT_EQ(heed_array_view(array, &view), HEED_OK);
  EXPECT_EQ(view.dtype, HEED_F32);
  int64_t elements = 1;
  for (int32_t i = 0; i < view.ndim; ++i) elements *= view.shape[i];
  const auto* data = static_cast<const float*>(view.data);
  return {data, data + elements};
}

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

/// A folder with a classifier that was trained for an instant.
class TrainedModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "heed_c_test_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/train.tsv") << Lines(40);
    Command({"train", "--task", "classify", "--texts", folder_ + "/train.tsv",
             "--valid-texts", folder_ + "/train.tsv", "--out", Folder(),
             "--vocabulary", "words", "--units", "8", "--epochs", "2",
             "--quiet"});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  static std::string Folder() { return folder_ + "/model"; }
  static Model Open() {
    heed_model* model = nullptr;
    EXPECT_EQ(heed_model_open(Folder().c_str(), nullptr, 0, &model), HEED_OK)
        << heed_error_message();
    return Model(model);
  }

 private:
  static std::string Lines(int pairs) {
    std::string lines;
    for (int i = 0; i < pairs; ++i) {
      lines += "good\ta fine film " + std::to_string(i) +
               "\nbad\ta dull film " + std::to_string(i) + "\n";
    }
    return lines;
  }

  static inline std::string folder_;
};

TEST(Header, IsC) { EXPECT_TRUE(HeaderIsC()); }

TEST(Errors, HaveACodeAndAMessageOfTheirThread) {
  heed_model* model = nullptr;
  EXPECT_EQ(heed_model_open("/no/such/folder", nullptr, 0, &model), HEED_IO);
  EXPECT_EQ(model, nullptr);
  EXPECT_THAT(heed_error_message(), HasSubstr("/no/such/folder"));
  std::string other = "none";
  std::thread([&other] { other = heed_error_message(); }).join();
  EXPECT_EQ(other, "");
}

TEST(Errors, NullIsAnArgumentError) {
  EXPECT_EQ(heed_model_open(nullptr, nullptr, 0, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_model_run(nullptr, nullptr, nullptr, 0, nullptr, nullptr),
            HEED_ARGUMENT);
  EXPECT_EQ(heed_model_stream(nullptr, nullptr, nullptr, 0, nullptr, nullptr,
                              nullptr),
            HEED_ARGUMENT);
  EXPECT_EQ(heed_model_parameter(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_answer_text(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_command(nullptr, 5, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_array_new(nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_array_view(nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_array_dlpack(nullptr, 1, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_tape_new(nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_cancel_new(nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_tape_backward(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_tape_gradient(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_variable_new(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_variable_of(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_variable_array(nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(
      heed_operation(nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr, 0),
      HEED_ARGUMENT);
  EXPECT_EQ(heed_parameter_new(nullptr, nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_parameter_array(nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_parameter_set(nullptr, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_optimizer_new(nullptr, 1, nullptr, 0, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_optimizer_step(nullptr, 1, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_attention_new(nullptr, 3, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_attention_attend(nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr),
            HEED_ARGUMENT);
  EXPECT_EQ(heed_draw(nullptr, nullptr, 0, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_metric(nullptr, 0, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_server_start(nullptr, 0, nullptr), HEED_ARGUMENT);
  EXPECT_EQ(heed_cancel_set(nullptr), HEED_ARGUMENT);
  heed_model_free(nullptr);
  heed_array_free(nullptr);
  heed_tape_free(nullptr);
  heed_variable_free(nullptr);
  heed_parameter_free(nullptr);
  heed_optimizer_free(nullptr);
  heed_attention_free(nullptr);
  heed_server_free(nullptr);
  heed_cancel_free(nullptr);
  heed_answer_free(nullptr);
}

TEST(Commands, UnknownOnesAndOptionsAreConfigErrors) {
  EXPECT_EQ(CodeOf({"sing"}), HEED_CONFIG);
  EXPECT_THAT(heed_error_message(), HasSubstr("sing"));
  EXPECT_EQ(CodeOf({"predict", "model"}), HEED_CONFIG);
  EXPECT_EQ(CodeOf({"list", "tasks", "--jsn"}), HEED_CONFIG);
  EXPECT_EQ(CodeOf(Json::object()), HEED_FORMAT);
  EXPECT_EQ(Json::parse(Command({"list", "tasks", "--json"}))["tasks"].size(),
            18u);
}

TEST_F(TrainedModel, AnswersAsTheServer) {
  const Model model = Open();
  const Json one = Answered(model.get(), "predict", {{"text", "a fine film"}});
  EXPECT_TRUE(one.contains("answer")) << one;
  const Json two = Answered(model.get(), "predict",
                            {{"text", {"a fine film", "a dull film"}}});
  EXPECT_EQ(two["answer"][0], one["answer"]);
  const Json encoded =
      Answered(model.get(), "encode", {{"text", "a fine film"}});
  EXPECT_EQ(encoded["tokens"], Json({"a", "fine", "film"}));
  EXPECT_EQ(Answered(model.get(), "decode", {{"ids", encoded["ids"]}})["text"],
            "a fine film");
  const Json explained =
      Answered(model.get(), "explain", {{"text", "a fine film"}});
  EXPECT_FALSE(explained["segments"].empty());
}

TEST_F(TrainedModel, RefusesWrongRequests) {
  const Model model = Open();
  const auto code = [&](const char* path, const std::string& text) {
    heed_answer* answer = nullptr;
    const int32_t failed = heed_model_run(model.get(), path, text.data(),
                                          text.size(), nullptr, &answer);
    EXPECT_EQ(answer, nullptr);
    return failed;
  };
  EXPECT_EQ(code("predict", "{"), HEED_CONFIG);
  EXPECT_EQ(code("predict", R"({"txt": "a"})"), HEED_CONFIG);
  EXPECT_EQ(code("dance", "{}"), HEED_CONFIG);
  EXPECT_EQ(code("predict", "{\"text\": \"\xff\"}"), HEED_CONFIG);
  EXPECT_EQ(code("decode", R"({"ids": [1000000]})"), HEED_FORMAT);
}

TEST_F(TrainedModel, ParametersCanBeRead) {
  const Model model = Open();
  const Json info = Json::parse(Command({"info", Folder(), "--json"}));
  const Json& tensor = info["tensors"][0];
  heed_array* array = nullptr;
  ASSERT_EQ(heed_model_parameter(
                model.get(), tensor["name"].get<std::string>().c_str(), &array),
            HEED_OK)
      << heed_error_message();
  const Array owned(array);
  EXPECT_FALSE(ValuesOf(array).empty());
  EXPECT_EQ(heed_model_parameter(model.get(), "none", &array), HEED_CONFIG);
}

/// The answer of a call that was started.
std::string AnswerOf(heed_call* call) {
  heed_answer* answer = nullptr;
  while (answer == nullptr) {
    const int32_t code = heed_call_wait(call, 10, &answer);
    if (code != HEED_OK) return heed_error_message();
  }
  return TextOf(answer);
}

Call Started(const heed_model* model, const char* path, const Json& request) {
  const std::string text = request.dump();
  heed_call* call = nullptr;
  EXPECT_EQ(heed_model_start(model, path, text.data(), text.size(), &call),
            HEED_OK)
      << heed_error_message();
  return Call(call);
}

TEST_F(TrainedModel, AStartedCallIsWaitedFor) {
  const Model model = Open();
  const Json alone = Answered(model.get(), "predict", {{"text", "fine"}});
  const Call call = Started(model.get(), "predict", {{"text", "fine"}});
  EXPECT_EQ(Json::parse(AnswerOf(call.get())), alone);
  EXPECT_THAT(AnswerOf(call.get()), HasSubstr("given already"));
  EXPECT_THAT(
      AnswerOf(Started(model.get(), "encode", {{"text", "fine"}}).get()),
      HasSubstr("tokens"));
  heed_call* refused = nullptr;
  EXPECT_EQ(heed_model_start(model.get(), "dance", "{}", 2, &refused),
            HEED_CONFIG);
  EXPECT_EQ(refused, nullptr);
  for (int i = 0; i < 20; ++i) {  // freed while it runs
    Started(model.get(), "predict", {{"text", "fine"}});
  }
  EXPECT_EQ(Answered(model.get(), "predict", {{"text", "fine"}}), alone);
}

TEST_F(TrainedModel, ManyThreadsMixTheirCalls) {
  const Model model = Open();
  const Json text = {{"text", "a fine film"}};
  const Json predicted = Answered(model.get(), "predict", text);
  const Json explained = Answered(model.get(), "explain", text);
  const std::string spec = R"({"query": 2, "key": 2, "heads": 2})";
  heed_attention* attention = nullptr;
  ASSERT_EQ(heed_attention_new(spec.data(), spec.size(), &attention), HEED_OK);
  const Array keys = ArrayOf({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  const auto attend = [&] {
    heed_array *context = nullptr, *weights = nullptr;
    EXPECT_EQ(heed_attention_run(attention, keys.get(), keys.get(), keys.get(),
                                 nullptr, &context, &weights),
              HEED_OK);
    const Array owned(weights);
    return ValuesOf(Array(context).get());
  };
  const std::vector<float> attended = attend();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int j = i; j < i + 12; ++j) {
        heed_answer* answer = nullptr;
        const std::string id = std::to_string(1000000 + i);
        const std::string wrong = "{\"ids\": [" + id + "]}";
        right +=
            j % 4 == 0   ? Answered(model.get(), "predict", text) == predicted
            : j % 4 == 1 ? Answered(model.get(), "explain", text) == explained
            : j % 4 == 2 ? attend() == attended
                         : heed_model_run(model.get(), "decode", wrong.data(),
                                          wrong.size(), nullptr,
                                          &answer) == HEED_FORMAT &&
                               std::string(heed_error_message()).find(id) !=
                                   std::string::npos;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16 * 12);
  heed_attention_free(attention);
}

TEST_F(TrainedModel, AChildOfForkAnswers) {
  const Model model = Open();
  const Json alone =
      Answered(model.get(), "predict", {{"text", "a fine film"}});
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(Answered(model.get(), "predict", {{"text", "a fine film"}}) == alone
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(TrainedModel, ATrainingCanBeCancelled) {
  heed_cancel* cancel = nullptr;
  ASSERT_EQ(heed_cancel_new(&cancel), HEED_OK);
  ASSERT_EQ(heed_cancel_set(cancel), HEED_OK);
  const std::string data =
      std::filesystem::path(Folder()).parent_path() / "train.tsv";
  EXPECT_EQ(CodeOf({"train", "--task", "classify", "--texts", data,
                    "--valid-texts", data, "--out", Folder() + "2", "--quiet"},
                   cancel),
            HEED_CANCELLED)
      << heed_error_message();
  heed_cancel_free(cancel);
}

TEST_F(TrainedModel, AServerAnswersAndStops) {
  const std::string options = Json{{"models", {Folder()}}}.dump();
  heed_server* server = nullptr;
  ASSERT_EQ(heed_server_start(options.data(), options.size(), &server), HEED_OK)
      << heed_error_message();
  EXPECT_THAT(heed_server_address(server), HasSubstr("http://127.0.0.1:"));
  heed_server_free(server);
}

TEST_F(TrainedModel, MessagesGoToTheLog) {
  std::vector<std::string> lines;
  heed_set_log(
      [](void* user, int32_t, const char* text, size_t size) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(text, size);
      },
      &lines);
  const std::string data =
      std::filesystem::path(Folder()).parent_path() / "train.tsv";
  Command({"train", "--task", "classify", "--texts", data, "--valid-texts",
           data, "--out", Folder() + "3", "--epochs", "1"});
  heed_set_log(nullptr, nullptr);
  EXPECT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
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

TEST(Attention, WeightsOfARowSumToOne) {
  const std::string options =
      R"({"query": 4, "key": 4, "heads": 2, "mask": "causal"})";
  heed_attention* attention = nullptr;
  ASSERT_EQ(heed_attention_new(options.data(), options.size(), &attention),
            HEED_OK)
      << heed_error_message();
  const Variable x = VariableOf(
      nullptr, ArrayOf({1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6}, {1, 3, 4}).get());
  heed_variable* context = nullptr;
  heed_variable* weights = nullptr;
  ASSERT_EQ(heed_attention_attend(attention, nullptr, x.get(), x.get(), nullptr,
                                  nullptr, &context, &weights),
            HEED_OK)
      << heed_error_message();
  const Variable first(context);
  const Variable second(weights);
  heed_array* array = nullptr;
  ASSERT_EQ(heed_variable_array(weights, &array), HEED_OK);
  const Array owned(array);
  const std::vector<float> w = ValuesOf(array);
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
  heed_tape_free(tape);
  heed_attention_free(attention);
  return ValuesOf(array);
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
