#include "heed/convert/convert.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/convert/marian_package.h"
#include "heed/convert/weight_files.h"
#include "heed/io/file.h"
#include "heed/tasks/run.h"
#include "heed/train/model_folder.h"

namespace heed {

namespace {

/// The licence file of a folder; "" if there is none, or for a file.
std::string LicenceOf(const std::string& source) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(source, ignored)) {
    const std::string stem = Lowercase(entry.path().stem().string());
    if (entry.is_regular_file(ignored) &&
        (stem == "license" || stem == "licence" || stem == "copying")) {
      found.push_back(entry.path().string());
    }
  }
  return found.empty() ? "" : std::ranges::min(found);
}

/// Tells the user in which format matrices are stored; "" if they are in f32
/// in the source, too. `from`: formats of the source's matrices.
std::string FormatNote(const std::set<std::string>& from,
                       Auto<RunFormat> dtype) {
  const bool bf16 = from.contains("BF16");
  const bool all_bf16 = bf16 && from.size() == 1;
  if (from.contains("I8")) {
    return dtype.open() || dtype == RunFormat::kInt8
               ? "matrices are stored in int8, with the bytes of the source"
               : "matrices are stored with the values of the source's int8";
  }
  if (dtype == RunFormat::kInt8) {
    return "matrices are stored in int8, with a scale for each column";
  }
  if (dtype == RunFormat::kBF16 && !all_bf16) {
    return "matrices are rounded to bf16";
  }
  if (dtype == RunFormat::kF32 && bf16) {
    return "matrices are stored in f32, with the values of the source's bf16";
  }
  if (bf16) {
    return all_bf16
               ? "matrices are stored in bf16, as in the source"
               : "matrices are stored in bf16 where the source's are, else in "
                 "f32";
  }
  return from.contains("F16")
             ? "matrices are stored in f32, because bf16 would round the "
               "source's f16 (--dtype int8 takes a quarter of the memory)"
             : "";
}

/// Converts the matrices of an importer that does not do it itself.
void StoreMatrices(Auto<RunFormat> dtype, ParameterSet& parameters) {
  for (const auto& parameter : parameters.all()) {
    if (dtype == RunFormat::kBF16) parameter->StoreInBF16();
    if (dtype == RunFormat::kInt8) {
      parameter->SetPrecision(kernels::Precision::kInt8);
    }
  }
}

Imported ImportFrom(const std::string& source, const ImportRequest& request) {
  const bool folder = std::filesystem::is_directory(source);
  const bool config = std::filesystem::exists(PathIn(source, kConfigFile));
  if (!folder) RefuseForeignFile(source);
  if (!folder || (!config && IsMarianFolder(source))) {
    Imported imported = ImportMarian(source, request);
    StoreMatrices(request.storage.dtype, imported.model->parameters());
    return imported;
  }
  if (!request.vocabularies.empty() || !request.subwords.empty()) {
    throw ConfigError(
        "{}: {}: a folder of Hugging Face holds its own vocabularies",
        request.vocabularies.empty() ? "spm" : "vocab", source);
  }
  return ImportHuggingFace(source, request);
}

}  // namespace

Imported Import(const std::string& source, const ImportRequest& request) {
  Imported imported = ImportFrom(source, request);
  imported.licence = LicenceOf(source);
  const std::string note = FormatNote(imported.dtypes, request.storage.dtype);
  if (!note.empty()) imported.notes.push_back(note);
  return imported;
}

std::vector<std::string> FoldersToImport(const std::string& source) {
  return MarianFoldersIn(source);
}

void CheckOutIsOther(const std::string& source, const std::string& out) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(source, ignored) ||
      !std::filesystem::equivalent(source, out, ignored)) {
    return;
  }
  throw ConfigError(
      "--out {}: is the folder of the model to import; name another one", out);
}

namespace {

TrainingConfig TrainingOf(const std::string& folder, bool overwrite) {
  TrainingConfig training;
  training.run.out = folder;
  training.run.overwrite = overwrite;
  training.Resolve();
  return training;
}

Metadata MetadataOf(const Imported& imported) {
  Metadata metadata = {{"heed.step", "0"}, {kImportedKey, imported.program}};
  if (!imported.family.empty()) metadata[kFamilyKey] = imported.family;
  return metadata;
}

/// Writes all files but the weights.
void WriteOthers(const Imported& imported, TrainingConfig& training,
                 const OutFolder& out) {
  WriteSettings(*imported.settings, *imported.model, training, out);
  if (imported.shortlist) {
    imported.shortlist->Write(out.PathOf(kShortlistFile));
  }
  if (!imported.licence.empty()) {
    WriteFileAtomically(out.PathOf(kLicenceFile), ReadFile(imported.licence));
  }
}

}  // namespace

void WriteImported(const std::string& folder, bool overwrite, Imported& model) {
  TrainingConfig training = TrainingOf(folder, overwrite);
  OutFolder out(training.run);
  WriteOthers(model, training, out);
  WriteTensors(out.PathOf(kWeightsFile), model.model->parameters().Tensors(),
               MetadataOf(model));
  out.Publish();
}

Imported ImportInto(const std::string& folder, bool overwrite,
                    const std::string& source, ImportRequest request) {
  TrainingConfig training = TrainingOf(folder, overwrite);
  OutFolder out(training.run);
  WeightsWriter weights(out.PathOf(kWeightsFile));
  request.storage.writer = &weights;
  Imported imported = Import(source, request);
  const ParameterSet& parameters = imported.model->parameters();
  weights.Begin(parameters);
  for (const auto& parameter : parameters.all()) {
    if (!weights.Has(*parameter)) weights.Add(*parameter);
  }
  WriteOthers(imported, training, out);
  weights.Finish(MetadataOf(imported));
  out.Publish();
  return imported;
}

}  // namespace heed
