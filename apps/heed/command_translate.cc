// heed translate: standard input to standard output, line by line.
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

// So that a reader at the other end of a pipe is not kept waiting.
void Flush() {
  if (std::fflush(stdout) != 0) {
    throw IoError("standard output: cannot be written");
  }
}

/// How standard input is cut into what is translated.
struct DocumentOptions {
  std::string format = "lines";
  std::string language;

  void Visit(FieldList& v) {
    v.Section("Documents");
    v("format", format, OneOf{"lines", "text", "html", "markdown"},
      "lines: each line is a sentence; text, html, markdown: the input is cut "
      "into sentences and put together again as heed serve does it, with its "
      "placeholders, tags and Markdown");
    v("text_language", language, Any{"CODE"},
      "language of a document, for abbreviations that end no sentence; "
      "default: that of the training files' endings");
  }

  /// Nothing: lines.
  std::optional<TextFormat> Format() const {
    const auto words = WordsOf(TextFormat());
    const auto found = std::ranges::find(words, format);
    if (found == words.end()) return std::nullopt;
    return static_cast<TextFormat>(found - words.begin());
  }

  /// Throws: ConfigError if something is asked for that documents do not have.
  void CheckOthers(bool attention, bool parts) const {
    if (!Format() || (!attention && !parts)) return;
    throw ConfigError(
        "--format {}: documents have no --alignments, --show-attention, "
        "--nbest or --output json; leave --format out for single lines",
        format);
  }
};

/// Standard input as a document: lines of text in groups, markup as a whole.
void TranslateDocuments(const Translator& translator, TextFormat format,
                        const SplitOptions& split, const InputOptions& input,
                        const TargetChoice& target) {
  const auto translate = [&](const std::string& document) {
    fmt::print("{}",
               TranslateDocument(translator, document, format, split, target));
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
        fmt::print("\n");
        Flush();
      });
}

}  // namespace

int RunTranslate(const Arguments& arguments) {
  std::string folder;
  std::string alignments;
  std::string dtype = "auto";
  bool show = false;
  int threads = 0;
  translate::Prediction decode;
  std::string output = "text";
  DocumentOptions documents;
  InputOptions input;
  input.long_lines = LongLines::kWhole;
  input.max_line = kLongestLine;
  input.columns = {"source"};
  Options options(
      "translate",
      "Translates standard input to standard output, line by line and in "
      "order. With --nbest above 1 a line is: number ||| text ||| score.");
  options.ModelFolder(folder);
  decode.Visit(options.fields());
  documents.Visit(options.fields());
  options.fields().Section("Attention");
  options.fields()(
      "alignments", alignments, Any{"FILE"},
      "write the attention of each translation: .svg, .html or .json between "
      "subword tokens, .pharaoh as links i-j between words, from 0");
  options.fields()("show_attention", show,
                   "draw it on standard error, sentence by sentence");
  input.Visit(options.fields());
  options.fields()(
      "output", output, OneOf{"text", "json"},
      "json: an object on each line: text, score, tokens with probabilities, "
      "links of words, alternatives");
  options.fields().Section("Run");
  VisitDtype(options.fields(), dtype);
  options.fields()("threads", threads, Range(0, 1024),
                   "threads; 0: one per core");
  options.Example("heed translate model < test.en > test.de");
  options.Example(
      "echo 'a man rides a horse' | heed translate model --show-attention");
  options.Example("heed translate many --to fra < test.en > test.fr");
  options.Example(
      "heed translate model --nbest 5 --alignments look.html < test.en");
  options.Example(
      "heed translate model --format markdown < README.md > README.de.md");
  if (!options.Parse(arguments)) return 0;
  documents.CheckOthers(show || !alignments.empty(),
                        decode.nbest > 1 || output == "json");

  const ThreadLimit limit(threads);
  decode.keep_scores = decode.nbest > 1 || output == "json";
  decode.keep_attention = show || !alignments.empty();
  std::optional<AlignmentFormat> format;
  if (!alignments.empty()) format = AlignmentFormatOf(alignments);
  // So that std::cin knows how much there is to read.
  std::ios::sync_with_stdio(false);
  const translate::Model model = translate::WithEnsemble(
      translate::ReadTranslationModel(folder, dtype), decode.ensemble);
  if (decode.NeedsAttention() && model.model->alignment_attention().empty()) {
    throw ConfigError("{}: model '{}' has no attention to show or to use",
                      folder, model.config.name());
  }
  // Rules without an option on the command line are those of the model.
  DecodeRules rules = model.data.rules;
  const std::vector<Field> learnt = FieldsOf(rules);
  for (const Field& field : FieldsOf(static_cast<DecodeRules&>(decode))) {
    if (options.Given(field.key)) continue;
    field.SetJson(FindField(learnt, field.key)->Value(), field.key);
  }
  const std::optional<TextFormat> document = documents.Format();
  if (document) {
    decode.keep_attention = !model.model->alignment_attention().empty();
  }
  const Translator translator(
      *model.model, model.vocabularies.source, model.vocabularies.target,
      model.data.lowercase, decode,
      ReadShortlist(decode, folder, model.vocabularies.source,
                    model.vocabularies.target));
  const TargetMarks& marks = *model.marks;
  const std::string mark = decode.Mark(marks);
  if (document) {
    if (documents.language.empty()) {
      documents.language = model.data.Languages().source;
    }
    TranslateDocuments(
        translator, *document,
        SplitOptionsOf(model.vocabularies.source, documents.language), input,
        {marks, mark});
    return 0;
  }
  std::optional<AtomicFile> file;
  if (format) file.emplace(alignments);
  std::vector<AlignmentView> views;
  const auto emit = [&](int64_t index, const std::string& line,
                        const Translations& all) {
    if (output == "json") {
      fmt::print("{}\n", DumpJson(translate::TranslationParts(
                             {}, model, line, all,
                             !IsLongerThan(line, input.max_line))));
    } else {
      fmt::print("{}", LinesOf(index, all, decode.nbest > 1));
    }
    if (!decode.keep_attention) return;
    AlignmentView view = ViewOf(all.front());
    if (show && view.target_size() > 0) {
      fmt::print(stderr, "{}\n",
                 TerminalHeatmap(view, DetectTerminal(kErrors)));
    }
    if (format == AlignmentFormat::kPharaoh) {
      const translate::Vocabularies& v = model.vocabularies;
      view = translate::WordView(all.front(), v.source.kind(), v.target.kind());
      view.links = LinksOf(view);
    }
    if (format) views.push_back(std::move(view));
  };
  AnswerLines(
      std::cin, kTranslatedTogether, input,
      [&](std::vector<std::string> lines, int64_t first) {
        for (std::string& line : lines) line = WithMark(marks, line, mark);
        const std::vector<Translations> all =
            TranslateDivided(translator, marks, lines, first, input.max_line);
        WarnOfPositions(*model.model, all);
        for (size_t i = 0; i < lines.size(); ++i) {
          emit(first + static_cast<int64_t>(i), lines[i], all[i]);
        }
        Flush();
      },
      [&](int64_t index, const std::string& reason) {
        if (output == "json") {
          fmt::print("{}\n", DumpJson({{"error", reason}}));
        } else {
          emit(index, "", Translations(1));
        }
        Flush();
      });
  if (file) {
    file->Write(AlignmentFile(*format, views));
    file->Commit();
  }
  return 0;
}

}  // namespace heed
