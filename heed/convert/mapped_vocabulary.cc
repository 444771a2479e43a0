#include "heed/convert/mapped_vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/io/yaml.h"
#include "heed/text/subwords.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Piece = SentencePieceModel::Piece;
using Type = SentencePieceModel::Type;

constexpr std::string_view kSpecials[] = {"<pad>", "<unk>", "<s>", "</s>"};
/// Score of a token with probability 0 in f32. A much lower score would distort
/// a label-smoothed loss, which averages all scores.
constexpr float kNeverWritten = -1e4F;

bool IsSpecial(std::string_view token) {
  return std::ranges::find(kSpecials, token) != std::end(kSpecials);
}

/// True if a word vocabulary can contain the token.
bool IsWord(const std::string& token) {
  return IsValidUtf8(token) && !IsSpecial(token) &&
         SplitWhitespace(token) == std::vector<std::string_view>{token};
}

void NoteLeftOut(const std::string& file, std::span<const std::string> tokens,
                 const char* why, Notes& notes) {
  constexpr size_t kShown = 5;
  if (tokens.empty()) return;
  const size_t shown = std::min(kShown, tokens.size());
  notes.push_back(fmt::format("{}: {} token{} left out, {}: '{}'{}", file,
                              tokens.size(), tokens.size() == 1 ? "" : "s", why,
                              fmt::join(tokens.first(shown), "', '"),
                              shown < tokens.size() ? ", ..." : ""));
}

void NoteUnnamedRows(const std::string& file, size_t tokens, int64_t rows,
                     Notes& notes) {
  const int64_t more = rows - static_cast<int64_t>(tokens);
  if (more <= 0) return;
  notes.push_back(fmt::format(
      "{}: {} tokens; {} further row{} of the model stand for none and {} left "
      "out",
      file, tokens, more, more == 1 ? "" : "s", more == 1 ? "is" : "are"));
}

MappedVocabulary WithRows(const TokenRows& tokens) {
  MappedVocabulary mapped;
  mapped.rows = {tokens.pad, tokens.unk, tokens.bos, tokens.eos};
  for (const auto& [text, row] : tokens.others) mapped.rows.push_back(row);
  mapped.copies = tokens.copies;
  return mapped;
}

// Marian's vocabularies

TokenRows RowsOfPieces(const SentencePieceModel& model, const std::string& path,
                       Notes& notes) {
  TokenRows tokens;
  std::vector<std::string> left_out;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
    const auto row = static_cast<int32_t>(i);
    if (piece.type == Type::kUnknown) {
      tokens.unk = row;
    } else if (piece.type == Type::kControl && piece.text == "</s>") {
      tokens.eos = row;
    } else if (IsSpecial(piece.text)) {
      left_out.push_back(piece.text);
    } else {
      tokens.others.emplace_back(piece.text, row);
    }
  }
  if (tokens.unk < 0 || tokens.eos < 0) {
    throw FormatError(path + ": has no token for " +
                      (tokens.unk < 0 ? "unknown text" : "</s>"));
  }
  NoteLeftOut(path, left_out, "Marian writes none of them", notes);
  return tokens;
}

/// Row of a token from its value in YAML or JSON.
int32_t RowFrom(const Json& value, const std::string& token,
                const std::string& path) {
  int64_t row = -1;
  if (value.is_number_integer()) {
    row = value.get<int64_t>();
  } else if (value.is_string()) {
    row = ParseInteger<int64_t>(value.get<std::string>()).value_or(-1);
  }
  if (row < 0 || row > INT32_MAX) {
    throw FormatError("{}: the id of '{}' is not a number from 0", path, token);
  }
  return static_cast<int32_t>(row);
}

std::vector<std::pair<int32_t, std::string>> SortedTokens(
    const Json& map, const std::string& path) {
  if (!map.is_object() || map.empty()) {
    throw FormatError(path + ": not a map from tokens to ids");
  }
  std::vector<std::pair<int32_t, std::string>> tokens;
  for (const auto& [token, value] : map.items()) {
    tokens.emplace_back(RowFrom(value, token, path), token);
  }
  std::ranges::sort(tokens);
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].first == tokens[i - 1].first) {
      throw FormatError("{}: '{}' and '{}' have the same id {}", path,
                        tokens[i - 1].second, tokens[i].second,
                        tokens[i].first);
    }
  }
  return tokens;
}

std::vector<std::pair<int32_t, std::string>> ReadTokens(
    const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".yml" || extension == ".yaml") {
    return SortedTokens(ParseYaml(ReadFile(path), path), path);
  }
  if (extension == ".json") {
    return SortedTokens(ParseJson(ReadFile(path), path), path);
  }
  CheckRegular(path);
  std::vector<std::pair<int32_t, std::string>> tokens;
  for (std::string& line : ReadLines(path)) {
    line.resize(std::min(line.find('\t'), line.size()));  // without the score
    tokens.emplace_back(static_cast<int32_t>(tokens.size()), std::move(line));
  }
  return tokens;
}

/// Row of a special token: found by its name, or at `row` if Nematus' name for
/// it is there or the row is unnamed.
int32_t SpecialRow(std::span<const std::pair<int32_t, std::string>> tokens,
                   const char* name, const char* nematus, int32_t row,
                   const std::string& path) {
  bool named = false;
  int32_t found = TokenRows::kNone;
  for (const auto& [id, token] : tokens) {
    if (id == row) {
      if (token == nematus) return id;
      named = true;
    }
    if (token == name) found = id;
  }
  if (found >= 0) return found;
  if (!named) return row;
  throw FormatError("{}: has no token {}", path, name);
}

TokenRows RowsOfWords(const std::string& path, int64_t rows, Notes& notes) {
  const auto all = ReadTokens(path);
  TokenRows tokens;
  tokens.eos = SpecialRow(all, "</s>", "eos", 0, path);
  tokens.unk = SpecialRow(all, "<unk>", "UNK", 1, path);
  std::vector<std::string> no_words;
  std::vector<std::string> no_rows;
  std::set<std::string> seen;
  for (const auto& [row, token] : all) {
    if (row == tokens.eos || row == tokens.unk) continue;
    if (row >= rows) {
      no_rows.push_back(token);
    } else if (!IsWord(token) || !seen.insert(token).second) {
      no_words.push_back(token);
    } else {
      tokens.others.emplace_back(token, row);
    }
  }
  NoteUnnamedRows(path, all.size(), rows, notes);
  NoteLeftOut(path, no_rows, "the model has no row for them", notes);
  NoteLeftOut(path, no_words, "no words of their own", notes);
  return tokens;
}

// Hugging Face's vocabularies

/// Pieces by text.
using PieceMap = std::map<std::string_view, const Piece*>;

PieceMap MapOf(const SentencePieceModel& model) {
  PieceMap map;
  for (const Piece& piece : model.pieces) {
    if (piece.type != Type::kUnknown && !IsSpecial(piece.text)) {
      map.emplace(piece.text, &piece);
    }
  }
  return map;
}

TokenRows RowsOfIds(const TokenIds& tokens, const TokenRows& special,
                    std::span<const SentencePieceModel* const> models,
                    int64_t rows, Notes& notes) {
  TokenRows result = special;
  std::vector<std::pair<int32_t, std::string>> sorted;
  for (const auto& [token, id] : tokens.ids) sorted.emplace_back(id, token);
  std::ranges::sort(sorted);
  std::vector<std::string> left_out;
  std::set<std::string> seen;
  for (const auto& [id, token] : sorted) {
    if (id >= rows) {
      throw FormatError(
          "{}: '{}' has id {}, but the model has {} "
          "rows",
          tokens.file, token, id, rows);
    }
    if (id == special.pad || id == special.unk || id == special.bos ||
        id == special.eos) {
      continue;
    }
    if (IsSpecial(token)) {
      left_out.push_back(token);
      continue;
    }
    result.others.emplace_back(token, id);
    seen.insert(token);
    if (IsLanguageMark(token)) seen.insert(std::string(kSpaceMark) + token);
  }
  NoteUnnamedRows(tokens.file, tokens.ids.size(), rows, notes);
  NoteLeftOut(tokens.file, left_out, "Heed has tokens of that name", notes);
  for (const SentencePieceModel* model : models) {
    for (const Piece& piece : model->pieces) {
      if (piece.type == Type::kUnknown || piece.type == Type::kControl ||
          IsSpecial(piece.text) || !seen.insert(piece.text).second) {
        continue;
      }
      result.others.emplace_back(piece.text, special.unk);
      ++result.copies;
    }
  }
  return result;
}

/// Ids of pieces, with the special tokens.
struct NumberedPieces {
  TokenIds tokens;
  TokenRows special;
};

/// Selects the tokens whose ids are below `rows`, the rows of the embedding.
NumberedPieces NumberedPiecesOf(const TokenIds& all, int64_t rows,
                                Notes& notes) {
  std::vector<std::pair<int32_t, std::string>> sorted;
  std::vector<std::string> no_rows;
  NumberedPieces result;
  result.tokens.file = all.file;
  for (const auto& [token, id] : all.ids) {
    if (id >= rows) {
      no_rows.push_back(token);
      continue;
    }
    sorted.emplace_back(id, token);
    result.tokens.ids.emplace(token, id);
  }
  NoteLeftOut(all.file, no_rows, "the model has no row for them", notes);
  result.special.eos = SpecialRow(sorted, "</s>", "eos", 0, all.file);
  result.special.unk = SpecialRow(sorted, "<unk>", "UNK", 1, all.file);
  return result;
}

}  // namespace

bool IsLanguageMark(std::string_view token) {
  return token.size() > 4 && token.starts_with(">>") && token.ends_with("<<");
}

Tensor MappedVocabulary::Biases(const Tensor& bias) const {
  Tensor result({size()});
  for (int id = 0; id < size(); ++id) {
    const int32_t row = At(rows, id);
    // Each row has only one output.
    const bool copy = static_cast<size_t>(id) + copies >= rows.size() ||
                      (id == kBos && row == rows[kPad]);
    const bool written = row >= 0 && !copy;
    result.data<float>()[id] =
        written ? bias.data<float>()[row] : kNeverWritten;
  }
  return result;
}

MappedVocabulary MapWords(const TokenRows& tokens) {
  MappedVocabulary mapped = WithRows(tokens);
  for (std::string_view special : kSpecials) {
    mapped.bytes += special;
    mapped.bytes += '\n';
  }
  for (const auto& [text, row] : tokens.others) mapped.bytes += text + "\n";
  return mapped;
}

MappedVocabulary MapSubwords(const TokenRows& tokens,
                             const SentencePieceModel& model) {
  MappedVocabulary mapped = WithRows(tokens);
  mapped.kind = model.bpe ? VocabularyKind::kBpe : VocabularyKind::kUnigram;
  SentencePieceModel ours = model;
  ours.pieces.clear();
  for (std::string_view special : kSpecials) {
    ours.pieces.push_back(
        {std::string(special), 0,
         special == "<unk>" ? Type::kUnknown : Type::kControl});
  }
  const PieceMap known = MapOf(model);
  for (const auto& [text, row] : tokens.others) {
    const auto found = known.find(text);
    if (found != known.end()) {
      ours.pieces.push_back(*found->second);
    } else if (IsLanguageMark(text)) {
      // Encoded text has a space mark before the language mark, so the piece
      // includes it.
      ours.pieces.push_back(
          {std::string(kSpaceMark) + text, 0, Type::kUserDefined});
    } else {
      ours.pieces.push_back({text, 0, Type::kControl});
    }
  }
  mapped.bytes = ours.Serialize();
  return mapped;
}

MappedVocabulary ReadMarianVocabulary(const std::string& path, int64_t rows,
                                      Notes& notes) {
  const std::string extension =
      std::filesystem::path(Unpacked(path)).extension();
  if (extension == ".fsv") {
    throw FormatError(path + ": factored vocabularies are not supported");
  }
  MappedVocabulary mapped;
  if (extension == ".spm") {
    const auto model = SentencePieceModel::Parse(ReadInflated(path), path);
    if (std::ssize(model.pieces) > rows) {
      throw FormatError("{}: has {} tokens, but the model {} rows", path,
                        model.pieces.size(), rows);
    }
    NoteUnnamedRows(path, model.pieces.size(), rows, notes);
    mapped = MapSubwords(RowsOfPieces(model, path, notes), model);
  } else {
    mapped = MapWords(RowsOfWords(path, rows, notes));
  }
  if (std::ranges::max(mapped.rows) >= rows) {
    throw FormatError(
        "{}: </s> and <unk> are not among the {} "
        "rows of the model",
        path, rows);
  }
  return mapped;
}

void CheckPieces(const std::string& path, int64_t rows) {
  const auto model = SentencePieceModel::Parse(ReadInflated(path), path);
  if (std::ssize(model.pieces) == rows) return;
  throw FormatError("{}: has {} tokens, but the model {} rows", path,
                    model.pieces.size(), rows);
}

std::string Unpacked(const std::string& path) {
  for (const std::string_view end : {".gz", ".zst"}) {
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  }
  return path;
}

TokenIds ParseTokenIds(const std::string& json, const std::string& file) {
  TokenIds tokens;
  tokens.file = file;
  for (const auto& [id, token] : SortedTokens(ParseJson(json, file), file)) {
    tokens.ids.emplace(token, id);
  }
  return tokens;
}

TokenIds ReadTokenIds(const std::string& path) {
  TokenIds tokens;
  tokens.file = path;
  for (const auto& [id, token] : ReadTokens(path)) {
    tokens.ids.emplace(token, id);
  }
  return tokens;
}

MappedPair MapMarianPieces(const TokenIds& source_ids,
                           const TokenIds& target_ids,
                           const SentencePieceModel& source,
                           const SentencePieceModel& target,
                           int64_t source_rows, int64_t target_rows,
                           Notes& notes) {
  const NumberedPieces of_source =
      NumberedPiecesOf(source_ids, source_rows, notes);
  if (source_ids.ids == target_ids.ids) {
    return MapJoint(of_source.tokens, of_source.special, source, target,
                    std::min(source_rows, target_rows), notes);
  }
  const NumberedPieces of_target =
      NumberedPiecesOf(target_ids, target_rows, notes);
  return {
      MapOwn(of_source.tokens, of_source.special, source, source_rows, notes),
      MapOwn(of_target.tokens, of_target.special, target, target_rows, notes)};
}

MappedPair MapJoint(const TokenIds& tokens, const TokenRows& special,
                    const SentencePieceModel& source,
                    const SentencePieceModel& target, int64_t rows,
                    Notes& notes) {
  const SentencePieceModel* models[] = {&source, &target};
  const TokenRows both = RowsOfIds(tokens, special, models, rows, notes);
  return {MapSubwords(both, source), MapSubwords(both, target),
          /*same_tokens=*/true};
}

MappedVocabulary MapOwn(const TokenIds& tokens, const TokenRows& special,
                        const SentencePieceModel& model, int64_t rows,
                        Notes& notes) {
  const SentencePieceModel* models[] = {&model};
  return MapSubwords(RowsOfIds(tokens, special, models, rows, notes), model);
}

}  // namespace heed
