#include "heed/train/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heed/base/text.h"

namespace heed {
namespace {

// A screen with a manual clock that records all output.
struct FakeScreen {
  std::string written;
  double now = 100;
  int columns = 80;

  Progress::Screen Open(bool terminal) {
    return {[this](std::string_view text) { written += text; },
            [this] { return now; }, [this] { return columns; }, terminal, true};
  }
  std::string Take() { return std::exchange(written, ""); }
};

ProgressState StateAt(int64_t step) {
  return {"epoch 2/10", step, 1000, step * 100, 3.2141};
}

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST(HumanTime, UsesTwoUnits) {
  EXPECT_EQ(HumanTime(0.4), "0s");
  EXPECT_EQ(HumanTime(59.4), "59s");
  EXPECT_EQ(HumanTime(59.6), "1m 00s");
  EXPECT_EQ(HumanTime(185), "3m 05s");
  EXPECT_EQ(HumanTime(3600 * 2 + 60 * 7 + 5), "2h 07m");
  EXPECT_EQ(HumanTime(86400 * 4 + 3 * 3600), "4d 03h");
}

TEST(HumanCount, ShortensWithASuffix) {
  EXPECT_EQ(HumanCount(950), "950");
  EXPECT_EQ(HumanCount(999.7), "1.0k");
  EXPECT_EQ(HumanCount(12345), "12.3k");
  EXPECT_EQ(HumanCount(999960), "1.0M");
  EXPECT_EQ(HumanCount(4.5e6), "4.5M");
}

TEST(Progress, TerminalLineShowsEverythingInEightyColumns) {
  FakeScreen fake;
  Progress progress("tok", false, fake.Open(true));
  progress.Update(StateAt(0));
  fake.Take();
  fake.now += 10;
  progress.Update(StateAt(250));
  const std::string written = fake.Take();
  ASSERT_EQ(written.rfind("\r\x1b[K", 0), 0u);
  const std::string line = written.substr(4);
  EXPECT_EQ(line,
            "epoch 2/10  ━━━━────────────   25%  250/1000  loss 3.214   "
            "2.5k tok/s  30s left");
  EXPECT_EQ(DisplayWidth(line), 79);
}

TEST(Progress, TerminalIsRedrawnAtMostTenTimesASecond) {
  FakeScreen fake;
  Progress progress("tok", false, fake.Open(true));
  int drawn = 0;
  for (int step = 0; step < 1000; ++step, fake.now += 0.001) {
    progress.Update(StateAt(step));
    drawn += fake.Take().empty() ? 0 : 1;
  }
  EXPECT_GE(drawn, 9);
  EXPECT_LE(drawn, 10);
}

TEST(Progress, LastStepIsAlwaysShownOnce) {
  for (const bool terminal : {true, false}) {
    FakeScreen fake;
    Progress progress("tok", false, fake.Open(terminal));
    progress.Update(StateAt(999));
    fake.Take();
    progress.Update(StateAt(1000));
    EXPECT_NE(fake.Take().find("100%"), std::string::npos);
    progress.Update(StateAt(1000));
    EXPECT_EQ(fake.Take(), "");
  }
}

TEST(Progress, NeverWiderThanTheTerminal) {
  FakeScreen fake;
  Progress progress("tok", false, fake.Open(true));
  progress.Update(StateAt(0));
  for (fake.columns = 1; fake.columns < 120; ++fake.columns) {
    fake.Take();
    fake.now += 1;
    progress.Update(StateAt(fake.columns));
    EXPECT_LT(DisplayWidth(fake.Take().substr(4)), fake.columns);
  }
}

TEST(Progress, LogStandsAboveTheProgressLine) {
  FakeScreen fake;
  Progress progress("tok", false, fake.Open(true));
  progress.Update(StateAt(0));
  const std::string line = fake.Take().substr(4);
  progress.Log("saved");
  EXPECT_EQ(fake.Take(), "\r\x1b[Ksaved\n" + line);
  progress.Clear();
  EXPECT_EQ(fake.Take(), "\r\x1b[K");
  progress.Log("done");
  EXPECT_EQ(fake.Take(), "done\n");
}

TEST(Progress, WithoutTerminalPrintsPlainLinesNowAndThen) {
  FakeScreen fake;
  Progress progress("tok", false, fake.Open(false));
  for (int step = 0; step <= 1000; ++step, fake.now += 0.001) {
    progress.Update(StateAt(step));
  }
  const std::string fast = fake.Take();
  EXPECT_EQ(Lines(fast), 10);
  EXPECT_EQ(fast.find('\r'), std::string::npos);
  EXPECT_EQ(fast.find('\x1b'), std::string::npos);

  Progress slow("tok", false, fake.Open(false));
  for (int step = 1; step <= 60; ++step, ++fake.now) {
    slow.Update({"searching", step, 0, 0, {}});
  }
  EXPECT_EQ(Lines(fake.Take()), 5);
}

TEST(Progress, ResumedWorkCountsItsOwnRateOnly) {
  FakeScreen fake;
  Progress progress("tok", false, fake.Open(false));
  progress.Update(StateAt(500));
  fake.now += 10;
  progress.Update(StateAt(510));
  const std::string line = fake.Take();
  EXPECT_NE(line.find("  100 tok/s"), std::string::npos) << line;
  EXPECT_NE(line.find("8m 10s left"), std::string::npos) << line;
}

TEST(Progress, QuietShowsOnlyLogLines) {
  FakeScreen fake;
  {
    Progress progress("tok", true, fake.Open(true));
    progress.Update(StateAt(0));
    fake.now += 100;
    progress.Update(StateAt(1000));
    progress.Log("warning");
  }
  EXPECT_EQ(fake.written, "warning\n");
}

TEST(RunEstimate, SpeaksOnceOfALongRun) {
  RunEstimate estimate;
  EXPECT_EQ(estimate.Note(1, 1000, 5), "");
  EXPECT_EQ(estimate.Note(2, 1000, 6), "");
  // one update per second
  const std::string note = estimate.Note(11, 1000, 15);
  EXPECT_NE(note.find("16m 39s"), std::string::npos) << note;
  EXPECT_NE(note.find("--steps 300"), std::string::npos) << note;
  EXPECT_EQ(estimate.Note(12, 1000, 16), "");
}

TEST(RunEstimate, IsSilentAboutAShortRun) {
  RunEstimate estimate;
  EXPECT_EQ(estimate.Note(1, 200, 0), "");
  EXPECT_EQ(estimate.Note(11, 200, 10), "");
  EXPECT_EQ(estimate.Note(100, 200, 500), "");
}

TEST(RunEstimate, WaitsForAnUpdateThatTakesLong) {
  RunEstimate estimate;
  EXPECT_EQ(estimate.Note(1, 20, 0), "");
  EXPECT_NE(estimate.Note(2, 20, 60), "");
}

}  // namespace
}  // namespace heed
