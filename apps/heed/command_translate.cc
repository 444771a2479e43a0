// heed translate: standard input to standard output, line by line.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "apps/heed/views.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/threads.h"
#include "heed/data/input_lines.h"
#include "heed/decode/divided_lines.h"
#include "heed/decode/translator.h"
#include "heed/io/file.h"
#include "heed/render/alignment_file.h"
#include "heed/render/heatmap_terminal.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"

namespace heed {
namespace {

constexpr int kErrors = 2;  // the descriptor of standard error

}  // namespace

int RunTranslate(const Arguments& arguments) {
  std::string folder;
  std::string alignments;
  std::string dtype = "auto";
  bool show = false;
  int threads = 0;
  DecodeOptions decode;
  std::string output = "text";
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
  options.Example(
      "heed translate model --nbest 5 --alignments look.html < test.en");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(threads);
  decode.keep_scores = decode.nbest > 1 || output == "json";
  decode.keep_attention = show || !alignments.empty();
  std::optional<AlignmentFormat> format;
  if (!alignments.empty()) format = AlignmentFormatOf(alignments);
  // So that std::cin knows how much there is to read.
  std::ios::sync_with_stdio(false);
  const TranslationModel model =
      WithEnsemble(ReadTranslationModel(folder, dtype), decode.ensemble);
  if (decode.NeedsAttention() && model.model->alignment_attention().empty()) {
    throw ConfigError("{}: model '{}' has no attention to show or to use",
                      folder, model.config.name());
  }
  const Translator translator(
      *model.model, model.vocabularies.source, model.vocabularies.target,
      model.data.lowercase, decode,
      ReadShortlist(decode, folder, model.vocabularies.source,
                    model.vocabularies.target));
  std::optional<AtomicFile> file;
  if (format) file.emplace(alignments);
  std::vector<AlignmentView> views;
  const auto emit = [&](int64_t index, const std::string& line,
                        const Translations& all) {
    if (output == "json") {
      fmt::print("{}\n", DumpJson(TranslationParts(
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
      const Vocabularies& v = model.vocabularies;
      view = WordView(all.front(), v.source.kind(), v.target.kind());
      view.links = LinksOf(view);
    }
    if (format) views.push_back(std::move(view));
  };
  // So that a reader at the other end of a pipe is not kept waiting.
  const auto flush = [] {
    if (std::fflush(stdout) != 0) {
      throw IoError("standard output: cannot be written");
    }
  };
  AnswerLines(
      std::cin, kTranslatedTogether, input,
      [&](const std::vector<std::string>& lines, int64_t first) {
        const std::vector<Translations> all =
            TranslateDivided(translator, lines, first, input.max_line);
        for (size_t i = 0; i < lines.size(); ++i) {
          emit(first + static_cast<int64_t>(i), lines[i], all[i]);
        }
        flush();
      },
      [&](int64_t index, const std::string& reason) {
        if (output == "json") {
          fmt::print("{}\n", DumpJson({{"error", reason}}));
        } else {
          emit(index, "", Translations(1));
        }
        flush();
      });
  if (file) {
    file->Write(AlignmentFile(*format, views));
    file->Commit();
  }
  return 0;
}

}  // namespace heed
