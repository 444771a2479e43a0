#include "heed/train/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "heed/base/console.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr double kTerminalPeriod = 0.1;  // seconds
constexpr double kPlainPeriod = 10;
constexpr double kRateMemory = 10;
constexpr int kMinBar = 10;
constexpr int kMaxBar = 40;
constexpr std::string_view kErase = "\r\x1b[K";

bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale = Lowercase(value);
    return locale.find("utf-8") != std::string::npos ||
           locale.find("utf8") != std::string::npos;
  }
  return false;
}

bool StandardErrorIsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

int TerminalColumns() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

double Share(const ProgressState& state) {
  if (state.steps <= 0) return 0;
  return std::clamp(
      static_cast<double>(state.step) / static_cast<double>(state.steps), 0.0,
      1.0);
}

std::string Bar(double share, int width, bool unicode) {
  const int full = static_cast<int>(share * width);
  std::string bar;
  for (int i = 0; i < width; ++i) {
    if (unicode) {
      bar += i < full ? "━" : "─";
    } else {
      bar += i < full ? '#' : '-';
    }
  }
  return bar;
}

int Width(const std::vector<std::string>& pieces) {
  int width = 0;
  for (const std::string& piece : pieces) width += DisplayWidth(piece) + 2;
  return width - 2;
}

}  // namespace

std::string HumanTime(double seconds) {
  const auto s =
      static_cast<int64_t>(std::llround(std::clamp(seconds, 0.0, 1e12)));
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m {:02}s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{}h {:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d {:02}h", s / 86400, s / 3600 % 24);
}

std::string Counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string HumanCount(double count) {
  const char* suffixes[] = {"", "k", "M", "G", "T"};
  int i = 0;
  // Rounding limits: 999.95 would become 1000.0.
  for (; i < 4 && count >= (i == 0 ? 999.5 : 999.95); ++i) count /= 1000;
  return i == 0 ? fmt::format("{:.0f}", count)
                : fmt::format("{:.1f}{}", count, suffixes[i]);
}

std::string RunEstimate::Note(int64_t step, int64_t last, double now) {
  constexpr double kMeasured = 10;  // seconds
  constexpr double kLongRun = 300;
  if (!first_) {
    first_ = step;
    first_time_ = now;
  }
  const double seconds = now - first_time_;
  if (known_ || step == *first_ || seconds < kMeasured) return "";
  known_ = true;
  const double rate = static_cast<double>(step - *first_) / seconds;
  const double left = static_cast<double>(last - step) / rate;
  if (left < kLongRun) return "";
  const auto in_time = static_cast<int64_t>(kLongRun * rate);
  return fmt::format(
      "all {} updates take about {} at this rate, without validations and "
      "early stopping; --steps {} takes about {}; a smaller model is faster; "
      "--resume continues a stopped training",
      last, HumanTime(seconds + left), in_time, HumanTime(kLongRun));
}

/// Gives what a terminal would show to the sink of messages: whole lines, and
/// the progress line without control characters.
void WriteToSink(std::string_view text) {
  if (text.starts_with(kErase)) text.remove_prefix(kErase.size());
  const size_t end = text.rfind('\n');
  if (end != std::string_view::npos) {
    SayPlainly(MessageKind::kLine, text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) SayPlainly(MessageKind::kProgress, text);
}

Progress::Screen Progress::Screen::StandardError() {
  Screen screen;
  screen.write = [](std::string_view text) {
    SayPlainly(MessageKind::kLine, text);
  };
  screen.seconds = [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  };
  screen.columns = TerminalColumns;
  screen.terminal = StandardErrorIsTerminal();
  screen.unicode = LocaleIsUtf8();
  if (HasMessageSink()) {
    constexpr int kColumns = 100;
    screen.write = WriteToSink;
    screen.columns = [] { return kColumns; };
    screen.terminal = screen.unicode = true;
  }
  return screen;
}

Progress::Progress(std::string unit, bool quiet, Screen screen)
    : unit_(std::move(unit)), quiet_(quiet), screen_(std::move(screen)) {}

Progress::~Progress() { Clear(); }

void Progress::Update(const ProgressState& state) {
  if (quiet_) return;
  const double now = screen_.seconds();
  if (!first_) {
    first_ = state;
    first_time_ = shown_time_ = rate_time_ = now;
    shown_step_ = state.step;
    rate_units_ = state.units;
    if (!screen_.terminal) return;
  } else if (!IsDue(state, now)) {
    return;
  }
  UpdateRate(state, now);
  shown_time_ = now;
  shown_step_ = state.step;
  const std::string line = Line(state, now);
  if (screen_.terminal) {
    line_ = line;
    screen_.write(std::string(kErase) + line);
  } else {
    screen_.write(line + "\n");
  }
}

void Progress::Log(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  screen_.write(line_.empty() ? text : std::string(kErase) + text + line_);
}

void Progress::Clear() {
  if (!line_.empty()) screen_.write(kErase);
  line_.clear();
}

bool Progress::IsDue(const ProgressState& state, double now) const {
  const bool last = state.step == state.steps && shown_step_ != state.steps;
  if (screen_.terminal) return last || now - shown_time_ >= kTerminalPeriod;
  const auto tenth = [&](int64_t step) { return step * 10 / state.steps; };
  const bool tenth_done =
      state.steps > 0 && tenth(state.step) != tenth(shown_step_);
  return last || tenth_done || now - shown_time_ >= kPlainPeriod;
}

// Moving average over about the last kRateMemory seconds: smooth, but follows
// the current speed.
void Progress::UpdateRate(const ProgressState& state, double now) {
  const double elapsed = now - rate_time_;
  if (elapsed <= 0) return;
  const double rate = static_cast<double>(state.units - rate_units_) / elapsed;
  const double weight =
      recent_rate_ > 0 ? 1 - std::exp(-elapsed / kRateMemory) : 1;
  recent_rate_ += weight * (std::max(rate, 0.0) - recent_rate_);
  rate_time_ = now;
  rate_units_ = state.units;
}

std::string Progress::Line(const ProgressState& state, double now) const {
  std::vector<std::string> pieces = {state.label};
  const double share = Share(state);
  if (state.steps > 0) {
    pieces.push_back(fmt::format("{:3}%", static_cast<int>(share * 100)));
    pieces.push_back(fmt::format("{}/{}", state.step, state.steps));
  }
  if (state.loss) pieces.push_back(fmt::format("loss {:.3f}", *state.loss));
  if (recent_rate_ > 0) {
    pieces.push_back(
        fmt::format("{:>5} {}/s", HumanCount(recent_rate_), unit_));
  }
  const double steps_done = static_cast<double>(state.step - first_->step);
  if (state.steps > 0 && steps_done > 0) {
    const double steps_left = static_cast<double>(state.steps - state.step);
    const double left = (now - first_time_) / steps_done * steps_left;
    pieces.push_back(HumanTime(left) + " left");
  }
  if (screen_.terminal) FitTo(screen_.columns() - 1, share, pieces);
  return fmt::format("{}", fmt::join(pieces, "  "));
}

// Adds a bar after the label. For a narrow terminal, drops the step count, the
// bar, and then the last pieces.
void Progress::FitTo(int columns, double share,
                     std::vector<std::string>& pieces) const {
  const bool has_total = pieces.size() > 2 && pieces[1].back() == '%';
  if (has_total && columns - Width(pieces) - 2 < kMinBar) {
    pieces.erase(pieces.begin() + 2);
  }
  const int room = columns - Width(pieces) - 2;
  if (has_total && room >= kMinBar) {
    pieces.insert(pieces.begin() + 1,
                  Bar(share, std::min(room, kMaxBar), screen_.unicode));
  }
  while (pieces.size() > 1 && Width(pieces) > columns) pieces.pop_back();
  if (Width(pieces) > columns) pieces = {""};
}

}  // namespace heed
