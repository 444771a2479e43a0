// D-Attn: convolutions over gated words of all reviews of a user and an item.
#ifndef HEED_MODELS_RATINGS_D_ATTN_H_
#define HEED_MODELS_RATINGS_D_ATTN_H_

#include <optional>
#include <vector>

#include "heed/models/ratings/rating_config.h"
#include "heed/models/ratings/rating_predictor.h"
#include "heed/nn/linear.h"

namespace heed {

/// One side of D-Attn: maps the words x_1..x_n of a document to a vector.
///   local   s_t = σ(w · [x_t−c … x_t+c] + b);  max_t tanh(W s_t x_t + d)
///   global  g = σ(Σ_t v_t · x_t + a);  max_t tanh(K_w g [x_t … x_t+w−1] + d_w)
/// for each width w; both concatenated, dropout, relu(H · + h), dropout, F · +
/// f. Windows that extend beyond the end of a longer document are ignored. An
/// empty document gives the output of the two layers for zeros. Parameters:
/// words, local_gate, local, global_gate, global.W, hidden, factors.
class DAttnSide {
 public:
  /// `input`: label of the words for observers.
  DAttnSide(const Scope& scope, const ResolvedDAttn& config, int64_t words,
            const char* input);

  struct Pass {
    Var factors;  // [B, F]
    Var local;    // [B, S]: the local gates; undefined: none
    Var global;   // [B]: the gate of each document; undefined: none
  };
  Pass Read(const Context& ctx, const ReviewDocuments& document) const;
  /// `name`: label of the document.
  OutlineSequence Outline(const char* name) const;

 private:
  bool gates_words() const {
    return config_.gates == WordGates::kBoth ||
           config_.gates == WordGates::kLocal;
  }
  bool gates_documents() const {
    return config_.gates == WordGates::kBoth ||
           config_.gates == WordGates::kGlobal;
  }

  ResolvedDAttn config_;
  const char* input_;
  Embedding words_;
  std::optional<Linear> local_gate_;
  Linear local_;
  Parameter* global_gate_ = nullptr;  // [document, M]
  Parameter* global_gate_bias_ = nullptr;
  std::vector<Linear> global_;
  Linear hidden_;
  Linear factors_;
};

/// rating = mean + b_u + b_i + ⟨user, item⟩, each side with its own DAttnSide.
/// Without words on both sides only the biases are used. Parameters: biases,
/// user, item. Paper: Seo et al. 2017, "Interpretable Convolutional Neural
/// Networks with Dual Local and Global Attention for Review Rating Prediction",
/// RecSys, doi:10.1145/3109859.3109890.
class DAttn : public RatingPredictor {
 public:
  DAttn(const Scope& scope, const ResolvedDAttn& config,
        const RatingSizes& sizes);

  Var Ratings(const Context& ctx, const RatingBatch& batch) const override;
  RatingParts Parts(const RatingBatch& batch) const override;
  ModelOutline Outline() const override;
  DocumentLimits limits() const override;
  using RatingPredictor::biases;
  RatingBiases* biases() override { return &biases_; }

 private:
  struct Pass {
    DAttnSide::Pass user, item;
    Var product;  // [B]
  };
  Pass Read(const Context& ctx, const RatingBatch& batch) const;

  ResolvedDAttn config_;
  int64_t words_;
  RatingBiases biases_;
  DAttnSide user_;
  DAttnSide item_;
};

}  // namespace heed

#endif  // HEED_MODELS_RATINGS_D_ATTN_H_
