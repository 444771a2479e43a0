#include <utility>

#include "tests/open_house/task.h"

namespace heed::strips {

TaskRow StripTask() {
  TaskRow row;
  row.name = "colours";
  row.description = "the colour that a strip of cells has most of";
  row.settings = [] { return std::make_unique<StripSettings>(); };
  row.input = {kKind, InputKind::Line::kPath, {kMediaType}};
  row.input_label = "Strip";
  row.answer_label = "Colour";
  row.prompt = "Type cells, as rrgby";
  row.examples = {{"rrgrb"}};
  row.training = {"--strips train.tsv --valid-strips valid.tsv"};
  return row;
}

std::string StripSettings::task() const { return StripTask().name; }

void StripSettings::Visit(FieldList& v) {
  v.Section("Data");
  v("strips", train, Any{"FILE"},
    "list for training: a line is the path of a strip, tab, its colour")
      .Main();
  v.Require({{"strips"}});
  v("valid_strips", valid, Any{"FILE"}, "the same for validation").Main();
  v("batch_strips", batch_strips, Range(1, 1000000), "strips per batch");
  encoder.VisitName(v, "encoder of the cells");
  classifier.Visit(v);
  encoder->Visit(v);
}

void StripEvaluation::Visit(FieldList& v) {
  v.Section("Data");
  v("strips", strips, Any{"FILE"}, "list of strips to compare with");
  v.Require({{"strips"}});
}

StripData StripSettings::ReadData() const {
  return {ReadList(train), valid.empty() ? LabelledStrips() : ReadList(valid)};
}

std::unique_ptr<StripModel> StripSettings::Learn(const StripData& /*data*/,
                                                 uint64_t seed) const {
  return std::make_unique<StripModel>(*this, seed);
}

std::unique_ptr<StripModel> StripSettings::Open(const ModelFiles& /*files*/,
                                                const std::string& /*folder*/,
                                                uint64_t seed) const {
  return std::make_unique<StripModel>(*this, seed);
}

StripModel::StripModel(StripConfig settings, uint64_t seed)
    : config(std::move(settings)),
      parameters_(seed, DType::kF32, config.encoder->precision()),
      network(Scope(parameters_, ""), config.classifier, kColourCount,
              /*multi_label=*/false,
              config.encoder->MakeText(Scope(parameters_, "encoder"),
                                       {.vocabulary = kColourCount})) {}

}  // namespace heed::strips
