// Translations as pictures want them.
#ifndef HEED_APPS_HEED_VIEWS_H_
#define HEED_APPS_HEED_VIEWS_H_

#include "heed/decode/translator.h"
#include "heed/explain/alignment.h"

namespace heed {

/// The attention of a translation, titled with its text.
AlignmentView ViewOf(const Translation& translation);

}  // namespace heed

#endif  // HEED_APPS_HEED_VIEWS_H_
