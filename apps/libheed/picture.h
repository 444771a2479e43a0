// Pictures of explanations for programs in other languages.
#ifndef HEED_APPS_LIBHEED_PICTURE_H_
#define HEED_APPS_LIBHEED_PICTURE_H_

#include <string>

#include "heed/base/config.h"
#include "heed/explain/explanation.h"
#include "heed/render/explanation_file.h"

namespace heed::c {

/// Options of a picture, or of text for a terminal.
struct DrawRequest : PictureRequest {
  std::string format = "svg";
  int width = 80;
  bool colour = false;

  void Visit(FieldList& v);
};

/// Content of a picture file, or text for a terminal. `with_methods`: prefer a
/// view of attributions. Throws: as ExplanationFile.
std::string Draw(const Explanation& explanation, const DrawRequest& options,
                 bool with_methods);

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_PICTURE_H_
