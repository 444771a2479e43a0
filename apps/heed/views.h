// Conversion of translations for pictures, and picture files.
#ifndef HEED_APPS_HEED_VIEWS_H_
#define HEED_APPS_HEED_VIEWS_H_

#include <string>

#include "heed/decode/translator.h"
#include "heed/explain/alignment.h"

namespace heed {

/// Attention of a translation, with its text as title.
AlignmentView ViewOf(const Translation& translation);

/// Throws: ConfigError unless `path` ends in .svg or .png.
void CheckPicture(const std::string& path);
/// Converts an SVG to the format of the path's ending.
std::string PictureFile(const std::string& path, const std::string& svg);
/// Writes an SVG in the format of the path's ending. Throws: as CheckPicture;
/// IoError.
void WritePicture(const std::string& path, const std::string& svg);

}  // namespace heed

#endif  // HEED_APPS_HEED_VIEWS_H_
