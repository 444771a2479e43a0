// What imports of translators share: from vocabularies and settings to a task.
#ifndef HEED_CONVERT_TRANSLATION_PARTS_H_
#define HEED_CONVERT_TRANSLATION_PARTS_H_

#include <string>

#include "heed/convert/convert.h"
#include "heed/convert/layout.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/tasks/translate/translation.h"

namespace heed {

/// A model of these settings with these vocabularies, whose weights are to be
/// filled. Throws: FormatError that names `file`, where the settings are from,
/// if they do not fit together.
Imported MakeTranslation(const ModelChoice<TranslatorSettings>& model,
                         const MappedPair& vocabularies,
                         const std::string& file);

/// Paths of the tables of tokens.
std::string SourceTable(const TransformerConfig& config);
std::string TargetTable(const TransformerConfig& config);

/// Weights that a model of these settings has, about.
double CountWeights(const TransformerConfig& config, int64_t source_rows,
                    int64_t target_rows);

}  // namespace heed

#endif  // HEED_CONVERT_TRANSLATION_PARTS_H_
