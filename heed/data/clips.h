// Clips: frames in the order of time, and tuples of three of them.
#ifndef HEED_DATA_CLIPS_H_
#define HEED_DATA_CLIPS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/rng.h"
#include "heed/data/image_set.h"

namespace heed {

/// Frames of a tuple, and those that it is drawn from: a, b, c, d, e.
inline constexpr int64_t kTupleFrames = 3;
inline constexpr int64_t kWindowFrames = 5;

/// Frames of one size, clip behind clip.
struct Clips : Images {
  /// Where each clip begins among all frames, and at last how many there are.
  std::vector<int64_t> begins = {0};
  /// Behind each frame: the mean absolute difference to the next frame of its
  /// clip, 0 behind the last. Units: grey levels of 0 to 255
  std::vector<double> motion;

  int64_t size() const { return std::ssize(begins) - 1; }
  int64_t frames() const { return begins.back(); }
  int64_t FramesOf(int64_t clip) const {
    const auto at = static_cast<size_t>(clip);
    return begins[at + 1] - begins[at];
  }
  /// Adds a clip: the next so many frames of `pixels`.
  void AddClip(int64_t frames);
  /// The clips [begin, end).
  Clips Slice(int64_t begin, int64_t end) const;
};

/// A folder with a folder for each clip: FOLDER/CLIP/NAME7.png (.jpg, .jpeg),
/// in the order of the last number of the names. `format`: what frames are made
/// to be; height 0: as the first one, and then all have to be of its size.
/// Channels 0: those of the first. Throws: IoError; FormatError that names what
/// is wrong: a folder without clips, a clip of fewer than `min` frames, a
/// name without a number, a frame of another size, what no image is.
Clips ReadClips(const std::string& folder, const ImageFormat& format,
                int64_t min);

/// Three frames, by their numbers among all, in the order in which they are
/// shown.
struct FrameTuple {
  std::array<int64_t, kTupleFrames> frames = {};
  bool in_order = true;
  bool mirrored = false;  ///< left and right exchanged
};

/// Frames a, b, c, d, e of a clip, `spacing` apart, from a place that is drawn
/// with a probability in proportion to its motion; of these (b, c, d) in order,
/// or (b, a, d) or (b, e, d) out of order, as probable as each other. Either is
/// turned round as often as not, as time has no sign for what moves. Range: the
/// clip has at least 4 spacing + 1 frames.
/// Paper: Misra et al. 2016, arXiv:1603.08561, section 3.1.
FrameTuple DrawTuple(const Clips& clips, int64_t clip, int64_t spacing,
                     bool in_order, Rng& rng);

/// The size of three such frames side by side.
ImageFormat StripFormat(const ImageFormat& frame);
/// The frames of a tuple side by side.
Image StripOf(const Clips& clips, const FrameTuple& tuple);
/// f32 [B, H, 3 W, C] in 0 to 1.
Tensor StripBatch(const Clips& clips, std::span<const FrameTuple> tuples);

}  // namespace heed

#endif  // HEED_DATA_CLIPS_H_
