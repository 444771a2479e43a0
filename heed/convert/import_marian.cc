#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "heed/base/errors.h"
#include "heed/convert/convert.h"
#include "heed/convert/import_options.h"
#include "heed/convert/marian_recurrent.h"
#include "heed/convert/marian_transformer.h"
#include "heed/convert/translation_parts.h"
#include "heed/io/file.h"
#include "heed/io/npz.h"
#include "heed/io/yaml.h"

namespace heed {
namespace {

constexpr const char* kOptions = "special:model.yml";

/// The settings in a model: text in an array of bytes that ends with a zero.
ImportOptions TakeOptions(std::vector<NamedTensor>& tensors,
                          const std::string& file) {
  const auto found = std::ranges::find(tensors, kOptions, &NamedTensor::name);
  if (found == tensors.end()) {
    throw FormatError(
        "{}: holds no '{}', so it is not a model that Marian wrote (or one of "
        "before 1.0)",
        file, kOptions);
  }
  const Tensor& bytes = found->value;
  if (bytes.dtype() != DType::kI8 && bytes.dtype() != DType::kU8) {
    throw FormatError("{}: '{}' is not text", file, kOptions);
  }
  std::string text(static_cast<const char*>(bytes.raw()),
                   static_cast<size_t>(bytes.numel()));
  text.resize(std::min(text.find('\0'), text.size()));
  tensors.erase(found);
  const std::string name = fmt::format("{}: {}", file, kOptions);
  return {ParseYaml(text, name), name};
}

/// The vocabularies that MODEL.decoder.yml names.
std::vector<std::string> NamedVocabularies(const std::string& model) {
  const std::string path = model + ".decoder.yml";
  if (!std::filesystem::exists(path)) {
    throw ConfigError(
        "{} is not there to name the vocabularies; give them with --vocab "
        "SOURCE --vocab TARGET",
        path);
  }
  const nlohmann::json yaml = ParseYaml(ReadFile(path), path);
  if (!yaml.is_object() || !yaml.contains("vocabs") ||
      !yaml["vocabs"].is_array()) {
    throw FormatError(path + ": names no vocabs; give them with --vocab");
  }
  const bool relative =
      yaml.contains("relative-paths") && yaml["relative-paths"] == "true";
  std::vector<std::string> paths;
  for (const auto& vocabulary : yaml["vocabs"]) {
    if (!vocabulary.is_string()) {
      throw FormatError(path + ": a vocabulary is not a path");
    }
    std::filesystem::path file = vocabulary.get<std::string>();
    if (relative) file = std::filesystem::path(model).parent_path() / file;
    paths.push_back(file);
  }
  return paths;
}

MappedPair ReadVocabularies(const std::vector<std::string>& paths,
                            int64_t source_rows, int64_t target_rows,
                            Notes& notes) {
  if (paths.size() != 1 && paths.size() != 2) {
    throw ConfigError(
        "{} vocabularies: Heed translates from one text to one other",
        paths.size());
  }
  MappedPair pair;
  pair.source = ReadMarianVocabulary(paths[0], source_rows, notes);
  if (paths.size() == 1 || paths[0] == paths[1]) {
    pair.target = pair.source;
    if (source_rows == target_rows) return pair;
  }
  pair.target = ReadMarianVocabulary(paths.back(), target_rows, notes);
  const auto is_words = [](const MappedVocabulary& v) {
    return v.kind == VocabularyKind::kWords;
  };
  if (is_words(pair.source) != is_words(pair.target)) {
    throw FormatError(
        "{} and {}: Heed needs words or SentencePiece on both sides", paths[0],
        paths.back());
  }
  return pair;
}

const Tensor& FindTable(const SourceWeights& weights, const std::string& name) {
  const Tensor* table = weights.Find(name);
  if (table == nullptr || table->rank() != 2) {
    throw FormatError("{}: tensor '{}' is missing or no matrix", weights.file(),
                      name);
  }
  return *table;
}

/// Where the tables of tokens stand, in Marian's model and in Heed's.
struct Tables {
  std::string source;  // theirs; the same as target's if they are one
  std::string target;
  std::string output;  // "..._W", "..._Wt", "..._b" are of the scores
  std::string bias;
  bool tied = false;  // scores are products with the target's table
  bool has_bias = true;
  int64_t features = 0;
  std::string our_source;
  std::string our_target;
  bool our_output_transposed = false;  // [features, V]

  int64_t SourceRows(const SourceWeights& weights) const {
    return FindTable(weights, source).dim(0);
  }
  int64_t TargetRows(const SourceWeights& weights) const {
    return FindTable(weights, target).dim(0);
  }
};

/// Tables in Heed's order, and the biases of the scores.
void FillTables(const Tables& t, const MappedPair& vocabularies,
                WeightReader& reader) {
  SourceWeights& from = reader.from();
  const auto& [source, target] = vocabularies;
  const int64_t rows = t.TargetRows(from);
  const Tensor source_table =
      from.Take(t.source, {t.SourceRows(from), t.features});
  const Tensor target_table = t.target == t.source
                                  ? source_table
                                  : from.Take(t.target, {rows, t.features});
  reader.Set(t.our_source, TakeRows(source_table, source.rows));
  if (t.our_target != t.our_source) {
    reader.Set(t.our_target, TakeRows(target_table, target.rows));
  }
  if (!t.tied) {
    // Old models have it the other way round.
    const Tensor table =
        from.Has(t.output) ? Transposed(from.Take(t.output, {t.features, rows}))
                           : from.Take(t.output + "t", {rows, t.features});
    const Tensor own = TakeRows(table, target.rows);
    reader.Set("decoder.output.weight",
               t.our_output_transposed ? Transposed(own) : own);
  }
  const Tensor bias =
      t.has_bias ? from.Take(t.bias, {rows}) : Tensor::Zeros({rows});
  reader.Set("decoder.output.bias", target.Biases(bias));
}

/// A model of these settings whose tables are filled; `fill` fills the others.
template <typename Fill>
Imported ImportModel(SourceWeights& weights,
                     const ModelChoice<TranslatorSettings>& model,
                     const Tables& tables,
                     const std::vector<std::string>& paths, Notes notes,
                     const Fill& fill) {
  const MappedPair vocabularies = ReadVocabularies(
      paths, tables.SourceRows(weights), tables.TargetRows(weights), notes);
  if (tables.our_source == tables.our_target &&
      vocabularies.source.bytes != vocabularies.target.bytes) {
    throw FormatError(
        "{}: source and target share their embeddings, so they need the same "
        "vocabulary, but {} and {} differ",
        weights.file(), paths[0], paths.back());
  }
  Imported imported = MakeTranslation(model, vocabularies, weights.file());
  imported.notes = std::move(notes);
  WeightReader reader(weights, imported.model->parameters());
  fill(reader);
  FillTables(tables, vocabularies, reader);
  reader.CheckComplete();
  return imported;
}

Imported ImportTransformer(SourceWeights& weights, ImportOptions& options,
                           const std::vector<std::string>& paths) {
  Notes notes;
  const MarianTransformer marian =
      ReadMarianTransformer(options, weights, notes);
  ModelChoice<TranslatorSettings> model;
  model.Choose(ModelForImport("marian/transformer").model);
  model.As<TransformerConfig>() = marian.config;
  const bool shared = SharesSides(marian.config.tie.value());
  Tables tables;
  tables.source = shared ? "Wemb" : "encoder_Wemb";
  tables.target = shared ? "Wemb" : "decoder_Wemb";
  tables.output = "decoder_ff_logit_out_W";
  tables.bias = "decoder_ff_logit_out_b";
  tables.tied = TiesOutput(marian.config.tie.value());
  tables.has_bias = marian.output_bias;
  tables.features = marian.config.width;
  tables.our_source = SourceTable(marian.config);
  tables.our_target = TargetTable(marian.config);
  weights.CheckCount(CountWeights(marian.config, tables.SourceRows(weights),
                                  tables.TargetRows(weights)));
  return ImportModel(
      weights, model, tables, paths, std::move(notes),
      [&](WeightReader& reader) { FillMarianTransformer(marian, reader); });
}

Imported ImportRecurrent(SourceWeights& weights, ImportOptions& options,
                         const std::vector<std::string>& paths) {
  Notes notes;
  const MarianRecurrent marian = ReadMarianRecurrent(options, notes);
  ModelChoice<TranslatorSettings> model;
  model.Choose(ModelForImport(marian.format()).model);
  model.As<RecurrentConfig>() = marian.config;
  const auto named = [&marian](const char* name) {
    return MarianName(marian, name);
  };
  Tables tables;
  tables.source = marian.shared_tables ? "Wemb" : named("encoder_Wemb");
  tables.target = marian.shared_tables ? "Wemb" : named("decoder_Wemb");
  tables.output = named("decoder_ff_logit_l2_W");
  if (!weights.Has(tables.output)) tables.output = "decoder_ff_logit_l2_W";
  tables.bias = named("decoder_ff_logit_l2_b");
  tables.tied = marian.config.tie_output;
  tables.has_bias = marian.output_bias;
  tables.features = marian.config.embedding;
  tables.our_source = "encoder.embedding.weight";
  tables.our_target = "decoder.embedding.weight";
  tables.our_output_transposed = true;
  const double units = marian.config.units;
  weights.CheckCount(30 * units * units + 12 * units * marian.config.embedding);
  return ImportModel(
      weights, model, tables, paths, std::move(notes),
      [&](WeightReader& reader) { FillMarianRecurrent(marian, reader); });
}

}  // namespace

Imported ImportMarian(const std::string& model,
                      std::vector<std::string> vocabularies,
                      const std::vector<std::string>& ignored) {
  std::vector<NamedTensor> tensors = ReadNpz(model);
  ImportOptions options = TakeOptions(tensors, model);
  options.Ignore(ignored);
  SourceWeights weights(std::move(tensors), model);
  if (vocabularies.empty()) vocabularies = NamedVocabularies(model);
  const std::string type =
      options.OneOf("type", "amun", {"transformer", "s2s", "amun"});
  return type == "transformer"
             ? ImportTransformer(weights, options, vocabularies)
             : ImportRecurrent(weights, options, vocabularies);
}

}  // namespace heed
