// What a model is made of and what flows where, as the model says itself: what
// pictures of models are drawn from.
#ifndef HEED_BASE_MODEL_OUTLINE_H_
#define HEED_BASE_MODEL_OUTLINE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

/// A layer over the vectors of a sequence.
struct OutlinePart {
  /// How these vectors meet in it.
  enum class Kind : uint8_t {
    kEach,      ///< each by itself: embeddings, linear layers
    kForward,   ///< step by step, from the first
    kBackward,  ///< step by step, from the last
    kBoth,      ///< in both directions, side by side
    kAll,       ///< each attends to all
    kCausal,    ///< each attends to itself and to those before
    kSource,    ///< each attends to the sequence before this one
    kPool,      ///< all become one vector
    kNear,      ///< each sees those beside it: a convolution
    kEdges,     ///< each attends to its neighbours in a graph
    kWhole,     ///< not known
  };
  Kind kind = Kind::kEach;
  std::string name = {};    ///< "GRU"
  int64_t features = 0;     ///< of what it gives, over all directions; 0: -
  std::string detail = {};  ///< "8 heads, scaled_dot"
  /// Symbol of the result: "hⱼ"; none: empty.
  std::string result = {};
  /// Formula of the result for a step i or an item j, with braces around each
  /// value that it reads: "GRU({yᵢ₋₁}, {sᵢ₋₁}, {cᵢ})"; empty: the layer reads
  /// the part below it.
  std::string formula = {};
};

/// Layers that follow each other alike, the lowest part first.
struct OutlineBlock {
  std::vector<OutlinePart> parts = {};
  int64_t repeats = 1;
};

/// A sequence, and what reads or writes it, the lowest block first.
struct OutlineSequence {
  std::string name = {};   ///< "encoder"
  std::string axis = {};   ///< as in Explanation: "source", "target_inputs"
  bool writes = false;     ///< gives the next item of what it reads
  bool backwards = false;  ///< is read from its end
  std::vector<OutlineBlock> blocks = {};
  /// What its items are called where nothing was read: "s" for s₁, s₂ …; empty:
  /// "x", of what is written "y".
  std::string letter = {};
  /// Their names, where there are always as many: "first frame"; none: empty.
  std::vector<std::string> items = {};
  /// The sequences before this one whose vectors are its items: of each item
  /// one, or one for all, which is run for each item; empty: it is given.
  std::vector<size_t> of = {};
};

/// One computation at each step i or for each item j: a part that has a
/// formula, with the values that it reads.
struct OutlineStep {
  enum class Role : uint8_t { kState, kAttention, kOutput };
  Role role = Role::kState;
  std::string result = {};
  std::string formula = {};
  /// Results of other parts, and given values.
  std::vector<std::string> reads = {};
  int64_t features = 0;  ///< of the result
};

struct ModelOutline {
  std::string name = {};  ///< "bahdanau (rnnsearch)"
  std::vector<OutlineSequence> sequences = {};
  /// What the second sequence starts from, z, and how it is made of the first;
  /// empty: from nothing. "z = tanh(W h + b)".
  std::string bridge = {};
  int64_t bridge_features = 0;
  /// The state that z is made of stands at the first item, not the last.
  bool bridge_from_first = false;
  /// The path of the attention among a decoder's steps.
  std::string attention = {};
  /// All numbers that are learned.
  int64_t weights = 0;

  bool defined() const { return !sequences.empty(); }
  /// Each step of a decoder, or of what else makes its results of several
  /// others, in the order of computation; none: parts read those below them.
  std::vector<OutlineStep> Steps() const;
};

/// `blocks` with one more on top.
std::vector<OutlineBlock> WithBlock(std::vector<OutlineBlock> blocks,
                                    OutlineBlock top);
/// The same at the bottom.
std::vector<OutlineBlock> OnBlock(OutlineBlock bottom,
                                  std::vector<OutlineBlock> blocks);
/// Something of which nothing is known but what it gives.
std::vector<OutlineBlock> UnknownOutline(const std::string& name,
                                         int64_t features);

}  // namespace heed

#endif  // HEED_BASE_MODEL_OUTLINE_H_
