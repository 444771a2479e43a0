#include "heed/base/console.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace heed {
namespace {

TEST(OutputCapture, CollectsWhatItsThreadPrints) {
  const OutputCapture outer;
  Print("{} and {}", 1, "two");
  {
    const OutputCapture inner;
    Print("three");
    EXPECT_EQ(inner.text(), "three");
  }
  std::thread([] {
    const OutputCapture other;
    Print("four");
    EXPECT_EQ(other.text(), "four");
  }).join();
  Print("{}", std::string(1000, 'x'));
  EXPECT_EQ(outer.text(), "1 and two" + std::string(1000, 'x'));
}

TEST(MessageSink, ReceivesLinesWithTheirKind) {
  std::vector<std::pair<MessageKind, std::string>> all;
  SetMessageSink([&all](MessageKind kind, std::string_view message) {
    all.emplace_back(kind, message);
  });
  EXPECT_TRUE(HasMessageSink());
  Say("a table");
  Warn("an odd line");
  PrintNote("trained {} steps\n", 3);
  SetMessageSink({});
  EXPECT_FALSE(HasMessageSink());
  EXPECT_EQ(all, (std::vector<std::pair<MessageKind, std::string>>{
                     {MessageKind::kLine, "a table"},
                     {MessageKind::kWarning, "an odd line"},
                     {MessageKind::kLine, "trained 3 steps"}}));
}

TEST(Messages, GoToStandardErrorWithoutASink) {
  testing::internal::CaptureStderr();
  Warn("an odd line");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(text.ends_with(": warning: an odd line\n")) << text;
}

}  // namespace
}  // namespace heed
