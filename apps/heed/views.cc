#include "apps/heed/views.h"

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/render/png.h"

namespace heed {

AlignmentView ViewOf(const Translation& translation) {
  AlignmentView view;
  view.source_tokens = translation.source_pieces;
  view.target_tokens = translation.target_pieces;
  view.weights = translation.attention;
  view.title = translation.text;
  return view;
}

void CheckPicture(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png")) {
    throw ConfigError("'{}': a picture's name ends in .svg or .png", path);
  }
}

std::string PictureFile(const std::string& path, const std::string& svg) {
  return path.ends_with(".png") ? SvgToPng(svg) : svg;
}

void WritePicture(const std::string& path, const std::string& svg) {
  CheckPicture(path);
  WriteFileAtomically(path, PictureFile(path, svg));
}

}  // namespace heed
