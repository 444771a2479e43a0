#include "apps/heed/views.h"

namespace heed {

AlignmentView ViewOf(const Translation& translation) {
  AlignmentView view;
  view.source_tokens = translation.source_pieces;
  view.target_tokens = translation.target_pieces;
  view.weights = translation.attention;
  view.title = translation.text;
  return view;
}

}  // namespace heed
