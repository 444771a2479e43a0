#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "heed/base/errors.h"
#include "heed/convert/convert.h"
#include "heed/convert/import_options.h"
#include "heed/convert/mapped_shortlist.h"
#include "heed/convert/marian_package.h"
#include "heed/convert/marian_recurrent.h"
#include "heed/convert/marian_transformer.h"
#include "heed/convert/translation_parts.h"
#include "heed/io/file.h"
#include "heed/io/marian_binary.h"
#include "heed/io/npz.h"
#include "heed/io/yaml.h"

namespace heed {
namespace {

/// Reads the settings stored in the model: text in a byte array with a
/// terminating zero.
ImportOptions TakeOptions(std::vector<MarianTensor>& tensors,
                          const std::string& file) {
  const auto found =
      std::ranges::find(tensors, kMarianOptions, &NamedTensor::name);
  if (found == tensors.end()) {
    throw FormatError(
        "{}: holds no '{}', so it is not a model that Marian wrote (or one of "
        "before 1.0)",
        file, kMarianOptions);
  }
  const Tensor& bytes = found->value;
  if (bytes.dtype() != DType::kI8 && bytes.dtype() != DType::kU8) {
    throw FormatError("{}: '{}' is not text", file, kMarianOptions);
  }
  std::string text(static_cast<const char*>(bytes.raw()),
                   static_cast<size_t>(bytes.numel()));
  text.resize(std::min(text.find('\0'), text.size()));
  tensors.erase(found);
  const std::string name = fmt::format("{}: {}", file, kMarianOptions);
  return {ParseYaml(text, name), name};
}

/// Marian's search by default, and that of Firefox.
struct UsualSearch {
  double max_length_factor = 3;
  int beam = DecodeRules().beam;
};
constexpr UsualSearch kStudentSearch = {kStudentLengthFactor, 1};

SourceWeights WeightsOf(std::vector<MarianTensor> tensors,
                        const std::string& file) {
  SourceWeights weights(file);
  for (MarianTensor& tensor : tensors) {
    const Shape shape = tensor.value.shape();
    const bool bytes = tensor.multiplier > 0;
    weights.Add(tensor.name,
                {.shape = shape,
                 .file = file,
                 .read = [value = std::move(tensor.value)] { return value; },
                 .dtype = bytes ? "I8" : "F32",
                 .scale = bytes ? 1 / tensor.multiplier : 0});
  }
  return weights;
}

/// Beam size of the decoder's configuration, else of the release's, else
/// `usual`.
int BeamOf(MarianFiles& files, int usual) {
  constexpr const char* kBeam = "beam-size";
  for (ImportOptions* options : {&files.decoder, &files.release}) {
    const int beam = options->Number(kBeam, 0);
    if (beam < 0 || beam > kWidestBeam) {
      options->Fail(
          kBeam, fmt::format("{} is not between 1 and {}", beam, kWidestBeam));
    }
    if (beam > 0) return beam;
  }
  return usual;
}

/// Marian's search. The decoder's configuration takes precedence over the
/// model's.
ImportedSearch SearchOf(ImportOptions& model, MarianFiles& files,
                        const UsualSearch& usual, Notes& notes) {
  ImportOptions& decoder = files.decoder;
  ImportedSearch search;
  DecodeRules& rules = search.rules;
  rules.max_length_factor =
      decoder.Real("max-length-factor",
                   model.Real("max-length-factor", usual.max_length_factor));
  rules.max_length_extra = 0;
  if (!(rules.max_length_factor > 0)) {
    const bool there = !decoder.Text("max-length-factor", "").empty();
    (there ? decoder : model).Fail("max-length-factor", "not above 0");
  }
  if (!decoder.Flag("allow-unk", model.Flag("allow-unk"))) {
    rules.suppress = {"<unk>"};
  }
  rules.beam = BeamOf(files, usual.beam);
  if (rules.beam > 1 && decoder.Has("beam-size")) {
    notes.push_back(fmt::format(
        "{}: normalize {}, word-penalty {} there; the beam of {} is ranked by "
        "--length-penalty here",
        decoder.file(), decoder.Text("normalize", "0"),
        decoder.Text("word-penalty", "0"), rules.beam));
  }
  return search;
}

/// A model with its settings and files.
struct MarianModel {
  SourceWeights weights;
  ImportOptions options;
  MarianFiles files;
};

/// True if a model in int8 must have multipliers of activations: its decoder's
/// configuration asks for them, or it has some.
bool HasActivations(MarianModel& model) {
  return model.weights.matrix_dtypes().contains("I8") &&
         (model.files.decoder.Text("gemm-precision", "")
              .ends_with("AlphaAll") ||
          model.weights.HasAnyEnding(kMarianActivations));
}

int64_t RowsOf(const SourceWeights& weights, const std::string& table) {
  const Shape* shape = weights.FindShape(table);
  if (shape == nullptr || shape->rank() != 2) {
    throw FormatError("{}: tensor '{}' is missing or no matrix", weights.file(),
                      table);
  }
  return (*shape)[0];
}

/// Parameter names of the embedding tables, in Marian and in Heed.
struct Tables {
  std::string source;  // Marian's name; equals `target` if both share a table
  std::string target;
  std::string output;  // output projection: "..._W", "..._Wt", "..._b"
  std::string bias;
  bool tied = false;  // the output projection is the target's table
  bool has_bias = true;
  int64_t features = 0;
  std::string our_source;
  std::string our_target;
  bool our_output_transposed = false;  // [features, V]
  /// Multiplier of activations of the output projection; 0: none.
  float activations = 0;
  bool student = false;

  int64_t SourceRows(const SourceWeights& weights) const {
    return RowsOf(weights, source);
  }
  int64_t TargetRows(const SourceWeights& weights) const {
    return RowsOf(weights, target);
  }
};

/// Fills embedding tables in Heed's order of tokens, and output biases.
void FillTables(const Tables& t, const MappedPair& vocabularies,
                WeightReader& reader) {
  SourceWeights& from = reader.from();
  const MappedVocabulary& source = vocabularies.source;
  const MappedVocabulary& target = vocabularies.target;
  const int64_t rows = t.TargetRows(from);
  const StoredMatrix source_table =
      from.TakeMatrix(t.source, {t.SourceRows(from), t.features});
  const StoredMatrix target_table =
      t.target == t.source ? source_table
                           : from.TakeMatrix(t.target, {rows, t.features});
  reader.SetTable(t.our_source, source_table, source.rows);
  if (t.our_target != t.our_source) {
    reader.SetTable(t.our_target, target_table, target.rows);
  }
  if (t.tied && target_table.quantized() && t.activations > 0) {
    reader.SetActivations(t.our_target, Tensor::Full({1}, t.activations));
  }
  if (!t.tied) {
    // Old models store this matrix transposed.
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

/// Throws: FormatError unless a student comes with a vocabulary of the right
/// size for each of its tables.
void CheckStudentVocabularies(const MarianModel& marian, const Tables& t) {
  const std::vector<std::string>& files = marian.files.vocabularies;
  if (t.source != t.target && files.size() == 1) {
    throw FormatError(
        "{}: has the tables {} and {}, so it needs two vocabularies, but there "
        "is only {}; give them with --vocab SOURCE --vocab TARGET",
        marian.weights.file(), t.source, t.target, files.front());
  }
  CheckPieces(files.front(), t.SourceRows(marian.weights));
  CheckPieces(files.back(), t.TargetRows(marian.weights));
}

/// Multiplier of activations of the output projection, under the first name
/// that there is. Throws: FormatError if there is none.
float OutputActivations(const Tables& tables, SourceWeights& weights) {
  const std::string own = tables.target + kMarianActivations;
  const std::string other = std::string("none") + kMarianActivations;
  return weights.TakeMultiplier(
      weights.Has(own) || !weights.Has(other) ? own : other);
}

/// Imports a model with its tables; `fill` fills the remaining parameters.
template <typename Fill>
Imported ImportModel(MarianModel& marian,
                     const ModelChoice<TranslatorSettings>& model,
                     const Tables& tables, Notes notes, const Fill& fill) {
  SourceWeights& weights = marian.weights;
  const int64_t source_rows = tables.SourceRows(weights);
  const int64_t target_rows = tables.TargetRows(weights);
  if (tables.student) CheckStudentVocabularies(marian, tables);
  const MappedPair vocabularies =
      ReadMarianVocabularies(marian.files, source_rows, target_rows, notes);
  if (tables.our_source == tables.our_target && !vocabularies.same_tokens) {
    throw FormatError(
        "{}: source and target share their embeddings, so they need the same "
        "vocabulary, but {} and {} differ",
        weights.file(), marian.files.vocabularies.front(),
        marian.files.vocabularies.back());
  }
  ImportedSearch search =
      SearchOf(marian.options, marian.files,
               tables.student ? kStudentSearch : UsualSearch(), notes);
  if (tables.student) {
    const LanguagePair languages = LanguagesOfModel(marian.files.model);
    search.source_language = languages.source;
    search.target_language = languages.target;
  }
  Imported imported =
      MakeTranslation(model, vocabularies, weights.file(), search);
  imported.notes = std::move(notes);
  imported.dtypes = weights.matrix_dtypes();
  if (const std::string& path = marian.files.shortlist; !path.empty()) {
    MappedPair listed = vocabularies;  // Marian compares the files
    listed.same_tokens =
        marian.files.vocabularies.front() == marian.files.vocabularies.back();
    const MarianShortlist list =
        Unpacked(path).ends_with(".bin")
            ? ReadMarianShortlist(path)
            : ReadTextShortlist(path, listed, source_rows, target_rows,
                                marian.files.text_shortlist);
    imported.shortlist = std::make_shared<Shortlist>(
        MapShortlist(list, path, listed, source_rows, target_rows));
  }
  if (const std::string& path = marian.files.quality; !path.empty()) {
    dynamic_cast<translate::Model&>(*imported.model).quality =
        ParseQualityModel(ReadInflated(path), path);
  }
  WeightReader reader(weights, imported.model->parameters());
  fill(reader);
  FillTables(tables, vocabularies, reader);
  weights.SkipAllEnding(kMarianActivations);
  reader.CheckComplete();
  return imported;
}

Imported ImportTransformer(MarianModel& source) {
  SourceWeights& weights = source.weights;
  ImportOptions& options = source.options;
  Notes notes;
  MarianTransformer marian = ReadMarianTransformer(options, weights, notes);
  marian.has_activations = HasActivations(source);
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
  tables.student = marian.is_student();
  if (marian.has_activations) {
    tables.activations = OutputActivations(tables, weights);
  }
  weights.CheckCount(CountWeights(marian.config, tables.SourceRows(weights),
                                  tables.TargetRows(weights)));
  return ImportModel(
      source, model, tables, std::move(notes),
      [&](WeightReader& reader) { FillMarianTransformer(marian, reader); });
}

Imported ImportRecurrent(MarianModel& source) {
  SourceWeights& weights = source.weights;
  ImportOptions& options = source.options;
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
      source, model, tables, std::move(notes),
      [&](WeightReader& reader) { FillMarianRecurrent(marian, reader); });
}

}  // namespace

Imported ImportMarian(const std::string& source, const ImportRequest& request) {
  MarianFiles files = FindMarianFiles(source, request);
  const std::string& file = files.model;
  std::vector<MarianTensor> tensors;
  if (file.ends_with(".npz")) {
    for (NamedTensor& tensor : ReadNpz(file)) {
      tensors.push_back({std::move(tensor)});
    }
  } else {
    tensors = ReadMarianBinary(file);
  }
  ImportOptions options = TakeOptions(tensors, file);
  options.Ignore(request.ignored);
  SourceWeights weights = WeightsOf(std::move(tensors), file);
  if (weights.matrix_dtypes().contains("I8")) {
    weights.SetStorage({.dtype = request.storage.dtype});
  }
  MarianModel model = {std::move(weights), std::move(options),
                       std::move(files)};
  const std::string type =
      model.options.OneOf("type", "amun", {"transformer", "s2s", "amun"});
  Imported imported =
      type == "transformer" ? ImportTransformer(model) : ImportRecurrent(model);
  imported.program = "Marian";
  return imported;
}

}  // namespace heed
