// Translations as pictures want them.
#ifndef HEED_APPS_HEED_VIEWS_H_
#define HEED_APPS_HEED_VIEWS_H_

#include <string>

#include "heed/decode/translator.h"
#include "heed/explain/alignment.h"

namespace heed {

/// The attention of a translation, titled with its text.
AlignmentView ViewOf(const Translation& translation);

/// Throws: ConfigError unless `path` ends in .svg or .png.
void CheckPicture(const std::string& path);
/// The bytes of an SVG in the format that this name asks for.
std::string PictureFile(const std::string& path, const std::string& svg);
/// Writes an SVG picture as what `path` ends in. Throws: as CheckPicture;
/// IoError.
void WritePicture(const std::string& path, const std::string& svg);

}  // namespace heed

#endif  // HEED_APPS_HEED_VIEWS_H_
