// Recurrent layers: one direction, stacked, and bidirectional.
#ifndef HEED_NN_RECURRENT_H_
#define HEED_NN_RECURRENT_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/decoder_state.h"
#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/base/inline_vector.h"
#include "heed/ops/rnn.h"

namespace heed {

/// Recurrent cells. kGru is cuDNN's; see GruKind.
enum class Cell : uint8_t {
  kRnn,
  kLstm,
  kNestedLstm,
  kGru,
  kGruCho,
  kGruBahdanau
};
constexpr auto WordsOf(Cell) {
  return std::array{"rnn", "lstm",    "nested_lstm",
                    "gru", "gru_cho", "gru_bahdanau"};
}
inline std::vector<std::string> CellNames() { return Named<Cell>::Words(); }

/// Number of state vectors of a cell: 1; kLstm: 2 (hidden, cell); kNestedLstm:
/// 3 (hidden, cell, inner cell).
int64_t StatesOfCell(Cell cell);

struct RecurrentOptions {
  Cell cell = Cell::kGru;
  /// Widths of the inputs, whose projections are added. Each input has its own
  /// weight, so that an input known for all steps is projected once.
  std::vector<int64_t> inputs;
  int64_t units = 0;
  Init input_init;
  Init recurrent_init;
  /// Initial bias of the gates that keep the state: f of an LSTM (both levels
  /// of a nested one), z of a GRU (Bahdanau's: −z); none for an rnn. At 0, half
  /// of the state is lost at each step. Paper: Gers et al. 2000; Jozefowicz et
  /// al. 2015 (1); Tallec and Ollivier 2018, arXiv:1804.11188.
  double forget_gate_bias = 0;
};

/// Result of a recurrence. A state is [B, H], or [N, B, H] for a cell with N >
/// 1 state vectors, the hidden one first.
struct RecurrentResult {
  Var outputs;  // [T, B, H]
  Var state;    // after the last step of each row
};

/// Recurrent layer. Inputs are projected outside the recurrence; see Project.
class Recurrent {
 public:
  Recurrent(const Scope& scope, const RecurrentOptions& options);

  int64_t units() const { return units_; }

  /// Input of Forward: Σ_i x_i W_i + b for inputs x_0, x_1, ... Shapes: x [...,
  /// inputs[i]], result [..., G·H].
  Var Project(const Context& ctx, const Var& x) const;
  Var AddProjection(const Context& ctx, Var sum, const Var& x, int input) const;

  /// State of zeros.
  Var InitialState(int64_t batch, DType dtype) const;
  static Var Hidden(const Var& state);

  /// Runs T steps. Rows of `lengths` (i32 [B] or undefined) keep their state
  /// once their sequence has ended. `inner` [B, 3H]: see GruWeights::inner.
  /// Shapes: projected [T, B, G·H].
  RecurrentResult Forward(const Context& ctx, const Var& projected,
                          const Var& state, const Tensor& lengths,
                          const Var& inner = {}) const;

 private:
  RecurrentResult Run(const Context& ctx, const Var& projected,
                      const Var& state, const Tensor& lengths,
                      const Var& inner) const;

  Cell cell_;
  int64_t units_;
  std::vector<Parameter*> input_;  // [inputs[i], G·H]
  Parameter* bias_;                // [G·H]
  Parameter* recurrent_;           // all gates; gru_*: r and z
  Parameter* candidate_ = nullptr;
  Parameter* recurrent_bias_ = nullptr;
  Parameter* inner_ = nullptr;       // nested_lstm [2H, 4H]
  Parameter* inner_bias_ = nullptr;  // [4H]
};

/// State of a cell with `vectors` vectors from features. Shapes: x [B, vectors
/// H], result [vectors, B, H], or [B, H] for one vector.
Var StateOf(const Var& x, int64_t vectors);

/// Adds or drops a time axis of length 1: [1, B, N].
Var AddTimeAxis(const Var& x);
Var DropTimeAxis(const Var& x);

/// The vectors x [T, B, N] of an input after an observer saw or replaced them.
Var ObservedSteps(const Context& ctx, const std::string& name, const Var& x);

/// Dropout in training; with `variational` one mask for all steps. Shapes: x
/// [T, B, N].
Var SequenceDropout(const Context& ctx, const Var& x, double rate,
                    bool variational);

struct EncoderOptions {
  Cell cell = Cell::kGru;
  int64_t inputs = 0;
  int64_t units = 0;  // per direction
  int64_t layers = 1;
  bool bidirectional = true;
  Init input_init;
  Init recurrent_init;
  double forget_gate_bias = 0;  // see RecurrentOptions
  double dropout = 0;           // between layers
  bool variational = false;
};

/// States of a stack, one per layer.
inline constexpr int kMaxLayers = 16;
using LayerStates = InlineVector<Var, kMaxLayers>;

/// Stores the states in a DecoderState, where a beam search reorders them, and
/// retrieves them; empty if there are none.
void KeepLayers(const LayerStates& layers, DecoderState& state);
LayerStates KeptLayers(const DecoderState& state);

struct EncoderResult {
  Var outputs;         // of the top layer [S, B, H or 2H], in source order
  LayerStates states;  // last forward state of each layer
  LayerStates backward_states;  // bidirectional: states at the first position
};

/// Stack of recurrent layers. A backward direction reads each row reversed by
/// its own length. Paper: Schuster and Paliwal 1997.
class RecurrentEncoder {
 public:
  RecurrentEncoder(const Scope& scope, const EncoderOptions& options);
  /// `initial`: initial states of the forward layers; empty: zeros. Shapes: x
  /// [S, B, inputs], lengths i32 [B], or undefined if unidirectional.
  EncoderResult operator()(const Context& ctx, const Var& x,
                           const Tensor& lengths,
                           const LayerStates& initial = {}) const;
  int64_t output_size() const;

 private:
  EncoderOptions options_;
  std::vector<Recurrent> forward_;
  std::vector<Recurrent> backward_;
};

}  // namespace heed

#endif  // HEED_NN_RECURRENT_H_
