// Pictures of explanations for programs in other languages.
#ifndef HEED_APPS_LIBHEED_PICTURE_H_
#define HEED_APPS_LIBHEED_PICTURE_H_

#include <string>

#include "heed/base/config.h"
#include "heed/explain/explanation.h"

namespace heed::c {

/// Options of a picture, as those of `heed explain`.
struct PictureRequest {
  std::string format = "svg";
  std::string view;
  std::string layer;
  int head = -1;
  std::string rows;
  int step = -1;
  std::string scale = "auto";
  bool words = false;
  int width = 80;
  bool colour = false;

  void Visit(FieldList& v);
};

/// Content of a picture file, or text for a terminal. `with_methods`: prefer a
/// view of attributions. Throws: as ExplanationFile.
std::string Draw(const Explanation& explanation, const PictureRequest& options,
                 bool with_methods);

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_PICTURE_H_
