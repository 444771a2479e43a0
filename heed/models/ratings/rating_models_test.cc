#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heed/autograd/observer.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/models/model_testing.h"
#include "heed/models/ratings/d_attn.h"
#include "heed/models/ratings/mpcn.h"
#include "heed/models/ratings/rating_factors.h"
#include "heed/ops/elementwise.h"

namespace heed::rating_models_test {
namespace {

using Documents = std::vector<std::vector<std::vector<int32_t>>>;

constexpr RatingSizes kRatingSizes = {.users = 4, .items = 3, .words = 11};

// Inputs of make_golden_ratings.py.
const std::vector<int32_t> kUsers = {1, 3, 4, 2};
const std::vector<int32_t> kItems = {2, 1, 3, 2};
const Documents kOfUsers = {{{4, 5, 6}, {7}, {1, 8, 9, 10, 4}},
                            {{2, 9}},
                            {{6, 4, 3, 10, 2}, {9, 8}},
                            {}};
const Documents kOfItems = {{{3, 3}, {6, 2, 10}},
                            {{8, 7, 6, 5}, {10}, {4, 1}, {5, 5, 2}},
                            {{7, 1, 4, 9, 3}},
                            {{3, 3}, {6, 2, 10}}};
const std::vector<double> kRatings = {4, 1.5, 5, 3};

/// Documents with `padding` more words and reviews than needed.
ReviewDocuments DocumentsOf(const Documents& documents, int64_t padding = 0) {
  const int64_t B = std::ssize(documents);
  int64_t S = 1, R = 1;
  for (const auto& document : documents) {
    int64_t words = 0;
    for (const auto& review : document) words += std::ssize(review);
    S = std::max(S, words);
    R = std::max(R, std::ssize(document));
  }
  S += padding;
  R += padding;
  ReviewDocuments side;
  // Padding words that must have no effect.
  side.ids = Tensor::Full({B, S}, 5, DType::kI32);
  side.starts = Tensor::Zeros({B, R + 1}, DType::kI32);
  side.lengths = Tensor::Zeros({B}, DType::kI32);
  side.counts = Tensor::Zeros({B}, DType::kI32);
  for (int64_t b = 0; b < B; ++b) {
    int32_t at = 0;
    int64_t r = 0;
    for (const auto& review : At(documents, b)) {
      side.starts.row<int32_t>(b)[r++] = at;
      std::ranges::copy(review, side.ids.row<int32_t>(b) + at);
      at += static_cast<int32_t>(review.size());
    }
    for (; r <= R; ++r) side.starts.row<int32_t>(b)[r] = at;
    side.lengths.data<int32_t>()[b] = at;
    side.counts.data<int32_t>()[b] =
        static_cast<int32_t>(At(documents, b).size());
  }
  return side;
}

RatingBatch BatchWith(const std::vector<int32_t>& users,
                      const std::vector<int32_t>& items,
                      const Documents& of_users, const Documents& of_items,
                      int64_t padding = 0) {
  RatingBatch batch;
  batch.users = Lengths(users);
  batch.items = Lengths(items);
  batch.user = DocumentsOf(of_users, padding);
  batch.item = DocumentsOf(of_items, padding);
  return batch;
}

RatingBatch GoldenBatch(int64_t padding = 0) {
  return BatchWith(kUsers, kItems, kOfUsers, kOfItems, padding);
}

RatingBatch PairAlone(size_t b, int64_t padding = 0) {
  return BatchWith({kUsers[b]}, {kItems[b]}, {kOfUsers[b]}, {kOfItems[b]},
                   padding);
}

ResolvedDAttn DAttnSizes(WordGates gates = WordGates::kBoth) {
  DAttnConfig config;
  config.embedding = 4;
  config.window = 3;
  config.local_filters = 3;
  config.widths = {"2", "3"};
  config.filters = 2;
  config.hidden = 6;
  config.factors = 3;
  config.document = 12;
  config.gates = gates;
  config.dropout = 0;
  return config.Resolve();
}

ResolvedMpcn MpcnSizes(Pointing pointing = Pointing::kGumbel,
                       PointerSum combine = PointerSum::kNetwork,
                       ReviewGate gate = ReviewGate::kTanh) {
  MpcnConfig config;
  config.embedding = 4;
  config.pointers = 2;
  config.factors = 3;
  config.read_reviews = 8;
  config.review_words = 5;
  config.dropout = 0;
  config.pointing = pointing;
  config.gate = gate;
  config.combine = combine;
  return config.Resolve();
}

/// Network with weights far from zero.
template <typename Network, typename Sizes>
struct SmallRatings {
  explicit SmallRatings(const Sizes& sizes)
      : network(Scope(parameters, ""), sizes, kRatingSizes) {
    uint64_t seed = 1;
    for (const auto& parameter : parameters.all()) {
      parameter->mutable_value().CopyFrom(
          RandomTensor(parameter->value().shape(), ++seed, DType::kF64));
      parameter->Changed();
    }
  }
  ParameterSet parameters{3, DType::kF64, kernels::Precision::kNative};
  Network network;
};
using SmallDAttn = SmallRatings<DAttn, ResolvedDAttn>;
using SmallMpcn = SmallRatings<Mpcn, ResolvedMpcn>;

std::vector<double> RatingsBy(const RatingPredictor& network,
                              const RatingBatch& batch) {
  return network.Ratings({}, batch).value().ToVector<double>();
}

Var SquaredLoss(const RatingPredictor& network, const RatingBatch& batch,
                Tape* tape) {
  Context ctx;
  ctx.tape = tape;
  const Tensor ratings = Tensor::Of(kRatings, {std::ssize(kRatings)});
  const Var apart = Sub(network.Ratings(ctx, batch), ratings);
  return Sum(Mul(apart, apart));
}

void ExpectGoldenRatings(const std::string& name, const ParameterSet& set,
                         const RatingPredictor& network) {
  const GoldenTensors golden(name);
  golden.ExpectSameParameters(set);
  golden.SetParameters(set);
  for (const int64_t padding : {0, 2}) {
    if (padding > 0 && network.limits().words < 14) continue;
    const RatingBatch batch = GoldenBatch(padding);
    EXPECT_LT(
        MaxDifference(network.Ratings({}, batch).value(), golden.at("ratings")),
        1e-12);
    for (const auto& parameter : set.all()) parameter->ClearGradient();
    Tape tape;
    const Var loss = SquaredLoss(network, batch, &tape);
    EXPECT_NEAR(loss.value().item(), golden.at("loss").item(), 1e-11);
    tape.Backward(loss);
    golden.ExpectGradients(set, 1e-11);
  }
}

TEST(DAttn, RatingsLossAndGradientsAreThoseOfPyTorch) {
  const SmallDAttn model(DAttnSizes());
  ExpectGoldenRatings("dattn", model.parameters, model.network);
}

TEST(Mpcn, RatingsLossAndGradientsAreThoseOfPyTorch) {
  const SmallMpcn model(MpcnSizes());
  ExpectGoldenRatings("mpcn", model.parameters, model.network);
  std::vector<double> pointed;
  for (size_t b = 0; b < 3; ++b) {
    const RatingParts parts = model.network.Parts(PairAlone(b));
    for (size_t k = 0; k < 2; ++k) {
      for (const auto* side : {&parts.user_side, &parts.item_side}) {
        const auto& at = side->pointers[k];
        pointed.push_back(
            static_cast<double>(std::ranges::find(at, 1.0) - at.begin()));
      }
    }
  }
  EXPECT_EQ(pointed, GoldenTensors("mpcn").at("pointed").ToVector<double>());
}

TEST(DAttn, GradientsAreThoseOfDifferences) {
  for (const WordGates gates : {WordGates::kBoth, WordGates::kLocal,
                                WordGates::kGlobal, WordGates::kNone}) {
    const SmallDAttn model(DAttnSizes(gates));
    ExpectParameterGradients(model.parameters, [&](Tape* tape) {
      return SquaredLoss(model.network, GoldenBatch(), tape);
    });
  }
}

TEST(Mpcn, GradientsWithReluAreThoseOfDifferences) {
  const SmallMpcn model(
      MpcnSizes(Pointing::kSoft, PointerSum::kNetwork, ReviewGate::kRelu));
  ExpectParameterGradients(model.parameters, [&](Tape* tape) {
    return SquaredLoss(model.network, GoldenBatch(), tape);
  });
}

TEST(Mpcn, GradientsAreThoseOfDifferences) {
  for (const Pointing pointing : {Pointing::kSoft, Pointing::kMean}) {
    for (const PointerSum combine :
         {PointerSum::kNetwork, PointerSum::kSum, PointerSum::kConcat}) {
      const SmallMpcn model(MpcnSizes(pointing, combine));
      ExpectParameterGradients(model.parameters, [&](Tape* tape) {
        return SquaredLoss(model.network, GoldenBatch(), tape);
      });
    }
  }
}

template <typename Model>
void ExpectPairsAlone(const Model& model) {
  const std::vector<double> together = RatingsBy(model.network, GoldenBatch());
  for (size_t b = 0; b < kUsers.size(); ++b) {
    EXPECT_NEAR(RatingsBy(model.network, PairAlone(b))[0], together[b], 1e-12);
  }
}

TEST(RatingPredictors, PairsDoNotDependOnTheirNeighboursOrOnPadding) {
  ExpectPairsAlone(SmallDAttn(DAttnSizes()));
  for (const Pointing pointing :
       {Pointing::kGumbel, Pointing::kSoft, Pointing::kMean}) {
    const SmallMpcn model(MpcnSizes(pointing));
    ExpectPairsAlone(model);
    EXPECT_LT(MaxDifference(model.network.Ratings({}, GoldenBatch(3)).value(),
                            model.network.Ratings({}, GoldenBatch()).value()),
              1e-12);
  }
}

TEST(RatingPredictors, WithoutWordsOnBothSidesTheBiasesAnswer) {
  const auto check = [](const auto& model) {
    for (const Documents& of_user : {Documents{{}}, Documents{{{4, 5}}}}) {
      const Documents none = {{}};
      const RatingBatch batch = BatchWith({2}, {0}, of_user, none);
      const RatingParts parts = model.network.Parts(batch);
      EXPECT_EQ(parts.reviews, 0);
      EXPECT_NEAR(RatingsBy(model.network, batch)[0],
                  parts.mean + parts.user + parts.item, 1e-12);
    }
  };
  check(SmallDAttn(DAttnSizes()));
  check(SmallMpcn(MpcnSizes()));
}

TEST(RatingPredictors, PartsAddUpToTheRating) {
  const auto check = [](const RatingPredictor& network) {
    for (size_t b = 0; b < kUsers.size(); ++b) {
      const RatingParts parts = network.Parts(PairAlone(b));
      EXPECT_NEAR(parts.mean + parts.user + parts.item + parts.reviews,
                  RatingsBy(network, PairAlone(b))[0], 1e-12);
    }
  };
  check(SmallDAttn(DAttnSizes()).network);
  check(SmallMpcn(MpcnSizes()).network);
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  check(RatingFactors(Scope(parameters, "f"), {.factors = 3}, kRatingSizes));
  check(RatingBias(Scope(parameters, "b"), kRatingSizes));
  check(RatingMean(Scope(parameters, "m")));
}

TEST(RatingPredictors, UsersWithTheSameReviewsDifferByTheirBiasAlone) {
  const auto check = [](const auto& model) {
    const RatingBatch one = BatchWith({1}, {2}, {kOfUsers[0]}, {kOfItems[0]});
    const RatingBatch other = BatchWith({3}, {2}, {kOfUsers[0]}, {kOfItems[0]});
    const RatingParts a = model.network.Parts(one);
    const RatingParts b = model.network.Parts(other);
    EXPECT_NE(a.user, b.user);
    EXPECT_EQ(a.reviews, b.reviews);
    EXPECT_NEAR(RatingsBy(model.network, one)[0] - a.user,
                RatingsBy(model.network, other)[0] - b.user, 1e-12);
  };
  check(SmallDAttn(DAttnSizes()));
  check(SmallMpcn(MpcnSizes()));
}

TEST(Mpcn, OrderOfReviewsDoesNotMatter) {
  const SmallMpcn model(MpcnSizes());
  Documents turned = {kOfUsers[0]};
  std::ranges::reverse(turned[0]);
  EXPECT_NEAR(RatingsBy(model.network, PairAlone(0))[0],
              RatingsBy(model.network, BatchWith({kUsers[0]}, {kItems[0]},
                                                 turned, {kOfItems[0]}))[0],
              1e-12);
}

TEST(Mpcn, PointersOfTrainingDrawButNeverPadding) {
  const SmallMpcn model(MpcnSizes());
  AttentionWatch watch;
  Rng rng(5);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  ctx.observer = &watch;
  const RatingBatch batch = GoldenBatch(3);
  std::vector<bool> drawn(3);
  for (int i = 0; i < 60; ++i) {
    watch.seen.clear();
    model.network.Ratings(ctx, batch);
    for (const auto& seen : watch.seen) {
      const std::string& axis = seen.info.key_axis;
      if (seen.info.query_axis != "answer") continue;
      const bool user = axis.starts_with("user");
      const ReviewDocuments& side = user ? batch.user : batch.item;
      const bool reviews = axis.ends_with("reviews");
      const Tensor& ends = reviews ? side.counts : side.lengths;
      const Tensor weights = seen.weights.value();  // [B, 1, 1, n]
      for (int64_t b = 0; b < 4; ++b) {
        double sum = 0;
        for (int64_t r = 0; r < weights.dim(3); ++r) {
          const double weight = weights.data<double>()[b * weights.dim(3) + r];
          if (r >= ends.data<int32_t>()[b]) {
            EXPECT_EQ(weight, 0);
          } else if (reviews) {
            EXPECT_TRUE(weight == 0 || weight == 1);
          }
          if (axis == "user_reviews" && b == 0 && weight == 1) {
            At(drawn, r) = true;
          }
          sum += weight;
        }
        EXPECT_NEAR(sum, ends.data<int32_t>()[b] > 0 ? 1 : 0, 1e-9)
            << axis << " of pair " << b;
      }
    }
  }
  EXPECT_THAT(drawn, testing::Each(true));
}

TEST(Mpcn, ObserverSeesReviewsWordsAndTheirAffinity) {
  const SmallMpcn model(MpcnSizes());
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  model.network.Ratings(ctx, PairAlone(0));
  std::vector<std::string> paths;
  for (const auto& seen : watch.seen) paths.push_back(seen.info.path);
  EXPECT_THAT(paths, testing::ElementsAre(
                         "pointers.0.user_reviews", "pointers.0.user_words",
                         "pointers.0.item_reviews", "pointers.0.item_words",
                         "pointers.0.affinity", "pointers.1.user_reviews",
                         "pointers.1.user_words", "pointers.1.item_reviews",
                         "pointers.1.item_words", "pointers.1.affinity"));
  // Only words of the selected review have weight.
  const auto reviews = watch.seen[0].weights.value().ToVector<double>();
  const auto words = watch.seen[1].weights.value().ToVector<double>();
  ASSERT_EQ(words.size(), 9);
  const size_t starts[] = {0, 3, 4, 9};
  for (size_t r = 0; r < 3; ++r) {
    double sum = 0;
    for (size_t s = starts[r]; s < starts[r + 1]; ++s) sum += words[s];
    EXPECT_NEAR(sum, reviews[r], 1e-12);
  }
  EXPECT_EQ(watch.seen[4].weights.shape(), Shape({1, 1, 3, 2}));
  const auto pairs = watch.seen[4].weights.value().ToVector<double>();
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_NEAR(pairs[2 * r] + pairs[2 * r + 1], 1, 1e-12);
  }
}

TEST(DAttn, GatesAreOfEachWordAndOfTheDocument) {
  const RatingParts parts =
      SmallDAttn(DAttnSizes()).network.Parts(PairAlone(0));
  EXPECT_EQ(parts.user_side.gates.size(), 9);
  EXPECT_EQ(parts.item_side.gates.size(), 5);
  for (const double gate : parts.user_side.gates) {
    EXPECT_TRUE(gate > 0 && gate < 1);
  }
  EXPECT_TRUE(parts.user_side.document_gate > 0 &&
              parts.user_side.document_gate < 1);
  const RatingParts none =
      SmallDAttn(DAttnSizes(WordGates::kNone)).network.Parts(PairAlone(0));
  EXPECT_TRUE(none.user_side.gates.empty());
  EXPECT_EQ(none.user_side.document_gate, 1);
}

TEST(RatingBiases, StartWhereTheyAreSetAndWhatIsNotKnownHasNone) {
  ParameterSet parameters(1, DType::kF64, kernels::Precision::kNative);
  RatingBias network(Scope(parameters, ""), kRatingSizes);
  network.biases()->Start(3, std::vector<double>{1, 2, 3, 4},
                          std::vector<double>{.1, .2, .3});
  RatingBatch batch;
  batch.users = Lengths({2, 0, 0, 4});
  batch.items = Lengths({3, 1, 0, 0});
  EXPECT_THAT(RatingsBy(network, batch),
              testing::Pointwise(testing::DoubleNear(1e-12),
                                 std::vector<double>{5.3, 3.1, 3, 7}));
  const Tensor shares = Tensor::Of(std::vector<double>{2, 1, 1, .5}, {4});
  EXPECT_NEAR(
      network.biases()->Penalty({}, batch, shares, shares).value().item(),
      2 * 4 + .5 * 16 + 2 * .09 + .01, 1e-12);
  ExpectParameterGradients(parameters, [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    return Add(network.biases()->Penalty(ctx, batch, shares, shares),
               SquaredLoss(network, batch, tape));
  });
}

TEST(RatingPredictors, BatchesThatDoNotFitAreRefused) {
  const auto check = [](const RatingPredictor& network) {
    RatingBatch batch = GoldenBatch();
    batch.user = {};
    EXPECT_THROW(network.Ratings({}, batch), ShapeError);
    batch = GoldenBatch();
    batch.item.ids.data<int32_t>()[0] = kRatingSizes.words;
    EXPECT_THROW(network.Ratings({}, batch), ShapeError);
    batch = GoldenBatch();
    batch.user.starts.data<int32_t>()[1] = 9;
    EXPECT_THROW(network.Ratings({}, batch), ShapeError);
    batch = GoldenBatch();
    batch.items = Lengths({1});
    EXPECT_THROW(network.Ratings({}, batch), ShapeError);
    EXPECT_THROW(network.Ratings({}, GoldenBatch(30)), ShapeError);
  };
  check(SmallDAttn(DAttnSizes()).network);
  check(SmallMpcn(MpcnSizes()).network);
}

}  // namespace
}  // namespace heed::rating_models_test
