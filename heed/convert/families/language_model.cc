#include "heed/convert/families/language_model.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "heed/base/errors.h"
#include "heed/convert/file_tokenizer.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/translation_parts.h"
#include "heed/tasks/lm/language.h"

namespace heed {
namespace {

/// Fills a table from its rows `first` to `first` + the rows wanted.
void FillRows(Tensor table, int64_t first, const std::string& ours,
              WeightReader& reader) {
  const int64_t wanted = reader.ShapeOf(ours)[0];
  if (first > 0 || wanted < table.dim(0)) {
    table = table.Slice(first, first + wanted).Clone();
  }
  reader.Set(ours, std::move(table));
}

}  // namespace

TransformerConfig PreNormLanguageModel() {
  TransformerConfig c;
  c.norm = NormPlace::kPre;
  c.final_norm = YesNo::kYes;
  c.position = Position::kLearned;
  c.tie = Tie::kOutput;
  c.embedding_scale = YesNo::kNo;
  c.embedding_norm = YesNo::kNo;
  c.output_bias = false;
  c.activation_dropout = 0;
  return c;
}

Imported ImportLanguageModel(const std::string& folder, const std::string& file,
                             const LanguageModelSource& source,
                             SourceWeights& weights) {
  weights.CheckCount(CountWeights(source.config, 0, source.rows));
  Imported imported;
  Vocabulary vocabulary = ReadFileTokenizer(folder, TokenizerUse::kGenerate,
                                            source.rows, imported.notes);
  auto settings = std::make_unique<lm::Settings>();
  settings->ChooseModel("transformer");
  settings->model.As<TransformerConfig>() = source.config;
  settings->data.vocabulary.vocabulary = Name(vocabulary.kind());
  settings->data.vocabulary.vocabulary_size = vocabulary.size();
  settings->data.vocabulary.normalization = Name(Normalization::kIdentity);
  ResolveImported(*settings, file);
  imported.model =
      std::make_unique<lm::Model>(*settings, std::move(vocabulary), kNoSeed);
  imported.settings = std::move(settings);
  imported.dtypes = weights.matrix_dtypes();
  WeightReader reader(weights, imported.model->parameters());
  const int64_t width = source.config.width;
  FillRows(TakeShared(weights, source.embedding, {source.rows, width}), 0,
           "decoder.embedding.weight", reader);
  const int64_t positions =
      source.config.max_positions + source.unused_positions;
  FillRows(weights.TakeStored(source.positions, {positions, width}),
           source.unused_positions, "decoder.positions.weight", reader);
  reader.Read(source.parts, source.layout);
  reader.CheckComplete();
  return imported;
}

}  // namespace heed
