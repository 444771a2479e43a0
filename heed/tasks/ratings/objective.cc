#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/data/input_lines.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/ops/elementwise.h"
#include "heed/tasks/ratings/ratings.h"
#include "heed/train/progress.h"

namespace heed::ratings {
namespace {

std::string ComputeRatingsChecksum(const Data& data) {
  std::string all;
  for (const std::vector<Review>* part : {&data.train, &data.valid}) {
    for (const Review& review : *part) all += ReviewLine(review) + '\n';
    all += '\n';
  }
  return fmt::format("{:08x}", Crc32(all));
}

/// Squared error of ratings, and a penalty on the biases.
class RatingObjective : public ObjectiveOf<Model> {
 public:
  RatingObjective(const Settings& settings, const Data& data, Model& model)
      : ObjectiveOf(model, settings.Measures(data)),
        checksum_(ComputeRatingsChecksum(data)),
        valid_(data.valid) {
    const int64_t without = model.CountWithoutText();
    if (!model.reads_texts() || without == 0) return;
    Warn(fmt::format(
        "{} of {} have no text: they count for the biases, and are "
        "left out of what the model reads",
        without, Counted(std::ssize(model.memory.reviews()), "review")));
  }

  std::string unit() const override { return "pair"; }
  std::string Summary() const override {
    return fmt::format(
        "{} reviews of {} items by {} users, {} pairs for validation; {} words",
        model_.memory.reviews().size(), model_.memory.items().size(),
        model_.memory.users().size(), valid_.size(), model_.vocabulary.size());
  }
  std::string Checksum() const override { return checksum_; }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return ShuffledBatches(std::ssize(model_.memory.reviews()),
                           model_.config.data.batch_pairs, seed, epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override { return "mse"; }
  bool has_valid() const override { return !valid_.empty(); }
  Metrics Validate(const std::string& measure) const override;

 private:
  std::string checksum_;
  std::vector<Review> valid_;
};

BatchLoss RatingObjective::Loss(const Context& ctx,
                                std::span<const int64_t> examples,
                                const LossOptions& options) const {
  const ReviewMemory& memory = model_.memory;
  const int64_t B = std::ssize(examples);
  std::vector<RatingPair> pairs;
  Tensor minus({B}, DType::kF32);
  Tensor user_shares({B}, DType::kF32), item_shares({B}, DType::kF32);
  for (int64_t b = 0; b < B; ++b) {
    const auto i = static_cast<size_t>(At(examples, b));
    const int32_t user = memory.user_ids()[i], item = memory.item_ids()[i];
    pairs.push_back(model_.PairOf(user, item));
    minus.data<float>()[b] = -static_cast<float>(memory.reviews()[i].rating);
    // The shares of the penalty on each bias add up to one per epoch.
    const double shrinkage = model_.config.data.shrinkage;
    const auto share = [shrinkage](const std::vector<int32_t>& own) {
      return static_cast<float>(shrinkage / static_cast<double>(own.size()));
    };
    user_shares.data<float>()[b] = share(memory.OfUser(user));
    item_shares.data<float>()[b] = share(memory.OfItem(item));
  }
  const RatingBatch batch = model_.BatchOf(pairs);
  const Var apart = Add(model_.network->Ratings(ctx, batch), minus);
  const Var squares = Sum(Mul(apart, apart));
  const double nll = options.scale * double{squares.value().item()};
  Var loss = squares;
  const RatingPredictor& network = *model_.network;
  if (const RatingBiases* biases = network.biases()) {
    loss = Add(loss, biases->Penalty(ctx, batch, user_shares, item_shares));
  }
  return {Scale(loss, options.scale), nll};
}

Metrics RatingObjective::Validate(const std::string& /*measure*/) const {
  std::vector<RatingPair> pairs;
  for (const Review& review : valid_) {
    pairs.push_back(model_.PairOf(review.user, review.item));
  }
  const std::vector<double> found = model_.Ratings({}, pairs);
  double mae = 0;
  const std::vector<double> squares = SquaredErrors(found, valid_);
  for (const double square : squares) mae += std::sqrt(square);
  const auto n = static_cast<double>(std::max<size_t>(valid_.size(), 1));
  return {{"mse", std::accumulate(squares.begin(), squares.end(), 0.0) / n},
          {"mae", mae / n}};
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t /*seed*/) const {
  return std::make_unique<RatingObjective>(*this, read, made);
}

}  // namespace heed::ratings
