// heed translate: translates standard input to standard output, line by line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "apps/heed/views.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/input_lines.h"
#include "heed/decode/divided_lines.h"
#include "heed/decode/document_translation.h"
#include "heed/decode/translator.h"
#include "heed/io/file.h"
#include "heed/render/alignment_file.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"

namespace heed {
namespace {

constexpr int kErrors = 2;  // the descriptor of standard error

// Flushes after each group of lines, so that a reader at the end of a pipe does
// not wait.
void Flush() {
  if (std::fflush(stdout) != 0) {
    throw IoError("standard output: cannot be written");
  }
}

/// Segmentation of standard input.
struct DocumentOptions {
  std::string format = "lines";
  std::string language;

  void Visit(FieldList& v) {
    v.Section("Documents");
    v("format", format, OneOf{"lines", "text", "html", "markdown"},
      "lines: each line is a sentence; text, html, markdown: split a document "
      "into sentences and reassemble their translations, keeping placeholders, "
      "tags and Markdown");
    v("text_language", language, Any{"CODE"},
      "language of a document, for abbreviations that do not end a sentence "
      "(default: from the suffixes of the training files)");
  }

  /// Format of documents; nullopt for single lines.
  std::optional<TextFormat> Format() const {
    const auto words = WordsOf(TextFormat());
    const auto found = std::ranges::find(words, format);
    if (found == words.end()) return std::nullopt;
    return static_cast<TextFormat>(found - words.begin());
  }

  /// Throws: ConfigError for options that documents do not support.
  void CheckOthers(bool attention, bool parts) const {
    if (!Format() || (!attention && !parts)) return;
    throw ConfigError(
        "--format {}: documents have no --alignments, --show-attention, "
        "--nbest, --confidence or --output json; leave --format out for single "
        "lines",
        format);
  }
};

/// Translates standard input as a document: lines of text in groups, markup as
/// a whole.
void TranslateDocuments(const Translator& translator, TextFormat format,
                        const SplitOptions& split, const InputOptions& input,
                        const TargetChoice& target) {
  const auto translate = [&](const std::string& document) {
    Print("{}", TranslateDocument(translator, document, format, split, target));
    Flush();
  };
  if (format != TextFormat::kText) {
    const std::string document(std::istreambuf_iterator<char>(std::cin), {});
    if (!IsValidUtf8(document)) {
      throw FormatError("standard input: is not UTF-8; convert it first");
    }
    return translate(document);
  }
  AnswerLines(
      std::cin, kTranslatedTogether, input,
      [&](const std::vector<std::string>& lines, int64_t /*first*/) {
        translate(fmt::format("{}\n", fmt::join(lines, "\n")));
      },
      [](int64_t /*index*/, const std::string& /*reason*/) {
        Print("\n");
        Flush();
      });
}

/// All options of the command.
struct TranslateCommand {
  std::string folder;
  std::string alignments;
  RunOptions run;
  bool show = false;
  translate::Prediction decode;
  std::string output = "text";
  DocumentOptions documents;
  InputOptions input;

  TranslateCommand() {
    input.long_lines = LongLines::kWhole;
    input.max_line = kLongestLine;
    input.columns = {"source"};
  }
  bool json() const { return output == "json"; }
  void Visit(Options& options);
};

void TranslateCommand::Visit(Options& options) {
  options.ModelFolder(folder);
  FieldList& v = options.fields();
  decode.Visit(v);
  documents.Visit(v);
  v.Section("Attention");
  v("alignments", alignments, Any{"FILE"},
    "write the attention of each translation: .svg, .html or .json between "
    "subword tokens, .pharaoh as links i-j between words, from 0");
  v("show_attention", show,
    "draw the attention of each sentence on standard error");
  input.Visit(v);
  v("output", output, OneOf{"text", "json"},
    "json: an object on each line: text, score, tokens with probabilities, "
    "links of words, alternatives");
  v.Section("Run");
  run.Visit(v);
  options.Example("heed translate model < test.en > test.de");
  options.Example(
      "echo 'a man rides a horse' | heed translate model --show-attention");
  options.Example("heed translate many --to fra < test.en > test.fr");
  options.Example(
      "heed translate model --nbest 5 --alignments look.html < test.en");
  options.Example(
      "heed translate model --format markdown < README.md > README.de.md");
}

/// Uses the model's rules, except for those on the command line.
void UseRulesOf(const translate::Model& model, const Options& options,
                DecodeRules& rules) {
  DecodeRules stored = model.data.rules;
  const std::vector<Field> fields = FieldsOf(stored);
  for (const Field& field : FieldsOf(rules)) {
    if (options.Given(field.key)) continue;
    field.SetJson(FindField(fields, field.key)->Value(), field.key);
  }
}

/// Writes translations of lines to standard output, with their attention if
/// requested.
class LineWriter {
 public:
  LineWriter(const TranslateCommand& command, const translate::Model& model)
      : command_(command), model_(model) {
    if (command.alignments.empty()) return;
    format_ = AlignmentFormatOf(command.alignments);
    file_.emplace(command.alignments);
  }

  void Write(int64_t index, const std::string& line, const Translations& all) {
    if (command_.json()) {
      Print("{}\n", DumpJson(translate::TranslationParts(
                        {}, model_, line, all,
                        !IsLongerThan(line, command_.input.max_line),
                        command_.decode.confidence)));
    } else {
      Print("{}", translate::OutputLines(model_, index, all, command_.decode));
    }
    if (command_.decode.keep_attention) WriteAttention(all.front());
  }
  /// Writes the result of a refused line.
  void Refuse(int64_t index, const std::string& reason) {
    if (!command_.json()) return Write(index, "", Translations(1));
    Print("{}\n", DumpJson({{"error", reason}}));
  }
  /// Completes the alignment file.
  void Finish() {
    if (!file_) return;
    file_->Write(AlignmentFile(*format_, views_));
    file_->Commit();
  }

 private:
  void WriteAttention(const Translation& best) {
    AlignmentView view = ViewOf(best);
    if (command_.show && view.target_size() > 0) {
      PrintNote("{}\n", TerminalHeatmap(view, DetectTerminal(kErrors)));
    }
    if (format_ == AlignmentFormat::kPharaoh) {
      const translate::Vocabularies& v = model_.vocabularies;
      view = translate::WordView(best, v.source.kind(), v.target.kind());
      view.links = LinksOf(view);
    }
    if (format_) views_.push_back(std::move(view));
  }

  const TranslateCommand& command_;
  const translate::Model& model_;
  std::optional<AlignmentFormat> format_;
  std::optional<AtomicFile> file_;
  std::vector<AlignmentView> views_;
};

void TranslateStandardInput(const TranslateCommand& command,
                            const translate::Model& model,
                            const Translator& translator,
                            const TargetChoice& target) {
  LineWriter writer(command, model);
  AnswerLines(
      std::cin, kTranslatedTogether, command.input,
      [&](std::vector<std::string> lines, int64_t first) {
        for (std::string& line : lines) {
          line = WithMark(target.marks, line, target.mark);
        }
        const std::vector<Translations> all = TranslateDivided(
            translator, target.marks, lines, first, command.input.max_line);
        WarnOfPositions(*model.model, all);
        for (size_t i = 0; i < lines.size(); ++i) {
          writer.Write(first + static_cast<int64_t>(i), lines[i], all[i]);
        }
        Flush();
      },
      [&](int64_t index, const std::string& reason) {
        writer.Refuse(index, reason);
        Flush();
      });
  writer.Finish();
}

}  // namespace

int RunTranslate(const Arguments& arguments) {
  TranslateCommand command;
  Options options(
      "translate",
      "Translates standard input to standard output, line by line and in "
      "order. With --nbest above 1 a line is: number ||| text ||| score.");
  command.Visit(options);
  if (!options.Parse(arguments)) return 0;
  translate::Prediction& decode = command.decode;
  DocumentOptions& documents = command.documents;
  const bool attention = command.show || !command.alignments.empty();
  const bool parts = decode.nbest > 1 || decode.confidence || command.json();
  documents.CheckOthers(attention, parts);

  const ThreadLimit limit(command.run.threads);
  decode.keep_scores = parts;
  decode.keep_attention = attention;
  if (!command.alignments.empty()) AlignmentFormatOf(command.alignments);
  // Required so that std::cin reports how much input is available.
  std::ios::sync_with_stdio(false);
  const translate::Model model = translate::WithEnsemble(
      translate::ReadTranslationModel(command.folder, command.run.dtype,
                                      command.run.activations),
      decode.ensemble);
  const bool attends = !model.model->alignment_attention().empty();
  if (decode.NeedsAttention() && !attends) {
    throw ConfigError("{}: model '{}' has no attention to show or to use",
                      command.folder, model.config.name());
  }
  UseRulesOf(model, options, decode);
  if (decode.confidence && !model.quality) {
    PrintNote(
        "note: {}: has no quality model; confidences are uncalibrated "
        "geometric means of probabilities\n",
        command.folder);
  }
  const std::optional<TextFormat> document = documents.Format();
  if (document) decode.keep_attention = attends;
  const translate::Vocabularies& v = model.vocabularies;
  const Translator translator(
      *model.model, v.source, v.target, model.data.lowercase, decode,
      ReadShortlist(decode, command.folder, v.source, v.target));
  const std::string mark = decode.Mark(*model.marks);
  const TargetChoice target = {*model.marks, mark};
  if (!document) {
    TranslateStandardInput(command, model, translator, target);
    return 0;
  }
  if (documents.language.empty()) {
    documents.language = model.data.Languages().source;
  }
  TranslateDocuments(translator, *document,
                     SplitOptionsOf(v.source, documents.language),
                     command.input, target);
  return 0;
}

}  // namespace heed
