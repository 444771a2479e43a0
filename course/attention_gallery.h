// A small self-attention that learns to write words backwards: one example for
// each part of the attention algebra, always the same task.
#ifndef HEED_COURSE_ATTENTION_GALLERY_H_
#define HEED_COURSE_ATTENTION_GALLERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/catalogue.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// The parts of an attention, as texts, and how long it learns.
struct GalleryOptions {
  std::string score = "scaled_dot";
  std::string modifiers = "none";
  std::string mask = "none";
  std::string normalizer = "softmax";
  int heads = 1;
  int letters = 12;   // of a word; the mask hides what stands behind them
  int documents = 1;  // that the mask makes of a word
  int steps = 400;    // of 64 words each
  uint64_t seed = 1;
};

/// What the trained attention does to one word.
struct GalleryExample {
  // Letters; "·" where none is or none is wanted.
  std::vector<std::string> input;
  std::vector<std::string> wanted;
  std::vector<std::string> written;
  Tensor untrained;  // weights f32 [H, T, S] with what training draws at random
  Tensor weights;    // the same after training, without chance
  double accuracy = 0;  // share of right letters in unseen words
  double loss = 0;      // mean −log p(letter) of the same, natural logarithm
};

/// A part with arguments that show in a word of twelve letters, and with the
/// other parts that it was proposed with.
GalleryOptions GalleryOptionsFor(const CataloguePart& part);

/// Trains y_t = x_{S−1−t}: token and position embeddings, projections to
/// queries, keys and values, the attention, a linear layer to the letters.
/// Documents are written backwards each by itself. A score with a query of its
/// own looks once and writes one letter, the first. Hard choices learn by
/// REINFORCE from log p of the right letter.
/// Throws: ConfigError for parts that do not exist or do not fit together.
GalleryExample TrainGalleryExample(const GalleryOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_ATTENTION_GALLERY_H_
