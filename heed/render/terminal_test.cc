#include "heed/render/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heed {
namespace {

// Sets an environment variable, or removes it (nullptr), for its lifetime.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    Set(value);
  }
  ~ScopedEnvironment() { Set(had_ ? before_.c_str() : nullptr); }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  void Set(const char* value) {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }

  const char* name_;
  bool had_ = false;
  std::string before_;
};

TEST(Terminal, ForceColourWinsOverEverything) {
  const ScopedEnvironment no_colour("NO_COLOR", "1");
  const ScopedEnvironment force("FORCE_COLOR", "1");
  EXPECT_TRUE(TerminalHasColour());
}

TEST(Terminal, NoColourIsRespected) {
  const ScopedEnvironment force("FORCE_COLOR", nullptr);
  const ScopedEnvironment no_colour("NO_COLOR", "1");
  EXPECT_FALSE(TerminalHasColour());
}

TEST(Terminal, ForceColourZeroMeansNone) {
  const ScopedEnvironment force("FORCE_COLOR", "0");
  EXPECT_FALSE(TerminalHasColour());
}

TEST(Terminal, DumbTerminalHasNoColour) {
  const ScopedEnvironment force("FORCE_COLOR", nullptr);
  const ScopedEnvironment no_colour("NO_COLOR", nullptr);
  const ScopedEnvironment term("TERM", "dumb");
  EXPECT_FALSE(TerminalHasColour());
}

TEST(Terminal, WidthIsAlwaysUsable) {
  for (const char* columns : {"0", "-3", "nonsense", "99999999999"}) {
    const ScopedEnvironment width("COLUMNS", columns);
    EXPECT_GE(TerminalWidth(), 20) << columns;
    EXPECT_LE(TerminalWidth(), 65535) << columns;
  }
}

TEST(Terminal, ColoursEndWithTheText) {
  EXPECT_EQ(terminal::Foreground(75, "x"), "\x1b[38;5;75mx\x1b[0m");
  EXPECT_EQ(terminal::Background(24, "x"), "\x1b[48;5;24mx\x1b[0m");
  EXPECT_EQ(terminal::Bold("x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(terminal::Dim("x"), "\x1b[2mx\x1b[0m");
}

}  // namespace
}  // namespace heed
