#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "heed.h"
#include "testing.h"

extern "C" int HeaderIsC(void);

namespace heed::c_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

using Model = std::unique_ptr<heed_model, Free<heed_model_free>>;
using Call = std::unique_ptr<heed_call, Free<heed_call_free>>;

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
  const Json tasks = Json::parse(Command({"list", "tasks", "--json"}))["tasks"];
  EXPECT_GE(tasks.size(), 18u);
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
#ifdef HEED_SANITIZE
  GTEST_SKIP() << "Clang 14's AddressSanitizer may hold a lock of its "
                  "allocator in another thread when a process forks";
#endif
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

}  // namespace
}  // namespace heed::c_test
