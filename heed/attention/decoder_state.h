// What a decoder carries from step to step: one kind of value for all models.
#ifndef HEED_ATTENTION_DECODER_STATE_H_
#define HEED_ATTENTION_DECODER_STATE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/attention/memory.h"
#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"

namespace heed {

/// Where a decoder stands while it writes a batch of sequences: the memories of
/// its attentions, named tensors, and how they follow the rows of a search.
/// Each of the B sources owns n consecutive rows of R = B n: the partial
/// hypotheses that are continued; one at first. What derives from a source
/// alone is kept once, so that attention to it is n queries of one memory. A
/// value; one thread uses it at a time.
class DecoderState {
 public:
  DecoderState() = default;
  /// With one row for each source; 0: as many as the first step has.
  explicit DecoderState(int64_t sources) : rows_(sources), sources_(sources) {}

  int64_t rows() const { return rows_; }        // R
  int64_t sources() const { return sources_; }  // B

  /// The tensor of this name, undefined until it is set. Of kRow, dimension
  /// `axis` is R times a number, else B (kSource) or R (kRepeated). The
  /// reference stays valid until it is erased.
  Var& At(std::string_view name, StateRole role, int axis = 0);
  /// Null if there is none that is defined.
  const Var* Find(std::string_view name) const;
  void Erase(std::string_view name);

  /// The memory of the attention of this path, undefined until it is set or
  /// extended. The reference stays valid.
  Memory& MemoryOf(const std::string& path);

  /// Row i becomes what row rows[i] was, which belonged to the same source;
  /// source j becomes what source sources[j] was (undefined: all stay). Rows
  /// may be repeated or left out, also to another n; sources left out.
  /// Shapes: rows i32 [B' n'], sources i32 [B'], ascending.
  /// Throws: ShapeError for rows of another source, or that are not there.
  void Reorder(const Tensor& rows, const Tensor& sources);

  /// Before a step of `rows` rows. Throws: ShapeError if there are others.
  void BeginStep(int64_t rows);

  int64_t position = 0;  // of the next token
  /// All tokens are given at once: no later step needs what this one leaves.
  bool whole = false;
  /// Whether `weights` is to be filled.
  bool wants_weights = true;
  /// Attention of the last step to the source [R, S]; undefined if the model
  /// has none, or once rows were moved.
  Tensor weights;
  /// How cached keys and values are kept: half as long where products are
  /// rounded anyway.
  kernels::Precision precision = kernels::Precision::kNative;
  uint64_t dropout_key = 0;  // variational: of this sequence's masks

  std::vector<DecoderState> members;  // of an ensemble

 private:
  struct Entry {
    StateRole role;
    int axis;
    Var value;
  };
  struct Hash {
    using is_transparent = void;  // NOLINT: the standard's name
    size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  void CheckRows(const Tensor& rows, const Tensor& sources) const;
  struct Moves;

  int64_t rows_ = 0;
  int64_t sources_ = 0;
  ByName<Entry> tensors_;
  ByName<Memory> memories_;
};

}  // namespace heed

#endif  // HEED_ATTENTION_DECODER_STATE_H_
