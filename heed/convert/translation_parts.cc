#include "heed/convert/translation_parts.h"

#include "heed/base/errors.h"

namespace heed {

Imported MakeTranslation(const ModelChoice<TranslatorSettings>& model,
                         const MappedPair& vocabularies,
                         const std::string& file) {
  const auto& [source, target] = vocabularies;
  DataConfig data;
  data.vocabulary = Name(source.kind);
  if (target.kind != source.kind) data.target_vocabulary = Name(target.kind);
  data.source_vocabulary_size = source.size();
  data.target_vocabulary_size = target.size();
  auto settings = std::make_unique<TranslationSettings>(model, data);
  Imported imported;
  try {
    CheckFields(FieldsOf(*settings->model));
    settings->Resolve();
    imported.model = std::make_unique<TranslationModel>(
        file, settings->model, settings->data,
        Vocabularies{Vocabulary::Parse(source.bytes, source.kind, file),
                     Vocabulary::Parse(target.bytes, target.kind, file)},
        1);
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
