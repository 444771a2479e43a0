#include "heed/serve/served_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <any>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/serve/cost.h"
#include "heed/tasks/translate/translate_options.h"
#include "heed/text/markup/text_split.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

// Largest value of a field that a request may set; 0: limited by the field's
// range.
int ServedLimit(const Field& field, const RequestLimits& limits) {
  if (field.IsNamed("beam")) {
    return std::max(limits.beam_limit, field.served_limit);
  }
  if (field.IsNamed("nbest")) return limits.alternatives_limit + 1;
  return field.served_limit;
}

// True if requests may not set the field.
bool OfOperator(const Field& field) {
  return std::holds_alternative<Any>(field.constraint) ||
         field.key.starts_with("batch_");
}

void SetOption(const Field& field, const Json& value) {
  const bool text = std::holds_alternative<std::string*>(field.target);
  if (value.is_string() && !text) {
    field.SetText({value.get<std::string>()}, field.key);  // value from a form
  } else {
    field.SetJson(value, field.key);
  }
}

// Estimated multiply-adds per token. A token passes all matrices; in a
// translator those of the encoder or of the decoder, which are assumed to be
// equally large.
double MultiplyAddsOf(const ParameterSet& parameters, bool translates) {
  int64_t sum = 0;
  for (const auto& parameter : parameters.all()) {
    sum += parameter->multiply_adds();
  }
  return static_cast<double>(sum) / (translates ? 2 : 1);
}

// Largest matrix among those that score tokens, or among all others. Units:
// multiply-adds per row
double LargestMatrix(const ParameterSet& parameters, bool scores_tokens) {
  int64_t largest = 0;
  for (const auto& parameter : parameters.all()) {
    if (parameter->scores_tokens() != scores_tokens) continue;
    largest = std::max(largest, parameter->multiply_adds());
  }
  return static_cast<double>(largest);
}

/// Examples in the source language of a translator; all examples for other
/// models. Files of types that the model does not read are left out.
Json ExamplesJson(const std::vector<InputExample>& all,
                  const std::string& language, const InputKind& input) {
  Json examples = Json::array();
  for (const InputExample& example : all) {
    const bool fits = example.language.empty() || language.empty() ||
                      language.starts_with(example.language);
    if (!fits) continue;
    Json one = {{"text", example.text}};
    if (!example.file) {
      examples.push_back(std::move(one));
      continue;
    }
    const NamedBytes file = example.file();
    if (!input.Reads(file.media_type)) continue;
    one["file"] = {{"name", file.name},
                   {"media_type", file.media_type},
                   {"base64", ToBase64(file.bytes)}};
    examples.push_back(std::move(one));
  }
  return examples;
}

size_t AtLeastOne(double count) {
  return static_cast<size_t>(std::clamp(count, 1.0, 1e9));
}

/// Joins the answers to the lines of one input.
Answer Joined(std::span<Answer> answers) {
  if (answers.size() == 1) return std::move(answers.front());
  Answer all;
  all.parts = Json::array();
  for (Answer& answer : answers) {
    if (!answer.error.empty()) {
      answer.parts = {{"error", answer.error}};
      if (all.error.empty()) {
        all.error = answer.error;
        all.cause = answer.cause;
      }
    }
    if (!all.parts.empty()) all.line += '\n';
    all.line += answer.line;
    all.parts.push_back(std::move(answer.parts));
  }
  return all;
}

/// LanguageDistance, where `unknown` as the served language matches any known
/// one.
std::optional<int> DistanceOf(const std::string& wanted,
                              const std::string& served,
                              std::string_view unknown) {
  if (served == unknown && IsKnownLanguage(wanted)) {
    return ServedModel::kUnknownDistance;
  }
  return LanguageDistance(wanted, served);
}

}  // namespace

const Translations& TranslationsOf(const Answer& answer) {
  return std::any_cast<const Translations&>(answer.details);
}

void SearchDefaults::Visit(FieldList& v) {
  v("beam", beam, Range(0, kWidestBeam),
    "beam size: hypotheses kept at each step; 1: greedy; 0: each model's own");
  v("length_penalty", length_penalty, Range(0, 10),
    "length normalisation: divide log p by ((5 + length) / 6) to this power; "
    "0: off (favours short output)");
  v("max_length_factor", max_length_factor, Range(0, 100),
    "maximum target tokens per source token; 0: each model's own setting");
  v("shortlist", shortlist, OneOf{"none", "model"},
    "score only likely translations of the source's tokens, by the shortlist "
    "in the model's folder");
}

ServedModel::ServedModel(const ModelSpec& spec, const SearchDefaults& search,
                         Auto<RunFormat> dtype, Named<Activations> activations)
    : spec_(spec), search_(search) {
  loaded_ = ReadModelToRun(spec.folder, dtype, activations);
  input_ = loaded_.input();
  translation_ = dynamic_cast<const translate::Model*>(loaded_.model.get());
  const std::unique_ptr<OptionSet> options = loaded_.settings->PredictOptions();
  const Json settings = ReadModelSettings(spec.folder);
  if (translation_ != nullptr) {
    ChooseLanguages();
    const DecodeRules& own = translation_->data.rules;
    if (search_.max_length_factor == 0) {
      search_.max_length_factor = own.max_length_factor;
    }
    if (search_.beam == 0) search_.beam = own.beam;
    // Defaults of /translate.
    FieldList list;
    options->Visit(list);
    FieldsFromJson(list.fields(), ToJson(search_), "the server");
  } else if (!spec.languages.source.empty()) {
    throw ConfigError(
        "{}: is a model for task '{}', which has no languages; a name before = "
        "must not look like two of them",
        spec.folder, task().name);
  }
  predictor_ = loaded_.MakePredictor(*options);
  ParameterSet& parameters = loaded_.model->parameters();
  multiply_adds_ = MultiplyAddsOf(parameters, translates());
  layer_weights_ = LargestMatrix(parameters, false);
  output_weights_ = LargestMatrix(parameters, true);
  const TaskRow& row = task();
  const std::string prompt = loaded_.model->Prompt();
  const std::vector<InputExample> examples = loaded_.model->Examples();
  description_ = {
      {"name", spec_.name},
      {"task", row.name},
      {"model", settings.value("model", "")},
      {"parameters", parameters.elements()},
      {"input",
       {{"kind", input_.name},
        {"prompt", prompt.empty() ? row.prompt : prompt},
        {"media_types", input_.media_types}}},
      {"labels", {{"input", row.input_label}, {"answer", row.answer_label}}},
      {"examples", ExamplesJson(examples.empty() ? row.examples : examples,
                                spec_.languages.source, input_)},
      {"translates", translates()},
      {"sizes", Json::object()}};
  for (const auto& [name, size] : loaded_.model->Sizes()) {
    description_["sizes"][name] = size;
  }
  if (translation_ != nullptr) {
    description_["source"] = spec_.languages.source;
    description_["target"] = spec_.languages.target;
    if (targets_.size() > 1) description_["targets"] = targets_;
  }
  for (const char* key : {"heed.step", "heed.metric", "heed.score"}) {
    const auto found = loaded_.metadata.find(key);
    if (found == loaded_.metadata.end() || found->second.empty()) continue;
    const std::optional<double> number = ParseNumber(found->second);
    Json& place = description_[std::string(key).substr(5)];
    if (const auto whole = ParseInteger<int64_t>(found->second)) {
      place = *whole;
    } else if (number) {
      place = *number;
    } else {
      place = found->second;
    }
  }
}

// Languages of the command line have precedence over languages in the model. A
// multi-target model also writes the languages of its marks.
void ServedModel::ChooseLanguages() {
  const LanguagePair stored = translation_->data.Languages();
  LanguagePair& pair = spec_.languages;
  if (pair.source.empty()) pair = stored;
  targets_ = marks().Languages();
  if (!pair.target.empty() &&
      std::ranges::find(targets_, pair.target) == targets_.end()) {
    targets_.push_back(pair.target);
  }
  if (pair.source.empty()) pair.source = kUnknownSource;
  if (targets_.empty()) targets_.emplace_back(kUnknownTarget);
  if (pair.target.empty()) pair.target = targets_.front();
}

bool ServedModel::has_unknown_languages() const {
  return translates() && (spec_.languages.source == kUnknownSource ||
                          spec_.languages.target == kUnknownTarget);
}

std::optional<int> ServedModel::DistanceTo(const LanguagePair& wanted) const {
  const std::optional<int> source =
      DistanceOf(wanted.source, spec_.languages.source, kUnknownSource);
  std::optional<int> min;
  for (const std::string& target : targets_) {
    const std::optional<int> distance =
        DistanceOf(wanted.target, target, kUnknownTarget);
    if (source && distance && (!min || *source + *distance < *min)) {
      min = *source + *distance;
    }
  }
  return min;
}

bool ServedModel::Knows(const std::string& language) const {
  return DistanceOf(language, spec_.languages.source, kUnknownSource) ||
         std::ranges::any_of(targets_, [&](const std::string& target) {
           return DistanceOf(language, target, kUnknownTarget).has_value();
         });
}

const Vocabulary& ServedModel::source_vocabulary() const {
  return translation_->vocabularies.source;
}
const Vocabulary& ServedModel::target_vocabulary() const {
  return translation_->vocabularies.target;
}

translate::TranslationConfidence ServedModel::ConfidenceOf(
    const Translation& translation) const {
  return translate::ConfidenceOf(translation, target_vocabulary().kind(),
                                 translation_->quality);
}

RequestOptions ServedModel::SearchOptions(const SearchChoice& choice) const {
  auto set = std::make_shared<OptionsOf<translate::Prediction>>(
      dynamic_cast<const OptionsOf<translate::Prediction>&>(
          predictor_->options()));
  translate::Prediction& search = set->value;
  if (choice.beam > 0) search.beam = choice.beam;
  search.nbest = choice.nbest;
  search.beam = std::max(search.beam, search.nbest);
  search.keep_scores = choice.scores;
  search.keep_attention = choice.attention;
  return {{{"beam", search.beam},
           {"nbest", search.nbest},
           {"scores", choice.scores},
           {"attention", choice.attention}},
          std::move(set)};
}

RequestLimits ServedModel::LimitsOf(RequestLimits limits) const {
  if (input_.of_bytes()) limits.char_limit = limits.explain_limit = 0;
  // Large maps of imported models are read in tiles. By default, the limits
  // allow 4,096 tokens in a model of 12 layers x 12 heads: 590,000 rows.
  constexpr int64_t kRowsPerUnit = 590;
  const bool imported = !translates() && loaded_.metadata.contains(kFamilyKey);
  if (imported) limits.max_rows = kRowsPerUnit * limits.explain_limit;
  const int64_t factor = imported ? 16 : input_.several_lines ? 10 : 1;
  limits.explain_limit = static_cast<int>(
      std::min<int64_t>(factor * limits.explain_limit, 1000000000));
  return limits;
}

RequestOptions ServedModel::CheckedOptions(const Json& options,
                                           const RequestLimits& limits) const {
  const std::shared_ptr<OptionSet> set = predictor_->options().Clone();
  FieldList list;
  set->Visit(list);
  RequestOptions checked;
  std::vector<std::string> valid;
  for (const Field& field : list.fields()) {
    if (!OfOperator(field)) valid.push_back(field.key);
  }
  for (const auto& [key, value] : options.items()) {
    const auto field = std::ranges::find(list.fields(), key,
                                         [](const Field& f) { return f.key; });
    if (field == list.fields().end()) {
      throw HttpError(400,
                      "unknown parameter '{}'{} (a model for "
                      "task '{}' has: {})",
                      key, DidYouMean(key, valid), task().name,
                      fmt::join(valid, ", "));
    }
    if (OfOperator(*field)) {
      throw HttpError(
          400, "parameter '{}' can only be set by the operator of the server",
          key);
    }
    try {
      SetOption(*field, value);
    } catch (const ConfigError& error) {
      throw HttpError(400, error.what());
    }
    checked.values[key] = field->Value();
    const int max = ServedLimit(*field, limits);
    if (max > 0 && checked.values[key].get<double>() > max) {
      throw HttpError(400,
                      "parameter '{}' must be at most {} on "
                      "this server",
                      key, max);
    }
  }
  checked.set = set;
  return checked;
}

std::vector<Answer> ServedModel::Predict(std::span<const Input> inputs,
                                         const RequestOptions& options,
                                         PredictCall call) const {
  if (!call.parts) {
    call.max_line = 0;
    return predictor_->Predict(inputs, *options.set, call);
  }
  const InputReading reading = loaded_.settings->Reading(*options.set);
  std::vector<Input> lines;
  std::vector<size_t> ends;
  std::vector<std::pair<size_t, size_t>> places;  // input and line
  for (const Input& input : inputs) {
    std::ranges::move(LinesOf(input, input_, reading),
                      std::back_inserter(lines));
    for (size_t line = 0; places.size() < lines.size(); ++line) {
      places.emplace_back(ends.size(), line);
    }
    ends.push_back(lines.size());
  }
  size_t first = 0;  // of the lines that are answered together
  if (call.observer) {
    call.observer = [&, observer = call.observer](size_t line,
                                                  WrittenAnswer written) {
      const auto& [input, place] = places[first + line];
      written.line = place;
      observer(input, written);
    };
  }
  call.max_line = reading.defaults.max_line;
  call.cancellations.clear();  // one per input, not per line
  std::vector<Answer> answers;
  // Inputs that do not profit from batches are answered one by one, so that
  // other batches can take turns.
  if (JoinsInputs(options)) {
    answers = predictor_->PredictEach(lines, *options.set, call);
  } else {
    for (const Input& line : lines) {
      call.context().CheckCancelled();
      std::ranges::move(predictor_->PredictEach({&line, 1}, *options.set, call),
                        std::back_inserter(answers));
      ++first;
    }
  }
  std::vector<Answer> joined;
  size_t begin = 0;
  for (const size_t end : ends) {
    joined.push_back(Joined(std::span(answers).subspan(begin, end - begin)));
    begin = end;
  }
  return joined;
}

std::unique_ptr<OptionSet> ServedModel::OptionsFor(
    const std::string& target) const {
  if (target.empty()) return nullptr;
  if (!translates() || !DistanceTo({spec_.languages.source, target})) {
    throw HttpError(400, "{} is not supported as a target of model '{}'",
                    target, name());
  }
  const std::string mark = marks().MarkFor(target);
  if (mark.empty()) return nullptr;
  std::unique_ptr<OptionSet> options = predictor_->options().Clone();
  FieldList list;
  options->Visit(list);
  FieldsFromJson(list.fields(), {{"to", target}}, "the request");
  return options;
}

Explanation ServedModel::Explain(const ExplainRequest& request,
                                 const std::string& target) const {
  const std::unique_ptr<OptionSet> options = OptionsFor(target);
  ExplainRequest in_parts = request;
  if (options) in_parts.options = options.get();
  if (!translates() || !request.input.answer.empty()) {
    return heed::Explain(loaded_, *predictor_, in_parts);
  }
  // Splits into sentences, as /translate does.
  const std::vector<Segment> segments =
      SplitText(request.input.Text(),
                SplitOptionsOf(source_vocabulary(), spec_.languages.source));
  for (const Segment& segment : segments) {
    if (segment.translate) in_parts.input.parts.push_back(segment.text);
  }
  if (in_parts.input.parts.empty()) {
    throw FormatError("the text has no words");
  }
  Explanation explanation = heed::Explain(loaded_, *predictor_, in_parts);
  std::vector<std::string> written;
  for (const ExplanationSegment& segment : explanation.segments) {
    written.push_back(segment.answer);
  }
  if (written.size() == in_parts.input.parts.size()) {
    explanation.answer = JoinSegments(segments, written);
  }
  return explanation;
}

size_t ServedModel::MaxTexts(const RequestOptions& options,
                             double step_seconds) const {
  return AtLeastOne(
      RowsWithin(step_seconds, output_weights_) /
      static_cast<double>(predictor_->search_width(*options.set)));
}

size_t ServedModel::MaxBytes(double step_seconds) const {
  return AtLeastOne(BytesOfTokens(RowsWithin(step_seconds, layer_weights_)));
}

double ServedModel::MinSecondsOf(double tokens) const {
  return MinSeconds(tokens * multiply_adds_);
}

double ServedModel::PredictionSeconds(std::span<const Input> inputs,
                                      const RequestOptions& options) const {
  return MinSecondsOf(predictor_->Tokens(inputs, *options.set));
}

double ServedModel::ExplanationSeconds(
    const Input& input, const AttributionOptions& attribution) const {
  const auto bytes = static_cast<double>(input.Text().size());
  return MinSecondsOf(predictor_->TokensOfCopy(bytes) *
                      ExplanationPasses(bytes / BytesOfTokens(1),
                                        predictor_->Targets(bytes),
                                        attribution));
}

}  // namespace heed
