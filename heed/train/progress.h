// The progress line of long work.
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

/// "1 thread", "4 threads".
std::string Counted(int64_t count, std::string_view noun);

/// How far the work is.
struct ProgressState {
  std::string label;  ///< what is done now: "epoch 2/10"
  int64_t step = 0;   ///< steps done
  int64_t steps = 0;  ///< steps in all; 0: not known
  int64_t units = 0;  ///< units (tokens, sentences) done
  std::optional<double> loss;
};

/// How long a run will take, known from its first updates.
class RunEstimate {
 public:
  /// After update `step` of `last`, `now` seconds after any moment. Once, ten
  /// seconds after the first call: what a run of more than five minutes takes
  /// and what makes it shorter; otherwise "".
  std::string Note(int64_t step, int64_t last, double now);

 private:
  std::optional<int64_t> first_;
  double first_time_ = 0;
  bool known_ = false;
};

/// Shows states on standard error: in place on a terminal, at most ten times a
/// second; elsewhere as whole lines, every ten seconds or tenth of the work.
/// One thread at a time.
class Progress {
 public:
  /// Where and when it is shown; a test brings its own.
  struct Screen {
    std::function<void(std::string_view)> write;
    std::function<double()> seconds;
    std::function<int()> columns;
    bool terminal = false;
    bool unicode = false;

    static Screen StandardError();
  };

  /// `unit` names what the rate counts. `quiet` shows nothing but Log().
  explicit Progress(std::string unit = "tok", bool quiet = false,
                    Screen screen = Screen::StandardError());
  /// Removes the line from the terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the state unless one was shown just before. The first call only
  /// starts the clock: rates count from there, also when work is resumed.
  void Update(const ProgressState& state);
  /// Writes a line of its own above the progress line.
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
  std::string line_;  // what stands on the terminal now
};

}  // namespace heed

#endif  // HEED_TRAIN_PROGRESS_H_
