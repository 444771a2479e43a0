// Alignments of a translator, for demonstrations.
#ifndef HEED_COURSE_SHOWN_ALIGNMENTS_H_
#define HEED_COURSE_SHOWN_ALIGNMENTS_H_

#include <string>
#include <vector>

#include "heed/tasks/translate/translation_model.h"

namespace heed {

/// Translates lines, prints the weights of each as a heatmap and writes all
/// heatmaps into one picture. Throws: IoError; ConfigError for a model without
/// attention.
void ShowAlignments(const translate::Model& model,
                    const std::vector<std::string>& lines,
                    const std::string& picture);

}  // namespace heed

#endif  // HEED_COURSE_SHOWN_ALIGNMENTS_H_
