#include "heed/convert/translation_parts.h"

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

/// Tokens of a vocabulary whose embeddings are these rows.
std::vector<std::string> TokensOfRows(const Vocabulary& vocabulary,
                                      const MappedVocabulary& mapped,
                                      const std::vector<int32_t>& rows) {
  std::vector<std::string> tokens;
  // <pad>, <s> and copies are never generated, and </s> must be.
  const auto count = static_cast<int32_t>(mapped.rows.size() - mapped.copies);
  for (int32_t id = 0; id < count; ++id) {
    const int32_t row = At(mapped.rows, id);
    if (id == kPad || id == kBos || id == kEos || row < 0) continue;
    if (std::ranges::count(rows, row) > 0) {
      tokens.push_back(vocabulary.Piece(id));
    }
  }
  return tokens;
}

}  // namespace

Imported MakeTranslation(const ModelChoice<TranslatorSettings>& model,
                         const MappedPair& vocabularies,
                         const std::string& file, ImportedSearch search,
                         uint64_t seed) {
  const MappedVocabulary& source = vocabularies.source;
  const MappedVocabulary& target = vocabularies.target;
  translate::DataConfig data;
  data.vocabulary = Name(source.kind);
  if (target.kind != source.kind) data.target_vocabulary = Name(target.kind);
  data.source_vocabulary_size = source.size();
  data.target_vocabulary_size = target.size();
  translate::Vocabularies parsed = {
      Vocabulary::Parse(source.bytes, source.kind, file),
      Vocabulary::Parse(target.bytes, target.kind, file)};
  data.rules = std::move(search.rules);
  data.source_language = std::move(search.source_language);
  data.target_language = std::move(search.target_language);
  for (std::string& token : TokensOfRows(parsed.target, target, search.never)) {
    data.rules.suppress.push_back(std::move(token));
  }
  auto settings = std::make_unique<translate::Settings>(model, data);
  Imported imported;
  try {
    CheckFields(FieldsOf(*settings->model));
    settings->Resolve();
    imported.model = std::make_unique<translate::Model>(
        file, settings->model, settings->data, std::move(parsed), seed);
  } catch (const ConfigError& error) {
    throw FormatError("{}: {}", file, error.what());
  }
  imported.settings = std::move(settings);
  return imported;
}

std::string SourceTable(const TransformerConfig& config) {
  return SharesSides(config.tie.value()) ? "embedding.weight"
                                         : "encoder.embedding.weight";
}

std::string TargetTable(const TransformerConfig& config) {
  return SharesSides(config.tie.value()) ? "embedding.weight"
                                         : "decoder.embedding.weight";
}

double CountWeights(const TransformerConfig& c, int64_t source_rows,
                    int64_t target_rows) {
  const double width = c.width;
  const double feed_forward = 2 * width * c.ff;
  return width * static_cast<double>(source_rows + target_rows) +
         c.layers * (4 * width * width + feed_forward) +
         c.decoder_layers * (8 * width * width + feed_forward);
}

}  // namespace heed
