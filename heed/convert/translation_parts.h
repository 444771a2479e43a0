// What imports of translators share: from vocabularies and settings to a task.
#ifndef HEED_CONVERT_TRANSLATION_PARTS_H_
#define HEED_CONVERT_TRANSLATION_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/layout.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/decode/options.h"
#include "heed/tasks/translate/translation.h"

namespace heed {

/// How the other program's search goes.
struct ImportedSearch {
  DecodeRules rules;
  /// Rows of the target's table whose tokens are never written.
  std::vector<int32_t> never = {};
  /// Codes of the languages; empty: not told.
  std::string source_language = {};
  std::string target_language = {};
};

/// A model of these settings with these vocabularies, whose weights are to be
/// filled. Throws: FormatError that names `file`, where the settings are from,
/// if they do not fit together.
Imported MakeTranslation(const ModelChoice<TranslatorSettings>& model,
                         const MappedPair& vocabularies,
                         const std::string& file, ImportedSearch search = {});

/// Paths of the tables of tokens.
std::string SourceTable(const TransformerConfig& config);
std::string TargetTable(const TransformerConfig& config);

/// Weights that a model of these settings has, about.
double CountWeights(const TransformerConfig& config, int64_t source_rows,
                    int64_t target_rows);

}  // namespace heed

#endif  // HEED_CONVERT_TRANSLATION_PARTS_H_
