// A small self-attention that learns to reverse words: one task for every part
// of the attention algebra.
#ifndef HEED_COURSE_ATTENTION_GALLERY_H_
#define HEED_COURSE_ATTENTION_GALLERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/catalogue.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Parts of an attention as texts, and the length of the training.
struct GalleryOptions {
  std::string score = "scaled_dot";
  std::string modifiers = "none";
  std::string mask = "none";
  std::string normalizer = "softmax";
  int heads = 1;
  int letters = 12;   // of a word; the mask hides the padding after them
  int documents = 1;  // documents that the mask divides a word into
  int steps = 400;    // of 64 words each
  uint64_t seed = 1;
};

/// Input, output and weights of a trained attention for one word.
struct GalleryExample {
  // Letters; "·" at padding and at positions without a target.
  std::vector<std::string> input;
  std::vector<std::string> wanted;
  std::vector<std::string> written;
  Tensor untrained;     // weights f32 [H, T, S] at initialisation
  Tensor weights;       // weights f32 [H, T, S] after training, sampling off
  double accuracy = 0;  // share of correct letters in held-out words
  double loss = 0;      // mean −log p(letter) in held-out words, natural log
};

/// Returns options that demonstrate a part on a word of twelve letters, with
/// the other parts of the paper that proposed it.
GalleryOptions GalleryOptionsFor(const CataloguePart& part);

/// Trains y_t = x_{S−1−t} with token and position embeddings, projections to
/// queries, keys and values, the attention, and a linear layer to the letters.
/// Each document of a word is reversed separately. A score with a learned query
/// has one query and writes only the first letter. Hard attention is trained by
/// REINFORCE with reward log p of the correct letter.
/// Throws: ConfigError for parts that do not exist or cannot be combined.
GalleryExample TrainGalleryExample(const GalleryOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_ATTENTION_GALLERY_H_
