// Progress line of long computations.
//
//   epoch 2/10  ━━━━━━━───────   41%  5120/12480  loss 3.214  11.8k tok/s  6m
//   03s left
#ifndef HEED_TRAIN_PROGRESS_H_
#define HEED_TRAIN_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// "42s", "3m 05s", "2h 07m", "4d 03h".
std::string HumanTime(double seconds);

/// "950", "12.3k", "4.5M", "1.2G".
std::string HumanCount(double count);

/// Count with a noun: "1 thread", "4 threads".
std::string Counted(int64_t count, std::string_view noun);

/// Progress of a computation.
struct ProgressState {
  std::string label;  ///< current phase: "epoch 2/10"
  int64_t step = 0;   ///< steps done
  int64_t steps = 0;  ///< total steps; 0: unknown
  int64_t units = 0;  ///< units (tokens, sentences) done
  std::optional<double> loss;
};

/// Estimate of the duration of a run, based on its first updates.
class RunEstimate {
 public:
  /// Call after update `step` of `last` with the time `now` in seconds. Ten
  /// seconds after the first call, returns a note once if the run takes more
  /// than five minutes: its duration and how to shorten it. Otherwise "".
  std::string Note(int64_t step, int64_t last, double now);

 private:
  std::optional<int64_t> first_;
  double first_time_ = 0;
  bool known_ = false;
};

/// Shows progress on standard error: in place on a terminal, at most ten times
/// a second; otherwise as whole lines, every ten seconds or tenth of the work.
/// Not thread-safe.
class Progress {
 public:
  /// Output and clock; replaceable in tests.
  struct Screen {
    std::function<void(std::string_view)> write;
    std::function<double()> seconds;
    std::function<int()> columns;
    bool terminal = false;
    bool unicode = false;

    static Screen StandardError();
  };

  /// `unit` is the unit of the rate. `quiet` shows only Log().
  explicit Progress(std::string unit = "tok", bool quiet = false,
                    Screen screen = Screen::StandardError());
  /// Removes the progress line from the terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the state unless one was shown recently. The first call only starts
  /// the clock; rates count from there, also after a resume.
  void Update(const ProgressState& state);
  /// Writes a separate line above the progress line.
  void Log(std::string_view line);
  /// Removes the progress line until the next Update().
  void Clear();

 private:
  bool IsDue(const ProgressState& state, double now) const;
  void UpdateRate(const ProgressState& state, double now);
  std::string Line(const ProgressState& state, double now) const;
  void FitTo(int columns, double share, std::vector<std::string>& pieces) const;

  std::string unit_;
  bool quiet_;
  Screen screen_;
  std::optional<ProgressState> first_;
  double first_time_ = 0;
  double shown_time_ = 0;
  int64_t shown_step_ = 0;
  double recent_rate_ = 0;  // units per second, averaged over some seconds
  double rate_time_ = 0;
  int64_t rate_units_ = 0;
  std::string line_;  // current line on the terminal
};

}  // namespace heed

#endif  // HEED_TRAIN_PROGRESS_H_
