// MPCN: pointers that select one review of each side, and its words.
#ifndef HEED_MODELS_RATINGS_MPCN_H_
#define HEED_MODELS_RATINGS_MPCN_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/models/ratings/rating_config.h"
#include "heed/models/ratings/rating_predictor.h"
#include "heed/nn/linear.h"

namespace heed {

/// A review is the sum x of its word vectors, then gated by relu as in the
/// authors' code, or by tanh as in the paper:
///   r = relu(W_u x + b_u)  or  r = σ(W_g x + b_g) ⊙ tanh(W_u x + b_u)
/// Each pointer, with its own parameters, scores all reviews a_i of the user
/// and b_j of the item against each other and selects one of each side:
///   s_ij = F(a_i)ᵀ M F(b_j),  F(x) = relu(W x + c)
///   p = Gumbel-softmax(max_j s_ij),  q = Gumbel-softmax(max_i s_ij)
/// It pools the words v_i, w_j of both reviews by
///   t_ij = G(v_i)ᵀ N G(w_j),  softmax_i(mean_j t_ij), softmax_j(mean_i t_ij).
/// A relu layer combines the pointers' vectors of each side (network), and z =
/// [user; item] gives the rating
///   mean + b_u + b_i + wᵀz + ½ Σ_f ((Σ_k v_kf z_k)² − Σ_k v_kf² z_k²).
/// In training a review is sampled, with the gradient of the softmax at its
/// temperature. Otherwise the review with the largest score is selected,
/// without noise (the authors' code also samples then). Padding is never
/// selected. Without words on both sides only the biases are used, which is not
/// in the paper. With `mean`, nothing is selected, and a side is the mean of
/// its gated reviews. Parameters: biases, words, gate, projection,
/// pointers.K.{reviews, affinity, words, word_affinity}, combine, linear,
/// pairs. Paper: Tay et al. 2018, arXiv:1801.09251, equations 1 to 11.
class Mpcn : public RatingPredictor {
 public:
  Mpcn(const Scope& scope, const ResolvedMpcn& config,
       const RatingSizes& sizes);

  Var Ratings(const Context& ctx, const RatingBatch& batch) const override;
  RatingParts Parts(const RatingBatch& batch) const override;
  ModelOutline Outline() const override;
  DocumentLimits limits() const override;
  using RatingPredictor::biases;
  RatingBiases* biases() override { return &biases_; }

 private:
  /// Parameters of one pointer.
  struct Pointer {
    Pointer(const Scope& scope, const ResolvedMpcn& config);

    Linear reviews;
    Parameter& affinity;  // [M, M]
    Linear words;
    Parameter& word_affinity;  // [M, M]
    std::string path;
  };
  /// Embedded reviews of one side.
  struct Side {
    const ReviewDocuments* document = nullptr;
    std::string name;     // "user"
    int64_t longest = 0;  // L: words of the longest review
    Var words;            // [B, S, M]
    Var gated;            // [B, R, M]
    Var spread;           // [B, R, L M]: words of each review, padded
  };
  /// Selection of one pointer on one side.
  struct Choice {
    Var weights;       // [B, 1, R]: weights of reviews
    Var words;         // [B, L, M]: words of the selected review
    Tensor lengths;    // i32 [B]
    Var word_weights;  // [B, 1, L]
    Var read;          // [B, M]
  };
  /// Selections of one pointer on both sides.
  struct Selection {
    Choice user, item;
    Var affinity;  // [B, R of user, R of item]
  };
  struct Pass {
    Side user, item;
    std::vector<Selection> selections;
    Var reviews;  // [B]
  };

  Pass Read(const Context& ctx, const RatingBatch& batch) const;
  Side ReadSide(const Context& ctx, const ReviewDocuments& document,
                const char* name) const;
  Selection Select(const Context& ctx, const Pointer& pointer, const Side& user,
                   const Side& item, bool one) const;
  /// Selects one review of each document, or mixes all by their weights.
  Choice Choose(const Context& ctx, const Var& scores, const Side& side,
                bool one) const;
  void ReadWords(const Context& ctx, const Pointer& pointer, Choice& user,
                 Choice& item) const;
  Var MeanOf(const Side& side) const;
  Var Combine(const Context& ctx, std::vector<Var> read) const;
  Var Machine(const Context& ctx, const Var& z) const;
  OutlineSequence OutlineOfSide(const char* name, const char* axis,
                                const char* letter) const;
  void Observe(const Context& ctx, const Pointer& pointer,
               const Selection& selection, const Side& user,
               const Side& item) const;

  ResolvedMpcn config_;
  int64_t words_count_;
  RatingBiases biases_;
  Embedding words_;
  std::unique_ptr<Linear> gate_;
  Linear projection_;
  std::vector<std::unique_ptr<Pointer>> pointers_;
  std::unique_ptr<Linear> combine_;
  Linear linear_;
  Parameter& pairs_;  // [2 M', F]
};

}  // namespace heed

#endif  // HEED_MODELS_RATINGS_MPCN_H_
