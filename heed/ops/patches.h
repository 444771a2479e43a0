// Images as sequences of patches.
#ifndef HEED_OPS_PATCHES_H_
#define HEED_OPS_PATCHES_H_

#include "heed/autograd/context.h"

namespace heed {

/// Splits images into patches of size × size pixels, row by row; a patch holds
/// its pixels row by row, channels inside. Shapes: images [B, H, W, C], result
/// [B, (H / size) (W / size), size² C]. Throws: ShapeError unless size divides
/// H and W.
Var ImagePatches(const Var& images, int64_t size);

/// Inverse of ImagePatches. Shapes: patches [B, S, size² C], result [B, height,
/// width, C]. Throws: ShapeError.
Var ImageFromPatches(const Var& patches, int64_t height, int64_t width,
                     int64_t size);

}  // namespace heed

#endif  // HEED_OPS_PATCHES_H_
