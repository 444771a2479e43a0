#include "heed/models/ensemble.h"

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

/// Adds `x`, if it is defined, to a sum of `count` terms.
void AddTo(Var& sum, int& count, const Var& x) {
  if (!x.defined()) return;
  sum = count == 0 ? x : Add(sum, x);
  ++count;
}

}  // namespace

struct Ensemble::State : DecodingState {
  void Reorder(const Tensor& rows, const Tensor& sources) override {
    for (const auto& member : members) member->Reorder(rows, sources);
  }
  void SetOptions(StepOptions options) override {
    DecodingState::SetOptions(options);
    // The top k of the mean need not be in that of a member.
    options.top_k = 0;
    options.first = 0;
    for (const auto& member : members) member->SetOptions(options);
  }
  void SetWeights(Tensor weights) { weights_ = std::move(weights); }

  std::vector<std::unique_ptr<DecodingState>> members;
};

Ensemble::Ensemble(std::vector<std::shared_ptr<const SequenceModel>> members)
    : SequenceModel(kNoSeed, DType::kF32, kernels::Precision::kNative),
      members_(std::move(members)) {
  if (members_.empty()) throw ConfigError("an ensemble of no models");
}

Var Ensemble::Logits(const Context& ctx, const Tensor& source,
                     const Tensor& lengths, const Tensor& target_in) const {
  const size_t observed = Attending();
  Var sum;
  int count = 0;
  for (size_t m = 0; m < members_.size(); ++m) {
    Context of_member = ctx;
    if (m != observed) of_member.observer = nullptr;
    AddTo(sum, count,
          members_[m]->Logits(of_member, source, lengths, target_in));
  }
  return Scale(sum, 1.0 / count);
}

std::unique_ptr<DecodingState> Ensemble::Start(const Context& ctx,
                                               const Tensor& source,
                                               const Tensor& lengths) const {
  auto state = std::make_unique<State>();
  for (const auto& member : members_) {
    state->members.push_back(member->Start(ctx, source, lengths));
  }
  return state;
}

Var Ensemble::Step(const Context& ctx, const Tensor& tokens,
                   DecodingState& state) const {
  auto& own = dynamic_cast<State&>(state);
  Var scores;
  Var weights;
  int count = 0;
  int seen = 0;
  for (size_t m = 0; m < members_.size(); ++m) {
    DecodingState& member = *own.members[m];
    AddTo(scores, count, members_[m]->Step(ctx, tokens, member));
    AddTo(weights, seen, Var(member.weights()));
  }
  own.SetWeights(seen > 0 ? Scale(weights, 1.0 / seen).value() : Tensor());
  return Scale(scores, 1.0 / count);
}

std::string Ensemble::alignment_attention() const {
  return members_[Attending()]->alignment_attention();
}

int64_t Ensemble::alignment_head() const {
  return members_[Attending()]->alignment_head();
}

std::vector<std::string> Ensemble::source_attentions() const {
  return members_[Attending()]->source_attentions();
}

size_t Ensemble::Attending() const {
  const auto found = std::ranges::find_if(members_, [](const auto& member) {
    return !member->alignment_attention().empty();
  });
  return found == members_.end()
             ? 0
             : static_cast<size_t>(found - members_.begin());
}

}  // namespace heed
