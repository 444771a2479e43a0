// Work of each step of heed distill.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/heed/commands.h"
#include "apps/heed/distillation.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/threads.h"
#include "heed/decode/divided_lines.h"
#include "heed/io/file.h"
#include "heed/metrics/bleu.h"
#include "heed/tasks/translate/translation.h"
#include "heed/tasks/translate/word_alignment.h"
#include "heed/train/interrupt.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

// Kinds of chunks.
constexpr const char* kParallelChunks = "parallel";
constexpr const char* kMonoChunks = "mono";

double WeightBytes(const std::string& folder) {
  return static_cast<double>(fs::file_size(ModelPath(folder, kWeightsFile)));
}

void WritePairs(const std::string& source, const std::string& target,
                const ParallelText& text) {
  for (const auto& [path, lines] :
       {std::pair(source, &text.source), std::pair(target, &text.target)}) {
    std::string joined;
    for (const std::string& line : *lines) joined += line + '\n';
    WriteFileAtomically(path, joined);
  }
}

}  // namespace

translate::Model Distillation::Teacher() const {
  return translate::WithEnsemble(
      translate::ReadTranslationModel(options_.teachers.front()),
      {options_.teachers.begin() + 1, options_.teachers.end()});
}

std::string Distillation::ChunkPath(const std::string& kind,
                                    size_t first) const {
  const size_t number = first / static_cast<size_t>(options_.chunk);
  return PathIn(In(kTranslationsFolder),
                fmt::format("{}-{:06}.json", kind, number));
}

void Distillation::TranslateChunks(const translate::Model& teacher,
                                   const std::string& kind, const Lines& lines,
                                   Progress& progress,
                                   ProgressState& state) const {
  translate::Prediction decode(teacher.data.rules);
  decode.beam = options_.beam;
  decode.nbest = kind == kParallelChunks ? options_.nbest : 1;
  decode.to = options_.to;
  const std::string mark = decode.Mark(*teacher.marks);
  const translate::Vocabularies& v = teacher.vocabularies;
  const Translator translator(*teacher.model, v.source, v.target,
                              teacher.data.lowercase, decode);
  const InterruptGuard interrupt;
  const auto chunk = static_cast<size_t>(options_.chunk);
  for (size_t first = 0; first < lines.size(); first += chunk) {
    const size_t end = std::min(first + chunk, lines.size());
    if (!fs::exists(ChunkPath(kind, first))) {
      progress.Update(state);
      Lines marked;
      for (size_t i = first; i < end; ++i) {
        marked.push_back(WithMark(*teacher.marks, lines[i], mark));
      }
      Json rows = Json::array();
      for (const Translations& all :
           TranslateDivided(translator, *teacher.marks, marked,
                            static_cast<int64_t>(first), kLongestLine)) {
        Json texts = Json::array();
        for (const Translation& one : all) texts.push_back(one.text);
        rows.push_back(std::move(texts));
      }
      WriteFileAtomically(ChunkPath(kind, first), DumpJson(rows) + '\n');
      state.units += static_cast<int64_t>(end - first);
    }
    state.step += static_cast<int64_t>(end - first);
    if (interrupt.Requested()) throw Interrupted("translation stopped");
  }
}

std::string Distillation::Translate() const {
  CheckSpace();
  fs::create_directories(In(kTranslationsFolder));
  const ThreadLimit limit(options_.threads);
  const translate::Model teacher = Teacher();
  Progress progress("line");
  ProgressState state;
  state.label = "translate";
  state.steps = std::ssize(parallel_.source) + std::ssize(mono_);
  TranslateChunks(teacher, kParallelChunks, parallel_.source, progress, state);
  TranslateChunks(teacher, kMonoChunks, mono_, progress, state);
  return Counted(state.steps, "line");
}

void Distillation::ForEachTranslation(
    const std::string& kind, size_t lines,
    const std::function<void(size_t, Lines)>& body) const {
  for (size_t first = 0; first < lines;
       first += static_cast<size_t>(options_.chunk)) {
    const std::string path = ChunkPath(kind, first);
    const Json rows = ParseJson(ReadFile(path), path);
    const size_t count =
        std::min(lines - first, static_cast<size_t>(options_.chunk));
    const bool whole = rows.is_array() && rows.size() == count &&
                       std::ranges::all_of(rows, [](const Json& row) {
                         return row.is_array() && !row.empty() &&
                                std::ranges::all_of(row, [](const Json& text) {
                                  return text.is_string();
                                });
                       });
    if (!whole) {
      throw FormatError(
          "{}: does not hold translations of {}; delete {} to translate again",
          path, Counted(static_cast<int64_t>(count), "line"),
          In(kTranslationsFolder));
    }
    for (size_t i = 0; i < count; ++i) body(first + i, rows[i].get<Lines>());
  }
}

std::string Distillation::Select() const {
  ParallelText chosen;
  double first_bleu = 0;
  double best_bleu = 0;
  ForEachTranslation(
      kParallelChunks, parallel_.source.size(), [&](size_t i, Lines texts) {
        const std::string& reference = parallel_.target[i];
        std::string& best = texts[translate::BestTranslation(texts, reference)];
        first_bleu += SentenceBleu(texts.front(), reference);
        best_bleu += SentenceBleu(best, reference);
        chosen.source.push_back(parallel_.source[i]);
        chosen.target.push_back(std::move(best));
      });
  ForEachTranslation(kMonoChunks, mono_.size(), [&](size_t i, Lines texts) {
    chosen.source.push_back(mono_[i]);
    chosen.target.push_back(std::move(texts.front()));
  });
  WritePairs(In(kSelectedFiles[0]), In(kSelectedFiles[1]), chosen);
  std::string pairs = Counted(std::ssize(chosen.source), "pair");
  if (parallel_.source.empty()) return pairs;
  const auto lines = static_cast<double>(parallel_.source.size());
  return fmt::format(
      "{}; mean sentence BLEU {:.1f}, of the most probable {:.1f}", pairs,
      best_bleu / lines, first_bleu / lines);
}

std::string Distillation::Filter() const {
  ParallelText text = {ReadLines(In(kSelectedFiles[0])),
                       ReadLines(In(kSelectedFiles[1]))};
  translate::FilteredText kept = translate::FilterPairs(text, options_.filter);
  std::string improbable;
  if (!options_.reverse.empty()) {
    const ThreadLimit limit(options_.threads);
    const translate::Model reverse =
        translate::ReadTranslationModel(options_.reverse);
    Progress progress("pair");
    ProgressState state;
    state.label = "score";
    state.steps = std::ssize(kept.text.source);
    progress.Update(state);
    const std::vector<double> scores = translate::ScoresPerWord(
        reverse, translate::Swapped(kept.text), [&](int64_t done) {
          state.step = state.units = done;
          progress.Update(state);
        });
    const auto before = std::ssize(kept.text.source);
    kept.text = translate::WithoutWorst(kept.text, scores, options_.drop);
    improbable =
        fmt::format(", {} improbable", before - std::ssize(kept.text.source));
  }
  std::string summary = kept.Summary() + improbable;
  if (kept.text.source.empty()) {
    throw FormatError("{}: no pair is left to train with ({})", options_.out,
                      summary);
  }
  WritePairs(In(kFilteredFiles[0]), In(kFilteredFiles[1]), kept.text);
  return summary;
}

std::string Distillation::Align() const {
  RunAlign({"ibm2", "--source", In(kFilteredFiles[0]), "--target",
            In(kFilteredFiles[1]), "--lowercase", "--symmetrize",
            "grow-diag-final-and", "--format", "pharaoh", "--out",
            In(kLinksFile), "--threads", std::to_string(options_.threads)});
  return "links of words";
}

void Distillation::TrainOrResume(const std::string& name,
                                 const Arguments& start) const {
  const std::string folder = In(name);
  if (fs::exists(PathIn(LatestRun(folder), kConfigFile))) {
    RunTrain(
        {"--resume", folder, "--threads", std::to_string(options_.threads)});
  } else {
    RunTrain(start);
  }
}

std::string Distillation::TrainStudent() const {
  Arguments words = {"--config", In(kTrainingFile)};
  words.insert(words.end(), options_.training.begin(), options_.training.end());
  TrainOrResume(kStudentFolder, words);
  return fmt::format("{} in {}", options_.student, In(kStudentFolder));
}

std::string Distillation::FineTune() const {
  constexpr int64_t kValidations = 10;
  const int64_t steps = options_.fine_tune_steps;
  const std::string student = In(kStudentFolder);
  TrainOrResume(kTunedFolder,
                {"--config",
                 PathIn(student, kConfigFile),
                 "--pretrained",
                 student,
                 "--out",
                 In(kTunedFolder),
                 "--quantize-bits",
                 "8",
                 "--learning-rate",
                 fmt::format("{}", options_.fine_tune_learning_rate),
                 "--schedule",
                 "constant",
                 "--warmup",
                 "0",
                 "--steps",
                 std::to_string(steps),
                 "--min-steps",
                 std::to_string(steps),
                 "--validate-every",
                 std::to_string(std::max<int64_t>(1, steps / kValidations)),
                 "--patience",
                 "0",
                 "--ema",
                 "0",
                 "--average",
                 "1",
                 "--threads",
                 std::to_string(options_.threads)});
  return fmt::format("weights for int8 in {}", In(kTunedFolder));
}

std::string Distillation::LearnShortlist() const {
  RunShortlist({In(tuned()), "--source", In(kFilteredFiles[0]), "--target",
                In(kFilteredFiles[1]), "--threads",
                std::to_string(options_.threads)});
  return "likely tokens";
}

Json Distillation::Figures(const std::string& name,
                           const translate::Model& model, double bytes,
                           translate::Prediction decode) const {
  translate::EvaluationOptions evaluation;
  evaluation.decode = std::move(decode);
  evaluation.tokenize = model.data.tokenize;
  // Memory and packed weights are ready before time is measured.
  constexpr size_t kFirst = 100;
  translate::TranslateLines(
      model,
      {valid_.source.begin(),
       valid_.source.begin() +
           static_cast<std::ptrdiff_t>(std::min(kFirst, valid_.source.size()))},
      evaluation.decode);
  const translate::EvaluationResult result =
      translate::Evaluate(model, valid_, evaluation);
  return {{"model", name},
          {"beam", evaluation.decode.beam},
          {"bleu", result.bleu},
          {"chrf", result.chrf},
          {"bytes", bytes},
          {"sentences_per_second",
           static_cast<double>(result.sentences) / result.seconds}};
}

std::string Distillation::Measure() const {
  RunQuantize({In(tuned()), "--out", In(kInt8Folder), "--overwrite"});
  const ThreadLimit limit(options_.threads);
  Json rows = Json::array();
  {
    double bytes = 0;
    for (const std::string& teacher : options_.teachers) {
      bytes += WeightBytes(teacher);
    }
    const translate::Model teacher = Teacher();
    translate::Prediction decode(teacher.data.rules);
    decode.to = options_.to;
    rows.push_back(Figures("teacher", teacher, bytes, decode));
  }
  const auto add = [&](const std::string& name, const std::string& folder,
                       const std::string& shortlist) {
    const translate::Model model = translate::ReadTranslationModel(folder);
    translate::Prediction decode(model.data.rules);
    decode.beam = 1;
    decode.shortlist = shortlist;
    rows.push_back(Figures(name, model, WeightBytes(folder), decode));
  };
  add("student", In(kStudentFolder), "none");
  if (tuned() == kTunedFolder) {
    add("student, tuned for int8", In(kTunedFolder), "none");
  }
  add("student in int8", In(kInt8Folder), "none");
  add("student in int8, shortlist", In(kInt8Folder), "model");
  WriteFileAtomically(In(kReportFile), Json{{"models", rows}}.dump(1) + '\n');
  return fmt::format("the model is {}", In(kInt8Folder));
}

void Distillation::PrintReport() const {
  const std::string path = In(kReportFile);
  const Json report = ParseJson(ReadFile(path), path);
  Print("{:<27}  beam   BLEU   chrF       MB  sentences/s\n", "model");
  try {
    for (const Json& row : report.at("models")) {
      Print("{:<27}  {:>4}  {:>5.1f}  {:>5.1f}  {:>7.1f}  {:>11.0f}\n",
            row.at("model").get<std::string>(), row.at("beam").get<int>(),
            row.at("bleu").get<double>(), row.at("chrf").get<double>(),
            row.at("bytes").get<double>() / 1e6,
            row.at("sentences_per_second").get<double>());
    }
  } catch (const Json::exception&) {
    throw FormatError("{}: is no report; delete the file to measure again",
                      path);
  }
}

}  // namespace heed
