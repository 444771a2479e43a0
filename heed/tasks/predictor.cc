#include "heed/tasks/predictor.h"

#include <fmt/format.h>

#include <istream>
#include <limits>
#include <ostream>

#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Of which few vocabularies have more.
constexpr double kBytesOfToken = 4;

}  // namespace

CandidateList::CandidateList(std::string list, std::string name)
    : list_(std::move(list)), name_(std::move(name)) {
  answer_.parts[list_] = Json::array();
}

void CandidateList::Add(const std::string& candidate, double probability) {
  answer_.line += fmt::format("{}{}\t{:.6f}", answer_.line.empty() ? "" : "\t",
                              candidate, probability);
  answer_.parts[list_].push_back(
      {{name_, candidate}, {"probability", probability}});
}

std::vector<Answer> Predictor::PredictEach(std::span<const Input> inputs,
                                           const OptionSet& options,
                                           const PredictCall& call) const {
  try {
    return Predict(inputs, options, call);
  } catch (const FormatError& error) {
    if (inputs.size() == 1) {
      return {{"", {}, error.what(), std::current_exception()}};
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

void PredictStream(const Predictor& predictor, const InputKind& kind,
                   const InputReading& reading, std::istream& in,
                   std::ostream& out, bool json) {
  InputOptions options = reading.defaults;
  if (kind.json_lines && options.form == "jsonl") options.form = "lines";
  const PredictCall call = {
      .parts = json, .max_line = options.max_line, .warns = true};
  const auto write = [&](const Answer& answer) {
    out << (json ? DumpJson(answer.parts) : answer.line) << '\n';
  };
  // So that a reader at the other end of a pipe is not kept waiting.
  const auto flush = [&out] {
    if (!out.flush()) throw IoError("standard output: cannot be written");
  };
  const auto answer = [&](const std::vector<std::string>& lines,
                          int64_t first) {
    for (const Answer& a :
         predictor.Predict(InputsOf(kind, lines, first), call)) {
      write(a);
    }
    flush();
  };
  const auto refuse = [&](int64_t /*index*/, const std::string& reason) {
    write({"", {{"error", reason}}});
    flush();
  };
  if (!reading.whole && kind.line != InputKind::Line::kPart) {
    return AnswerLines(in, reading.window, options, answer, refuse);
  }
  std::string text;
  AnswerLines(
      in, std::numeric_limits<int64_t>::max(), options,
      [&text](const std::vector<std::string>& lines, int64_t /*first*/) {
        for (const std::string& line : lines) text += line + '\n';
      },
      [&text](int64_t, const std::string&) { text += '\n'; });
  if (text.ends_with('\n')) text.pop_back();
  const std::vector<Input> whole = {{std::move(text), "standard input"}};
  for (const Answer& a : predictor.Predict(whole, call)) write(a);
  flush();
}

}  // namespace heed
