#include "heed/train/batch_parts.h"

#include <span>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/threads.h"

namespace heed {

std::vector<BatchLoss> BatchParts::Differentiate(int64_t parts, Rng& rng,
                                                 const PartLoss& loss,
                                                 const Tape::Ready& ready) {
  while (std::ssize(tapes_) < parts) tapes_.push_back(std::make_unique<Tape>());
  const uint64_t key = rng.Next();
  std::vector<BatchLoss> losses(static_cast<size_t>(parts));
  ParallelForEach(parts, 1, [&](int64_t part) {
    Tape& tape = *At(tapes_, part);
    tape.Clear();  // terms that a failed update left
    Rng own(key + static_cast<uint64_t>(part));
    Context ctx;
    ctx.tape = &tape;
    ctx.rng = &own;
    ctx.training = true;
    tape.KeepTerms(parts > 1);
    tape.OnGradient(parts > 1 ? nullptr : ready);
    BatchLoss result = loss(ctx, part);
    tape.Backward(result.loss);
    result.loss = Var(result.loss.value());
    At(losses, part) = std::move(result);
  });
  const auto used = std::span(tapes_).first(static_cast<size_t>(parts));
  if (parts > 1) Tape::AddKept(used, ready);
  for (const auto& tape : used) tape->Clear();
  return losses;
}

}  // namespace heed
