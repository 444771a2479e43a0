// State that a decoder carries from step to step, for all models.
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

/// State of a decoder while it writes a batch of sequences: the memories of its
/// attentions and named tensors, which follow the rows of a beam search. Each
/// of the B sources owns n consecutive rows of R = B n, its partial hypotheses;
/// n is 1 at first. Tensors that depend on a source alone are stored once per
/// source: attention to the source is n queries of one memory. A value; used by
/// one thread at a time.
class DecoderState {
 public:
  DecoderState() = default;
  /// One row for each source; 0: the number of rows of the first step.
  explicit DecoderState(int64_t sources) : rows_(sources), sources_(sources) {}

  int64_t rows() const { return rows_; }        // R
  int64_t sources() const { return sources_; }  // B

  /// The tensor of this name, undefined until it is set. Dimension `axis` is a
  /// multiple of R for kRow, B for kSource and R for kRepeated. The reference
  /// stays valid until the tensor is erased.
  Var& At(std::string_view name, StateRole role, int axis = 0);
  /// Null if the tensor is missing or undefined.
  const Var* Find(std::string_view name) const;
  void Erase(std::string_view name);

  /// The memory of the attention of this path, undefined until it is set or
  /// extended. The reference stays valid.
  Memory& MemoryOf(const std::string& path);

  /// Moves row rows[i] to row i, within one source, and source sources[j] to
  /// source j (undefined: all sources stay). Rows may be repeated or dropped,
  /// also to another n; sources may be dropped. Shapes: rows i32 [B' n'],
  /// sources i32 [B'], ascending. Throws: ShapeError for rows of another source
  /// or out of range.
  void Reorder(const Tensor& rows, const Tensor& sources);

  /// Starts a step of `rows` rows. Throws: ShapeError if the state has another
  /// number.
  void BeginStep(int64_t rows);

  int64_t position = 0;  // of the next token
  /// True if all tokens are given at once and no later step needs the caches.
  bool whole = false;
  /// True if the step should fill `weights`.
  bool wants_weights = true;
  /// Attention weights of the last step to the source [R, S]; undefined if the
  /// model has no such attention, or once rows were moved.
  Tensor weights;
  /// Precision of cached keys and values: bf16 takes half the memory where
  /// products round their factors anyway.
  kernels::Precision precision = kernels::Precision::kNative;
  uint64_t dropout_key =
      0;  // key of the masks of variational dropout of this sequence

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
