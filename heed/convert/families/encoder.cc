#include "heed/convert/families/encoder.h"

#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"
#include "heed/convert/bert_tokenizer.h"
#include "heed/convert/file_tokenizer.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/translation_parts.h"
#include "heed/convert/weight_files.h"

namespace heed {
namespace {

std::string NoteOfRows(const std::string& file, int64_t tokens, int64_t more) {
  return more == 1 ? fmt::format(
                         "{}: {} tokens; 1 further row of the model stands "
                         "for none and is left out",
                         file, tokens)
                   : fmt::format(
                         "{}: {} tokens; {} further rows of the model stand "
                         "for none and are left out",
                         file, tokens, more);
}

/// Adds row 0 of the table of types to each row of a table.
void AddFirstType(OpenedEncoder& from, Tensor& table) {
  const Tensor types =
      from.weights.Take(from.names.types, {from.options.types, table.dim(1)});
  for (int64_t p = 0; p < table.dim(0); ++p) {
    float* row = table.row<float>(p);
    for (int64_t m = 0; m < table.dim(1); ++m) row[m] += types.data<float>()[m];
  }
}

}  // namespace

OpenedEncoder OpenEncoder(const std::string& folder, ImportOptions& options,
                          const EncoderFamily& family,
                          const WeightStorage& storage) {
  SkipGeneral(options);
  EncoderSizes read = family.read(options);
  if (read.config.max_positions < 1) {
    options.Fail("max_position_embeddings",
                 fmt::format("leaves no position behind the {} rows of "
                             "padding",
                             read.unused_positions));
  }
  read.tied = options.Flag("tie_word_embeddings", true);
  options.CheckAllUnderstood();
  SourceWeights weights = OpenSourceWeights(folder, storage);
  weights.CheckCount(CountWeights(read.config, read.rows, 0));
  std::string prefix =
      weights.Has("embeddings.word_embeddings.weight") ? "" : family.prefix;
  EncoderNames names = family.names(prefix, read.config.layers);
  // Buffers of old files.
  weights.Skip(prefix + "embeddings.position_ids");
  weights.Skip(prefix + "embeddings.token_type_ids");
  return {family,          options.file(),   std::move(prefix),
          std::move(read), std::move(names), std::move(weights)};
}

EncoderTokenizer ReadEncoderTokenizer(const std::string& folder,
                                      const ImportOptions& config,
                                      int64_t rows) {
  if (HasWordPiece(folder)) {
    CheckTokenizerClass(config);
    BertTokenizer read = ReadBertTokenizer(folder);
    EncoderTokenizer tokenizer = {
        Vocabulary::Parse(read.vocabulary, read.kind, read.file), read.file,
        std::move(read.notes)};
    if (tokenizer.vocabulary.size() > rows) {
      throw FormatError("{}: has {} tokens, but vocab_size is {}",
                        tokenizer.file, tokenizer.vocabulary.size(), rows);
    }
    return tokenizer;
  }
  Notes notes;
  Vocabulary vocabulary =
      ReadFileTokenizer(folder, TokenizerUse::kEncode, rows, notes);
  std::string file = PathIn(folder, kTokenizerFile);
  const SpecialIds& special = vocabulary.special();
  if (special.bos < 0 || special.eos < 0) {
    throw FormatError(
        "{}: post_processor: a text of an encoder stands between two special "
        "tokens, such as <s> and </s>, but here there is none {} it",
        file, special.bos < 0 ? "before" : "behind");
  }
  return {std::move(vocabulary), std::move(file), std::move(notes)};
}

TextVocabularyConfig VocabularyConfigOf(const Vocabulary& vocabulary) {
  TextVocabularyConfig config;
  config.vocabulary = Name(vocabulary.kind());
  config.vocabulary_size = vocabulary.size();
  if (vocabulary.kind() == VocabularyKind::kTokenizer) {
    config.normalization = Name(Normalization::kIdentity);
  }
  return config;
}

void FillEncoder(OpenedEncoder& from, const std::string& tokens_file,
                 WeightReader& reader, Notes& notes) {
  const EncoderSizes& options = from.options;
  const EncoderNames& names = from.names;
  const int64_t width = options.config.width;
  const std::string ours = "encoder.embedding.weight";
  const int64_t tokens = reader.ShapeOf(ours)[0];
  Tensor words = TakeShared(from.weights, {names.words, names.word_scores},
                            {options.rows, width});
  if (tokens < options.rows) {
    notes.push_back(NoteOfRows(tokens_file, tokens, options.rows - tokens));
    words = words.Slice(0, tokens).Clone();
  }
  reader.Set(ours, std::move(words));
  const int64_t unused = options.unused_positions;
  const int64_t positions = options.config.max_positions + unused;
  Tensor table = from.weights.TakeStored(names.positions, {positions, width});
  if (unused > 0) table = table.Slice(unused, positions).Clone();
  if (options.config.segment_embeddings) {
    reader.Set("encoder.segments.weight",
               from.weights.TakeStored(names.types, {options.types, width}));
  } else if (options.types > 0) {
    table = table.To(DType::kF32);  // bf16 cannot hold the sums
    AddFirstType(from, table);
  }
  reader.Set("encoder.positions.weight", std::move(table));
  reader.Read(names.layers, kHuggingFaceLayout);
}

}  // namespace heed
