#include "heed/models/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "heed/base/registry.h"
#include "heed/kernels/gemm.h"

namespace heed {
namespace {

std::deque<ModelRow>& Rows() {
  static std::deque<ModelRow> rows = [] {
    std::deque<ModelRow> all;
    for (const auto& models : {
             RecurrentModels(),    //
             PatchModels(),        //
             RnnModels(),          //
             TransformerModels(),  //
             BertModels(),         //
             DocumentModels(),     //
             GraphModels(),        //
             VisitModels(),        //
             RatingModels(),       //
             RecommenderModels(),  //
             PassageModels(),      //
             ImageModels(),        //
             CaptionModels(),      //
             FrameOrderModels(),   //
             RecogniserModels(),   //
             MachineModels(),      //
         }) {
      all.insert(all.end(), models.begin(), models.end());
    }
    return all;
  }();
  return rows;
}

bool Contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> NamesOfAll() {
  std::vector<std::string> names;
  for (const ModelRow& row : Rows()) names.push_back(row.name);
  return names;
}

}  // namespace

bool ModelSettings::wants_bf16() const {
  const std::unique_ptr<ModelSettings> copy = Clone();
  const std::vector<Field> fields = FieldsOf(*copy);
  const Field* precision = FindField(fields, "precision");
  return precision != nullptr && precision->Value() == "bf16";
}

kernels::Precision ModelSettings::precision() const {
  return PrecisionOf(wants_bf16() ? NumberFormat::kBF16 : NumberFormat::kF32);
}

std::string ModelSettings::PrecisionNote() const {
  return wants_bf16() && !kernels::HasBF16()
             ? "; this processor does not multiply bf16: products are f32"
             : "";
}

ForecastSettings::ForecastSettings(std::unique_ptr<EncoderSettings> encoder,
                                   const ForecastUse& use)
    : encoder_(std::move(encoder)), use_(use) {
  SetPreset(FieldsOf(*encoder_), use.encoder);
  SetPreset(FieldsOf(forecaster_), use.forecaster);
}

ForecastSettings::ForecastSettings(const ForecastSettings& other)
    : encoder_(
          static_cast<EncoderSettings*>(other.encoder_->Clone().release())),
      use_(other.use_),
      forecaster_(other.forecaster_) {}

std::unique_ptr<ModelSettings> ForecastSettings::Clone() const {
  return std::make_unique<ForecastSettings>(*this);
}

const ModelVariant& ModelRow::Variant(const std::string& variant) const {
  std::vector<std::string> names;
  for (const ModelVariant& one : variants) {
    if (variant == "auto" || variant == one.name) return one;
    names.push_back(one.name);
  }
  throw ConfigError("model '{}' has no variant '{}'; there are {}", name,
                    variant, fmt::join(names, ", "));
}

const std::deque<ModelRow>& Models() { return Rows(); }

void AddModel(ModelRow row) { AddRow(Rows(), std::move(row), "model"); }

const ModelRow& FindModel(const std::string& name) {
  for (const ModelRow& row : Rows()) {
    if (row.name == name) return row;
  }
  ThrowNoSuchModel(name, "model", NamesOfAll());
}

std::vector<std::string> VariantNames() {
  std::vector<std::string> names;
  for (const ModelRow& row : Rows()) {
    for (const ModelVariant& variant : row.variants) {
      if (!variant.name.empty()) names.push_back(variant.name);
    }
  }
  return names;
}

ImportedModel ModelForImport(const std::string& format) {
  for (const ModelRow& row : Rows()) {
    for (const ModelVariant& variant : row.variants) {
      if (Contains(variant.imports, format)) return {row.name, variant.name};
    }
  }
  throw ConfigError("there is no model for '{}'", format);
}

std::string ModelForExport(const std::string& format) {
  for (const ModelRow& row : Rows()) {
    if (Contains(row.exports, format)) return row.name;
  }
  throw ConfigError("no model can be written as '{}'", format);
}

std::string ModelForDecodingBench() {
  return std::find_if(Rows().begin(), Rows().end(),
                      [](const ModelRow& row) { return row.bench_decoding; })
      ->name;
}

void ThrowNoSuchModel(const std::string& name, const char* role,
                      const std::vector<std::string>& names) {
  throw ConfigError("model: '{}' is no {}{} (valid: {})", name, role,
                    DidYouMean(name, names), fmt::join(names, ", "));
}

}  // namespace heed
