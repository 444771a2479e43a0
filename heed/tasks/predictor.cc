#include "heed/tasks/predictor.h"

#include <fmt/format.h>

#include <istream>
#include <limits>
#include <ostream>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/numbers.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Typical bytes per token; few vocabularies exceed it.
constexpr double kBytesOfToken = 4;

}  // namespace

CandidateList::CandidateList(std::string list, std::string name)
    : list_(std::move(list)), name_(std::move(name)) {
  answer_.parts[list_] = Json::array();
}

void CandidateList::Add(const std::string& candidate, double probability) {
  answer_.line += fmt::format("{}{}\t{}", answer_.line.empty() ? "" : "\t",
                              candidate, ExactNumber(probability));
  answer_.parts[list_].push_back(
      {{name_, candidate}, {"probability", probability}});
}

std::string WithoutPartialEnd(std::string text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  while (text.ends_with(kReplacement)) {
    text.resize(text.size() - kReplacement.size());
  }
  size_t last = text.size();
  while (last > 0 && !BeginsCharacter(text[last - 1])) --last;
  if (last == 0) return text;
  const auto lead = static_cast<unsigned char>(text[last - 1]);
  const size_t size = lead >= 0xF0   ? 4
                      : lead >= 0xE0 ? 3
                      : lead >= 0xC0 ? 2
                                     : 1;
  if (last - 1 + size > text.size()) text.resize(last - 1);
  return text;
}

std::vector<Answer> Predictor::PredictEach(std::span<const Input> inputs,
                                           const OptionSet& options,
                                           const PredictCall& call) const {
  try {
    return Predict(inputs, options, call);
  } catch (const FormatError& error) {
    if (inputs.size() == 1) {
      Answer refused;
      refused.error = error.what();
      refused.cause = std::current_exception();
      return {std::move(refused)};
    }
  }
  std::vector<Answer> answers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<Answer> one = PredictEach(inputs.subspan(i, 1), options, call);
    answers.push_back(std::move(one.front()));
  }
  return answers;
}

double Predictor::Tokens(std::span<const Input> inputs,
                         const OptionSet& /*options*/) const {
  double bytes = 0;
  for (const Input& input : inputs) {
    bytes += static_cast<double>(input.Text().size() + 1);
  }
  return bytes / kBytesOfToken;
}

double Predictor::TokensOfCopy(double bytes) const {
  return bytes / kBytesOfToken;
}

void ForEachInput(const InputKind& kind, const InputReading& reading,
                  std::istream& in, const InputsFunction& answer,
                  const BadLineFunction& refuse) {
  InputOptions options = reading.defaults;
  const bool own_members = options.columns == InputOptions().columns;
  if (kind.json_lines && options.form == InputForm::kJsonl && own_members) {
    options.form = InputForm::kLines;
  }
  bool whole = reading.whole || kind.line == InputKind::Line::kPart;
  if (whole) options.long_lines = LongLines::kStructured;
  bool begun = false;
  std::string text;
  AnswerLines(
      in, whole ? std::numeric_limits<int64_t>::max() : reading.window, options,
      [&](const std::vector<std::string>& lines, int64_t first) {
        if (!std::exchange(begun, true) && reading.whole_if) {
          whole = whole || reading.whole_if(lines.front());
        }
        if (!whole) return answer(InputsOf(kind, lines, first, options.source));
        for (const std::string& line : lines) text += line + '\n';
      },
      refuse ? [&](int64_t index, const std::string& reason) {
        if (!whole) return refuse(index, reason);
        text += '\n';
      } : BadLineFunction());
  if (!whole) return;
  if (text.ends_with('\n')) text.pop_back();
  answer({{std::move(text), options.source}});
}

std::vector<Input> LinesOf(const Input& input, const InputKind& kind,
                           const InputReading& reading) {
  const bool by_line = !reading.whole && !kind.several_lines &&
                       kind.line == InputKind::Line::kText &&
                       !std::holds_alternative<NamedBytes>(input.content);
  if (!by_line) return {input};
  const std::string text = input.Text();
  std::vector<Input> lines;
  std::vector<std::string_view> parts = SplitAt(text, "\n");
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  for (std::string_view line : parts) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(
        {CutLine(line, reading.defaults.max_line, reading.defaults.long_lines),
         parts.size() == 1
             ? input.place
             : fmt::format("{}, line {}", input.place, lines.size() + 1),
         std::ssize(lines)});
  }
  return lines;
}

void PredictStream(const Predictor& predictor, const InputKind& kind,
                   const InputReading& reading, std::istream& in,
                   std::ostream& out, bool json) {
  const PredictCall call = {
      .parts = json, .max_line = reading.defaults.max_line, .warns = true};
  const auto write = [&](const Answer& answer) {
    out << (json ? DumpJson(answer.parts) : answer.line) << '\n';
  };
  // Flushes each window, so that a reader of a pipe gets answers at once.
  const auto flush = [&out] {
    if (!out.flush()) throw IoError("standard output: cannot be written");
  };
  ForEachInput(
      kind, reading, in,
      [&](const std::vector<Input>& inputs) {
        for (const Answer& a : predictor.Predict(inputs, call)) write(a);
        flush();
      },
      [&](int64_t /*index*/, const std::string& reason) {
        write({"", {{"error", reason}}});
        flush();
      });
}

}  // namespace heed
