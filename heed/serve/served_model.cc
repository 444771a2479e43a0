#include "heed/serve/served_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/serve/cost.h"
#include "heed/serve/prediction.h"
#include "heed/serve/text_split.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Smaller parts would not fill the rows that products are fast with.
constexpr int64_t kLeastSentencesOfThread = 4;

// Sentences by length, longest first, in parts of about equal work: one part
// for each thread unless there are too few.
std::vector<std::vector<size_t>> PartsOf(
    std::span<const std::string> sentences) {
  std::vector<size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return sentences[a].size() > sentences[b].size();
  });
  size_t whole = 0;
  for (const std::string& sentence : sentences) whole += sentence.size() + 1;
  const auto parts = static_cast<size_t>(std::clamp<int64_t>(
      std::ssize(sentences) / kLeastSentencesOfThread, 1, ThreadCount()));
  std::vector<std::vector<size_t>> result(1);
  size_t bytes = 0;
  for (const size_t i : order) {
    if (bytes * parts >= whole * result.size()) result.emplace_back();
    result.back().push_back(i);
    bytes += sentences[i].size() + 1;
  }
  return result;
}

// The most that a request may ask for; 0: what the option's range allows.
int MostOf(const std::string& key, const RequestLimits& limits) {
  if (key == "beam") return std::max(limits.beam_limit, 32);
  if (key == "nbest" || key == "samples") return limits.alternatives_limit + 1;
  if (key == "completions" || key == "candidates") return 100;
  if (key == "length" || key == "max_length" || key == "max_tokens") {
    return 1024;
  }
  if (key == "max_length_factor") return 10;
  if (key == "context") return 4096;
  return 0;
}

// What the operator alone decides.
bool OfOperator(const Field& field) {
  return std::holds_alternative<Any>(field.constraint) ||
         field.key.starts_with("batch_");
}

void SetOption(const Field& field, const Json& value) {
  const bool text = std::holds_alternative<std::string*>(field.target);
  if (value.is_string() && !text) {
    field.SetText({value.get<std::string>()}, field.key);  // of a form
  } else {
    field.SetJson(value, field.key);
  }
}

// As of the text of the request.
[[noreturn]] void ThrowOfText(std::string message) {
  constexpr std::string_view kInput = "standard input";
  const size_t at = message.find(kInput);
  if (at != message.npos) message.replace(at, kInput.size(), "text");
  throw FormatError(message);
}

// A token goes through all matrices, or through those of an encoder or a
// decoder, which are taken to be equal.
double MultiplyAddsOf(const ParameterSet& parameters, bool translates) {
  int64_t sum = 0;
  for (const auto& parameter : parameters.all()) {
    sum += parameter->multiply_adds();
  }
  return static_cast<double>(sum) / (translates ? 2 : 1);
}

// Of the matrices that score tokens, or of all others.
double LargestMatrix(const ParameterSet& parameters, bool scores_tokens) {
  int64_t largest = 0;
  for (const auto& parameter : parameters.all()) {
    if (parameter->scores_tokens() != scores_tokens) continue;
    largest = std::max(largest, parameter->multiply_adds());
  }
  return static_cast<double>(largest);
}

size_t AtLeastOne(double count) {
  return static_cast<size_t>(std::clamp(count, 1.0, 1e9));
}

int64_t LinesIn(std::string_view text) {
  return 1 + std::ranges::count(text, '\n');
}

}  // namespace

void SearchDefaults::Visit(FieldList& v) {
  v("beam", beam, Range(1, 1000), "hypotheses kept at each step; 1: greedy");
  v("length_penalty", length_penalty, Range(0, 10),
    "divide log p by ((5 + length) / 6) to this power; 0: off, favours short "
    "output");
  v("max_length_factor", max_length_factor, Range(0.1, 100),
    "at most this many target tokens per source token, and 10 more");
  v("shortlist", shortlist, OneOf{"none", "model"},
    "score only likely translations of the source's tokens, by the file that "
    "each model folder has for it");
}

ServedModel::ServedModel(const ModelSpec& spec, const SearchDefaults& search,
                         const std::string& dtype)
    : spec_(spec), search_(search) {
  LoadedTask loaded = ReadTask(spec.folder, dtype);
  task_ = std::move(loaded.task);
  translation_ = dynamic_cast<const TranslationTask*>(task_.get());
  const Json settings = ReadModelSettings(spec.folder);
  if (translation_ != nullptr) {
    const LanguagePair guessed = GuessLanguages(settings);
    if (spec_.languages.source.empty()) spec_.languages = guessed;
    DecodeOptions decode;
    decode.shortlist = search.shortlist;
    shortlist_ = ReadShortlist(decode, spec.folder, source_vocabulary(),
                               target_vocabulary());
  } else if (!spec.languages.source.empty()) {
    throw ConfigError(
        fmt::format("{}: is a model for task '{}', which has no languages",
                    spec.folder, task_->name()));
  }
  FieldList fields;
  task_->VisitPredict(fields);
  defaults_ = FieldsToJson(fields.fields());
  if (translation_ != nullptr) defaults_.update(ToJson(search));
  multiply_adds_ = MultiplyAddsOf(task_->parameters(), translates());
  layer_weights_ = LargestMatrix(task_->parameters(), false);
  output_weights_ = LargestMatrix(task_->parameters(), true);
  description_ = {{"name", spec_.name},
                  {"task", task_->name()},
                  {"model", settings.value("model", "")},
                  {"parameters", task_->parameters().elements()}};
  for (const auto& [name, size] : task_->Sizes()) description_[name] = size;
  if (translation_ != nullptr) {
    description_["source"] = spec_.languages.source;
    description_["target"] = spec_.languages.target;
  }
  for (const char* key : {"heed.step", "heed.metric", "heed.score"}) {
    const auto found = loaded.metadata.find(key);
    if (found == loaded.metadata.end() || found->second.empty()) continue;
    description_[std::string(key).substr(5)] = found->second;
  }
}

const Vocabulary& ServedModel::source_vocabulary() const {
  return translation_->translation().vocabularies.source;
}
const Vocabulary& ServedModel::target_vocabulary() const {
  return translation_->translation().vocabularies.target;
}

int ServedModel::BeamOf(const SearchChoice& choice) const {
  return std::max(choice.beam > 0 ? choice.beam : search_.beam, choice.nbest);
}

const Translator& ServedModel::TranslatorOf(const SearchChoice& choice) {
  std::unique_ptr<Translator>& translator = translators_[choice];
  if (!translator) {
    DecodeOptions decode;
    decode.beam = BeamOf(choice);
    decode.nbest = choice.nbest;
    decode.length_penalty = search_.length_penalty;
    decode.max_length_factor = search_.max_length_factor;
    decode.keep_attention = choice.attention;
    decode.keep_scores = choice.scores || choice.nbest > 1;
    const TranslationModel& model = translation_->translation();
    translator = std::make_unique<Translator>(
        *model.model, model.vocabularies.source, model.vocabularies.target,
        model.data.lowercase, decode, shortlist_);
  }
  return *translator;
}

std::vector<Translations> ServedModel::Translate(
    std::span<const std::string> sentences, const SearchChoice& choice,
    const TranslateHooks& hooks) {
  const Translator& translator = TranslatorOf(choice);
  const std::vector<std::vector<size_t>> parts = PartsOf(sentences);
  std::vector<Translations> results(sentences.size());
  ParallelTasks(std::ssize(parts), [&](int64_t p) {
    const std::vector<size_t>& part = parts[static_cast<size_t>(p)];
    std::vector<std::string> lines;
    for (const size_t i : part) lines.push_back(sentences[i]);
    TranslateHooks of_part;
    if (hooks.observer) {
      of_part.observer = [&](int64_t line,
                             const std::vector<std::string>& pieces,
                             bool whole) {
        hooks.observer(static_cast<int64_t>(part[static_cast<size_t>(line)]),
                       pieces, whole);
      };
    }
    if (!hooks.cancellations.empty()) {
      for (const size_t i : part) {
        of_part.cancellations.push_back(hooks.cancellations[i]);
      }
    }
    std::vector<Translations> translated =
        translator.Translate(lines, 0, of_part);
    for (size_t i = 0; i < part.size(); ++i) {
      results[part[i]] = std::move(translated[i]);
    }
  });
  return results;
}

RequestLimits ServedModel::LimitsOf(RequestLimits limits) const {
  if (task_name() == "forecast") limits.char_limit = limits.explain_limit = 0;
  return limits;
}

Json ServedModel::CheckedOptions(const Json& options,
                                 const RequestLimits& limits) const {
  const std::unique_ptr<Task> task = MakeTask(task_->name());
  FieldList list;
  task->VisitPredict(list);
  Json checked = Json::object();
  std::vector<std::string> valid;
  for (const Field& field : list.fields()) {
    if (!OfOperator(field)) valid.push_back(field.key);
  }
  for (const auto& [key, value] : options.items()) {
    const auto field = std::ranges::find(list.fields(), key,
                                         [](const Field& f) { return f.key; });
    if (field == list.fields().end()) {
      throw HttpError(400, fmt::format("unknown parameter '{}'{} (a model for "
                                       "task '{}' has: {})",
                                       key, DidYouMean(key, valid),
                                       task_->name(), fmt::join(valid, ", ")));
    }
    if (OfOperator(*field)) {
      throw HttpError(400, fmt::format("parameter '{}' is for the operator of "
                                       "the server alone",
                                       key));
    }
    try {
      SetOption(*field, value);
    } catch (const ConfigError& error) {
      throw HttpError(400, error.what());
    }
    checked[key] = field->Value();
    const int most = MostOf(key, limits);
    if (most > 0 && checked[key].get<double>() > most) {
      throw HttpError(400, fmt::format("parameter '{}' must be at most {} on "
                                       "this server",
                                       key, most));
    }
  }
  return checked;
}

bool ServedModel::JoinsTexts(const Json& options) const {
  const std::string name = task_->name();
  if (name == "tag") return options.value("input", "lines") == "lines";
  return name == "classify" || name == "slots";
}

std::vector<std::string> ServedModel::Answers(
    const Context& ctx, std::span<const std::string> texts,
    const Json& options) {
  const auto predict = [&](const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out;
    PredictStream(*task_, ctx, in, out);
    std::string answer = std::move(out).str();
    if (answer.ends_with('\n')) answer.pop_back();
    return answer;
  };
  std::vector<std::string> answers;
  if (!JoinsTexts(options)) {
    for (const std::string& text : texts) {
      ctx.CheckCancelled();
      answers.push_back(predict(text));
    }
    return answers;
  }
  std::string all;
  for (const std::string& text : texts) all += text + '\n';
  const std::string lines = predict(all) + '\n';
  size_t begin = 0;
  for (const std::string& text : texts) {
    size_t end = begin;
    for (int64_t n = LinesIn(text); n > 0; --n) end = lines.find('\n', end) + 1;
    answers.push_back(lines.substr(begin, end - begin - 1));
    begin = end;
  }
  return answers;
}

std::vector<Prediction> ServedModel::Predict(std::span<const std::string> texts,
                                             const Json& options,
                                             const Cancellation* cancellation) {
  SetOptions(options);
  Context ctx;
  ctx.cancellation = cancellation;
  std::vector<std::string> answers;
  try {
    answers = Answers(ctx, texts, options);
  } catch (const FormatError& error) {
    ThrowOfText(error.what());
  }
  const Json all = WithDefaults(options);
  std::vector<Prediction> predictions;
  for (size_t i = 0; i < texts.size(); ++i) {
    Json details = DetailsOf(task_->name(), all, texts[i], answers[i]);
    predictions.push_back({std::move(answers[i]), std::move(details)});
  }
  return predictions;
}

Explanation ServedModel::Explain(const ExplainRequest& request) {
  SetOptions(Json::object());
  if (!translates() || !request.input.answer.empty()) {
    return heed::Explain(*task_, request);
  }
  // What /translate runs: sentence by sentence.
  const std::vector<Segment> segments = SplitText(request.input.text);
  ExplainRequest in_parts = request;
  for (const Segment& segment : segments) {
    if (segment.translate) in_parts.input.parts.push_back(segment.text);
  }
  if (in_parts.input.parts.empty()) ThrowOfText("the text has no words");
  Explanation explanation = heed::Explain(*task_, in_parts);
  std::vector<std::string> written;
  for (const ExplanationSegment& segment : explanation.segments) {
    written.push_back(segment.answer);
  }
  if (written.size() == in_parts.input.parts.size()) {
    explanation.answer = JoinSegments(segments, written);
  }
  return explanation;
}

void ServedModel::SetOptions(const Json& options) {
  FieldList list;
  task_->VisitPredict(list);
  FieldsFromJson(list.fields(), WithDefaults(options), "the request");
}

Json ServedModel::WithDefaults(const Json& options) const {
  Json all = defaults_;
  all.update(options);
  return all;
}

size_t ServedModel::MostTexts(const SearchChoice& choice,
                              double step_seconds) const {
  return AtLeastOne(RowsWithin(step_seconds, output_weights_) / BeamOf(choice));
}

size_t ServedModel::MostBytes(double step_seconds) const {
  return AtLeastOne(BytesOfTokens(RowsWithin(step_seconds, layer_weights_)));
}

double ServedModel::LeastSecondsOf(double tokens) const {
  return LeastSeconds(tokens * multiply_adds_);
}

double ServedModel::TranslationSeconds(std::span<const std::string> sentences,
                                       const SearchChoice& choice) const {
  return LeastSecondsOf(
      TranslationTokens(sentences, BeamOf(choice), search_.max_length_factor));
}

double ServedModel::PredictionSeconds(std::span<const std::string> texts,
                                      const Json& options) const {
  return LeastSecondsOf(
      PredictionTokens(task_->name(), WithDefaults(options), texts));
}

double ServedModel::ExplanationSeconds(
    const std::string& text, const AttributionOptions& attribution) const {
  return LeastSecondsOf(ExplanationTokens(
      task_->name(), static_cast<double>(text.size()), attribution));
}

}  // namespace heed
