// Assembly of a translation task from imported vocabularies and settings.
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

/// Search settings of the other program.
struct ImportedSearch {
  DecodeRules rules;
  /// Rows of the target's table whose tokens are never generated.
  std::vector<int32_t> never = {};
  /// Language codes; empty if unknown.
  std::string source_language = {};
  std::string target_language = {};
};

/// Makes a model with these settings and vocabularies. `seed`: of its weights;
/// kNoSeed if all of them are filled next. Throws: FormatError with `file`, the
/// origin of the settings, if settings and vocabularies do not match.
Imported MakeTranslation(const ModelChoice<TranslatorSettings>& model,
                         const MappedPair& vocabularies,
                         const std::string& file, ImportedSearch search = {},
                         uint64_t seed = kNoSeed);

/// Parameter names of the embedding tables.
std::string SourceTable(const TransformerConfig& config);
std::string TargetTable(const TransformerConfig& config);

/// Approximate number of weights for these settings.
double CountWeights(const TransformerConfig& config, int64_t source_rows,
                    int64_t target_rows);

}  // namespace heed

#endif  // HEED_CONVERT_TRANSLATION_PARTS_H_
