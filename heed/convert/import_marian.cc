#include "heed/convert/import_marian.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "heed/base/errors.h"
#include "heed/convert/import_options.h"
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
    throw FormatError(fmt::format(
        "{}: holds no '{}', so it is not a model that Marian wrote (or one of "
        "before 1.0)",
        file, kOptions));
  }
  const Tensor& bytes = found->value;
  if (bytes.dtype() != DType::kI8 && bytes.dtype() != DType::kU8) {
    throw FormatError(fmt::format("{}: '{}' is not text", file, kOptions));
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
    throw ConfigError(fmt::format(
        "{} is not there to name the vocabularies; give them with --vocab "
        "SOURCE --vocab TARGET",
        path));
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
    throw ConfigError(fmt::format(
        "{} vocabularies: Heed translates from one text to one other",
        paths.size()));
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
    throw FormatError(fmt::format(
        "{} and {}: Heed needs words or SentencePiece on both sides", paths[0],
        paths.back()));
  }
  return pair;
}

const Tensor& FindTable(const SourceWeights& weights, const std::string& name) {
  const Tensor* table = weights.Find(name);
  if (table == nullptr || table->rank() != 2) {
    throw FormatError(fmt::format("{}: tensor '{}' is missing or no matrix",
                                  weights.file(), name));
  }
  return *table;
}

/// Tables of tokens in Heed's order, and the biases of the scores.
void FillTables(const MarianTransformer& marian, const MappedPair& vocabularies,
                WeightReader& reader) {
  const TransformerConfig& config = marian.config;
  SourceWeights& from = reader.from();
  const auto take = [&](const std::string& name) {
    const int64_t rows = FindTable(from, name).dim(0);
    return from.Take(name, {rows, config.width});
  };
  const bool shared = SharesSides(config);
  const auto& [source, target] = vocabularies;
  const Tensor source_table = take(shared ? "Wemb" : "encoder_Wemb");
  const Tensor target_table = shared ? source_table : take("decoder_Wemb");
  const int64_t rows = target_table.dim(0);
  reader.Set(SourceTable(config), TakeRows(source_table, source.rows));
  if (!shared) {
    reader.Set(TargetTable(config), TakeRows(target_table, target.rows));
  }
  const std::string output = "decoder_ff_logit_out_";
  if (!TiesOutput(config)) {
    // Old models have it the other way round.
    const Tensor table =
        from.Has(output + "W")
            ? Transposed(from.Take(output + "W", {config.width, rows}))
            : from.Take(output + "Wt", {rows, config.width});
    reader.Set("decoder.output.weight", TakeRows(table, target.rows));
  }
  const Tensor bias = marian.output_bias ? from.Take(output + "b", {rows})
                                         : Tensor::Zeros({rows});
  reader.Set("decoder.output.bias", target.Biases(bias));
}

Imported ImportTransformer(SourceWeights& weights, ImportOptions& options,
                           const std::vector<std::string>& paths) {
  Imported imported;
  const MarianTransformer marian = ReadMarianTransformer(options, weights);
  ModelConfig config;
  config.Choose("transformer");
  config.transformer = marian.config;
  const bool shared = SharesSides(marian.config);
  const int64_t source_rows =
      FindTable(weights, shared ? "Wemb" : "encoder_Wemb").dim(0);
  const int64_t target_rows =
      shared ? source_rows : FindTable(weights, "decoder_Wemb").dim(0);
  weights.CheckCount(CountWeights(marian.config, source_rows, target_rows));
  const MappedPair vocabularies =
      ReadVocabularies(paths, source_rows, target_rows, imported.notes);
  if (shared && vocabularies.source.bytes != vocabularies.target.bytes) {
    throw FormatError(fmt::format(
        "{}: source and target share their embeddings, so they need the same "
        "vocabulary, but {} and {} differ",
        weights.file(), paths[0], paths.back()));
  }
  auto task = MakeTranslation(config, vocabularies, options.file());
  WeightReader reader(weights, task->parameters());
  FillMarianTransformer(marian, reader);
  FillTables(marian, vocabularies, reader);
  reader.CheckComplete();
  imported.task = std::move(task);
  return imported;
}

}  // namespace

Imported ImportMarian(const std::string& model,
                      std::vector<std::string> vocabularies) {
  std::vector<NamedTensor> tensors = ReadNpz(model);
  ImportOptions options = TakeOptions(tensors, model);
  SourceWeights weights(std::move(tensors), model);
  if (vocabularies.empty()) vocabularies = NamedVocabularies(model);
  options.OneOf("type", "transformer", {"transformer"});
  return ImportTransformer(weights, options, vocabularies);
}

}  // namespace heed
