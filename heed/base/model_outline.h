// Structure of a model for diagrams: its layers and the data flow between them.
#ifndef HEED_BASE_MODEL_OUTLINE_H_
#define HEED_BASE_MODEL_OUTLINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

/// Layer over the vectors of a sequence.
struct OutlinePart {
  /// How the layer combines the vectors.
  enum class Kind : uint8_t {
    kEach,      ///< each separately: embeddings, linear layers
    kForward,   ///< step by step from the first
    kBackward,  ///< step by step from the last
    kBoth,      ///< both directions, concatenated
    kAll,       ///< each attends to all
    kCausal,    ///< each attends to itself and earlier ones
    kSource,    ///< each attends to the preceding sequence
    kPool,      ///< all become one vector
    kNear,      ///< each sees its neighbours: a convolution
    kEdges,     ///< each attends to its neighbours in a graph
    kWhole,     ///< unknown
  };
  Kind kind = Kind::kEach;
  std::string name = {};  ///< "GRU"
  int64_t features =
      0;  ///< size of the output, over all directions; 0: unknown
  std::string detail = {};  ///< "8 heads, scaled_dot"
  /// Symbol of the result: "hⱼ"; empty: none.
  std::string result = {};
  /// Formula of the result for a step i or an item j, with braces around each
  /// value that it reads: "GRU({yᵢ₋₁}, {sᵢ₋₁}, {cᵢ})"; empty: the layer reads
  /// the part below it.
  std::string formula = {};
};

/// Stack of identical layers, parts from bottom to top.
struct OutlineBlock {
  std::vector<OutlinePart> parts = {};
  int64_t repeats = 1;
};

/// Sequence with the layers that read or write it, from bottom to top.
struct OutlineSequence {
  std::string name = {};   ///< "encoder"
  std::string axis = {};   ///< as in Explanation: "source", "target_inputs"
  bool writes = false;     ///< predicts the next item
  bool backwards = false;  ///< is read from the end
  std::vector<OutlineBlock> blocks = {};
  /// Symbol of an item in a diagram without data: "s" for s₁, s₂ …; empty: "x",
  /// or "y" for an output.
  std::string letter = {};
  /// Names of the items if their number is fixed: "first frame"; empty: none.
  std::vector<std::string> items = {};
  /// Indices of earlier sequences whose vectors are the items of this one: one
  /// for each item, or a single one that runs once per item; empty: the items
  /// are inputs.
  std::vector<size_t> of = {};
};

/// Computation at each step i or for each item j: a part with a formula and the
/// values that it reads.
struct OutlineStep {
  enum class Role : uint8_t { kState, kAttention, kOutput };
  Role role = Role::kState;
  std::string result = {};
  std::string formula = {};
  /// Results of other parts and inputs that the formula reads.
  std::vector<std::string> reads = {};
  int64_t features = 0;  ///< of the result
};

struct ModelOutline {
  std::string name = {};  ///< "bahdanau (rnnsearch)"
  std::vector<OutlineSequence> sequences = {};
  /// Formula of the initial state z of the second sequence from the first: "z =
  /// tanh(W h + b)"; empty: none.
  std::string bridge = {};
  int64_t bridge_features = 0;
  /// True if z derives from the state at the first item, not the last.
  bool bridge_from_first = false;
  /// Path of the attention of a decoder's steps.
  std::string attention = {};
  /// Number of trained weights.
  int64_t weights = 0;

  bool defined() const { return !sequences.empty(); }
  /// Steps of a decoder, or of another part with formulas, in the order of
  /// computation; empty if all parts read the part below them.
  std::vector<OutlineStep> Steps() const;
};

/// Appends a block at the top of `blocks`.
std::vector<OutlineBlock> WithBlock(std::vector<OutlineBlock> blocks,
                                    OutlineBlock top);
/// Inserts a block at the bottom of `blocks`.
std::vector<OutlineBlock> OnBlock(OutlineBlock bottom,
                                  std::vector<OutlineBlock> blocks);
/// Block of unknown structure with a known output size.
std::vector<OutlineBlock> UnknownOutline(const std::string& name,
                                         int64_t features);

}  // namespace heed

#endif  // HEED_BASE_MODEL_OUTLINE_H_
