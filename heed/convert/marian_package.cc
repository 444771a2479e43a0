#include "heed/convert/marian_package.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"
#include "heed/io/yaml.h"
#include "heed/text/subwords.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDecoderFile = "decoder.yml";
/// Configurations of the decoder in a folder; the first one found is read. The
/// last ones are those of browsermt and translateLocally.
constexpr const char* kDecoderFiles[] = {
    kDecoderFile, "config.intgemm8bitalpha.yml", "config.intgemm8bit.yml"};
constexpr const char* kMetadataFile = "metadata.json";  // of Firefox
constexpr const char* kShortlistOption = "shortlist";
constexpr const char* kQualityName = "qualityModel.";
constexpr std::string_view kBpeMark = "@@";  // suffix of a piece in subword-nmt

/// Sorted names of a folder's entries, without packed copies of others.
std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  // Programs that unpack a file may leave the packed one.
  const std::vector<std::string> all = names;
  std::erase_if(names, [&](const std::string& name) {
    return Unpacked(name) != name &&
           std::ranges::binary_search(all, Unpacked(name));
  });
  return names;
}

bool HasFileIn(const std::string& folder, const std::string& name) {
  return fs::is_regular_file(PathIn(folder, name));
}

bool Holds(const std::string& name, std::string_view part) {
  return name.find(part) != std::string::npos;
}

/// True for the name of a Marian model. Excludes training states and weights of
/// other programs.
bool IsModelName(const std::string& name) {
  if (Holds(name, ".optimizer.") || Holds(name, ".orig.") ||
      Holds(name, "pytorch_model") || name.starts_with("lex.") ||
      name.starts_with(kQualityName)) {
    return false;
  }
  return name.ends_with(".npz") || Unpacked(name).ends_with(".bin");
}

bool IsVocabularyName(const std::string& given) {
  const std::string name = Unpacked(given);
  // Releases of Firefox: vocab.ende.spm, srcvocab.enja.spm, trgvocab.enja.spm.
  if (Holds(name, "vocab.") && name.ends_with(".spm")) return true;
  for (const char* end :
       {"vocab.yml", "vocab.yaml", "vocab.json", ".vocab", "vocab.spm"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

std::string FolderOf(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Path of a file that a configuration in `folder` names, which may be a path
/// on another machine.
std::string Locate(const std::string& named, const std::string& folder) {
  const std::string places[] = {
      PathIn(folder, named), named,
      PathIn(folder, fs::path(named).filename().string())};
  for (const std::string& place : places) {
    if (fs::is_regular_file(place)) return place;
  }
  return "";
}

ImportOptions ReadDecoder(const std::string& path) {
  return {ParseYaml(ReadFile(path), path), path};
}

/// Configuration of the decoder; empty if there is none.
ImportOptions DecoderOf(const std::string& model) {
  std::vector<std::string> paths = {model + "." + kDecoderFile};
  for (const char* name : kDecoderFiles) {
    paths.push_back(PathIn(FolderOf(model), name));
  }
  for (const std::string& path : paths) {
    if (fs::exists(path)) return ReadDecoder(path);
  }
  return {nlohmann::json::object(), model + "." + kDecoderFile};
}

/// Settings of a release of Firefox; empty if there are none.
ImportOptions ReleaseOf(const std::string& model) {
  const std::string path = PathIn(FolderOf(model), kMetadataFile);
  if (!fs::exists(path)) return {nlohmann::json::object(), path};
  const nlohmann::json config = ReadJsonOptions(path).Value("modelConfig");
  return {config.is_object() ? config : nlohmann::json::object(),
          path + ": modelConfig"};
}

std::vector<std::string> TextsOf(const ImportOptions& options,
                                 const std::string& key) {
  std::vector<std::string> texts;
  const nlohmann::json list = options.Value(key);
  if (!list.is_array()) return texts;
  for (const nlohmann::json& text : list) {
    if (!text.is_string()) options.Fail(key, "an element is not a path");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

/// The only model of a folder, or the one in its decoder's configuration.
std::string ModelIn(const std::string& folder) {
  std::vector<std::string> models;
  std::string missing;
  std::string file;  // that names it
  for (const char* name : kDecoderFiles) {
    if (!models.empty() || !HasFileIn(folder, name)) continue;
    const std::string path = PathIn(folder, name);
    for (const std::string& named : TextsOf(ReadDecoder(path), "models")) {
      const std::string found = Locate(named, folder);
      if (found.empty()) {
        missing = named;
        file = path;
      } else {
        models.push_back(found);
      }
    }
  }
  if (models.empty()) {
    for (const std::string& name : NamesIn(folder)) {
      if (IsModelName(name)) models.push_back(PathIn(folder, name));
    }
  }
  if (models.size() == 1 && !missing.empty()) {
    Warn(
        fmt::format("{}: names the model {}, which is neither there nor in the "
                    "folder; {} is read",
                    file, missing, models[0]));
  }
  if (models.size() == 1) return models[0];
  if (models.empty()) {
    throw ConfigError(
        "{}: holds no model of Marian (.npz or .bin); name one: heed import "
        "FILE",
        folder);
  }
  throw ConfigError(
      "{}: holds {} models of Marian ({}); name one: heed import FILE", folder,
      models.size(), fmt::join(models, ", "));
}

bool IsBinary(const std::string& name) {
  return Unpacked(name).ends_with(".bin");
}

/// The shortlist of a model: the one of the configuration [FILE, ...], else one
/// in the folder, preferably binary; "" if there is none.
std::string ShortlistOf(const std::string& model,
                        const ImportOptions& decoder) {
  const std::string folder = FolderOf(model);
  const nlohmann::json named = decoder.Value(kShortlistOption);
  if (named.is_array() && !named.empty() && named[0].is_string()) {
    std::string found = Locate(named[0].get<std::string>(), folder);
    if (!found.empty()) return found;
  }
  std::vector<std::string> found;
  for (const std::string& name : NamesIn(folder)) {
    if (name.starts_with("lex.") &&
        (IsBinary(name) || Unpacked(name).ends_with(".s2t"))) {
      found.push_back(PathIn(folder, name));
    }
  }
  if (found.empty()) return "";
  const auto binary = std::ranges::find_if(found, IsBinary);
  return binary == found.end() ? found.front() : *binary;
}

/// Numbers of [FILE, first, best] in the configuration. Throws: FormatError.
TextShortlistOptions TextShortlistOf(const ImportOptions& decoder) {
  TextShortlistOptions options;
  const nlohmann::json named = decoder.Value(kShortlistOption);
  const auto read = [&](size_t i, int& number) {
    if (!named.is_array() || named.size() <= i) return;
    const auto given = ParseInteger<int>(
        named[i].is_string() ? named[i].get<std::string>() : "");
    if (!given || *given < 0) {
      decoder.Fail(kShortlistOption, fmt::format("{} is no number of tokens",
                                                 ValueText(named[i])));
    }
    number = *given;
  };
  read(1, options.first);
  read(2, options.best);
  return options;
}

/// The quality model beside a model; "" if there is none.
std::string QualityOf(const std::string& model) {
  const std::string folder = FolderOf(model);
  for (const std::string& name : NamesIn(folder)) {
    if (name.starts_with(kQualityName) && Unpacked(name).ends_with(".bin")) {
      return PathIn(folder, name);
    }
  }
  return "";
}

/// Files that look like vocabularies; used without a configuration.
std::vector<std::string> VocabulariesIn(const std::string& folder) {
  std::vector<std::string> found;
  for (const std::string& name : NamesIn(folder)) {
    if (IsVocabularyName(name)) found.push_back(name);
  }
  const auto of_source = [](const std::string& name) {
    return Holds(name, "src") || Holds(name, "source");
  };
  if (found.size() == 2) {
    std::stable_partition(found.begin(), found.end(), of_source);
    if (!of_source(found[0]) || of_source(found[1])) found.clear();
  }
  if (found.size() > 2) found.clear();
  for (std::string& name : found) name = PathIn(folder, name);
  return found;
}

std::vector<std::string> NamedVocabularies(const std::string& model,
                                           const ImportOptions& decoder) {
  const std::string folder = FolderOf(model);
  std::vector<std::string> paths;
  for (const std::string& named : TextsOf(decoder, "vocabs")) {
    paths.push_back(Locate(named, folder));
    if (!paths.back().empty()) continue;
    throw IoError(
        "{}: names the vocabulary {}, which is neither there nor in the "
        "model's folder; give the vocabularies with --vocab SOURCE --vocab "
        "TARGET",
        decoder.file(), named);
  }
  if (paths.empty()) paths = VocabulariesIn(folder);
  if (paths.empty()) {
    throw ConfigError(
        "{} names no vocabularies; give them with --vocab SOURCE --vocab "
        "TARGET",
        decoder.file());
  }
  return paths;
}

/// True if any token satisfies `is`.
bool HasToken(const TokenIds& tokens, bool (*is)(const std::string& token)) {
  return std::ranges::any_of(
      tokens.ids, [is](const auto& token) { return is(token.first); });
}

bool IsPiece(const std::string& token) { return token.starts_with(kSpaceMark); }
bool IsBpePiece(const std::string& token) {
  return token.size() > kBpeMark.size() && token.ends_with(kBpeMark);
}

/// Throws: FormatError if the tokens are parts of words, but no file splits
/// words into them.
void CheckDivides(const MarianFiles& files, const TokenIds& tokens,
                  Notes& notes) {
  const bool pieces = HasToken(tokens, IsPiece);
  if (!pieces && HasFileIn(FolderOf(files.model), "source.bpe")) {
    throw FormatError(
        "{}: its tokens are parts of words by byte-pair encoding (subword-nmt, "
        "files source.bpe and target.bpe), which Heed does not apply; take a "
        "SentencePiece (spm) release of the model, or import with --spm none "
        "and translate text that Moses' tokenizer and subword-nmt have divided",
        tokens.file);
  }
  if (!pieces && HasToken(tokens, IsBpePiece)) {
    notes.push_back(fmt::format(
        "{}: its tokens are parts of words (subword-nmt), which Heed does not "
        "divide texts into; translate text that subword-nmt has divided",
        tokens.file));
  }
  if (files.subwords.empty() && pieces) {
    throw FormatError(
        "{}: its tokens are pieces of SentencePiece, but source.spm and "
        "target.spm are not beside {}; give them with --spm SOURCE --spm "
        "TARGET, or import with --spm none for text that comes in pieces",
        tokens.file, files.model);
  }
}

MappedPair ReadPieces(const MarianFiles& files, const TokenIds& source,
                      const TokenIds& target, int64_t source_rows,
                      int64_t target_rows, Notes& notes) {
  if (HasFileIn(FolderOf(files.model), "preprocess.sh")) {
    notes.push_back(
        "preprocess.sh: normalises punctuation by Moses' scripts, which Heed "
        "does not; its SentencePiece models are applied");
  }
  const auto model = [](const std::string& path) {
    return SentencePieceModel::Parse(ReadFile(path), path);
  };
  const SentencePieceModel of_source = model(files.subwords.front());
  const SentencePieceModel of_target = model(files.subwords.back());
  return MapMarianPieces(source, target, of_source, of_target, source_rows,
                         target_rows, notes);
}

}  // namespace

bool IsMarianFolder(const std::string& folder) {
  return HasFileIn(folder, kDecoderFile) ||
         std::ranges::any_of(NamesIn(folder), IsModelName);
}

std::vector<std::string> MarianFoldersIn(const std::string& folder) {
  std::vector<std::string> folders;
  if (!fs::is_directory(folder) || IsMarianFolder(folder) ||
      HasFileIn(folder, kConfigFile)) {
    return folders;
  }
  for (const std::string& name : NamesIn(folder)) {
    const std::string path = PathIn(folder, name);
    if (fs::is_directory(path) && IsMarianFolder(path)) folders.push_back(path);
  }
  return folders;
}

LanguagePair LanguagesOfModel(const std::string& model) {
  const std::string folder = FolderOf(model);
  LanguagePair pair;
  if (HasFileIn(folder, kMetadataFile)) {
    ImportOptions release = ReadJsonOptions(PathIn(folder, kMetadataFile));
    pair = {release.Text("sourceLanguage", ""),
            release.Text("targetLanguage", "")};
  } else if (HasFileIn(folder, "model_info.json")) {
    ImportOptions info = ReadJsonOptions(PathIn(folder, "model_info.json"));
    const nlohmann::json tags = info.Value("srcTags");
    if (tags.is_object() && tags.size() == 1) {
      pair = {tags.begin().key(), info.Text("trgTag", "")};
    }
  } else {
    // model.ende.intgemm.alphas.bin
    const std::string file = fs::path(model).filename().string();
    const std::vector<std::string_view> parts = SplitAt(file, ".");
    if (parts.size() > 2 && parts[1].size() == 4) {
      pair = {std::string(parts[1].substr(0, 2)),
              std::string(parts[1].substr(2))};
    }
  }
  for (const std::string& code : {pair.source, pair.target}) {
    if (!IsLanguageCode(code) || !IsKnownLanguage(LanguageCode(code)))
      return {};
  }
  return pair;
}

MarianFiles FindMarianFiles(const std::string& source,
                            const ImportRequest& request) {
  const std::string model = fs::is_directory(source) ? ModelIn(source) : source;
  CheckRegular(model);
  MarianFiles files = {.model = model,
                       .vocabularies = request.vocabularies,
                       .subwords = request.subwords,
                       .decoder = DecoderOf(model),
                       .release = ReleaseOf(model),
                       .quality = QualityOf(model)};
  files.shortlist = ShortlistOf(model, files.decoder);
  if (!files.shortlist.empty() && !IsBinary(files.shortlist)) {
    files.text_shortlist = TextShortlistOf(files.decoder);
  }
  if (files.vocabularies.empty()) {
    files.vocabularies = NamedVocabularies(model, files.decoder);
  }
  for (const auto* paths : {&files.vocabularies, &files.subwords}) {
    if (paths->size() <= 2) continue;
    throw ConfigError(
        "{} {}: Heed translates from one text to one other", paths->size(),
        paths == &files.subwords ? "SentencePiece models" : "vocabularies");
  }
  files.divided = files.subwords == std::vector<std::string>{"none"};
  if (files.divided) files.subwords.clear();
  const std::string folder = FolderOf(model);
  if (!files.divided && files.subwords.empty() &&
      HasFileIn(folder, "source.spm") && HasFileIn(folder, "target.spm")) {
    files.subwords = {PathIn(folder, "source.spm"),
                      PathIn(folder, "target.spm")};
  }
  return files;
}

MappedPair ReadMarianVocabularies(const MarianFiles& files, int64_t source_rows,
                                  int64_t target_rows, Notes& notes) {
  const std::string& source = files.vocabularies.front();
  const std::string& target = files.vocabularies.back();
  const auto has_ids = [](const std::string& path) {
    const std::string name = Unpacked(path);
    return !name.ends_with(".spm") && !name.ends_with(".fsv");
  };
  if (has_ids(source) && has_ids(target) && !files.divided) {
    const TokenIds source_ids = ReadTokenIds(source);
    const TokenIds target_ids =
        source == target ? source_ids : ReadTokenIds(target);
    for (const TokenIds* ids : {&source_ids, &target_ids}) {
      CheckDivides(files, *ids, notes);
    }
    if (HasToken(source_ids, IsPiece) || HasToken(target_ids, IsPiece)) {
      return ReadPieces(files, source_ids, target_ids, source_rows, target_rows,
                        notes);
    }
  }
  MappedPair pair;
  pair.source = ReadMarianVocabulary(source, source_rows, notes);
  if (source == target) {
    pair.target = pair.source;
    pair.same_tokens = true;
    if (source_rows == target_rows) return pair;
  }
  pair.target = ReadMarianVocabulary(target, target_rows, notes);
  pair.same_tokens = pair.source.bytes == pair.target.bytes;
  const auto is_words = [](const MappedVocabulary& v) {
    return v.kind == VocabularyKind::kWords;
  };
  if (is_words(pair.source) != is_words(pair.target)) {
    throw FormatError(
        "{} and {}: Heed needs words or SentencePiece on both sides", source,
        target);
  }
  return pair;
}

}  // namespace heed
