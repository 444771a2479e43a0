#include "heed/io/quality_model.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "heed/base/errors.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are read as they stand in memory");

constexpr uint64_t kQualityMagic = 0x78cc336f1d54b180;

constexpr uint64_t kQualityFeatures = std::tuple_size_v<QualityModel::Features>;
constexpr size_t kQualityHeader = 2 * sizeof(uint64_t);
constexpr size_t kQualityBytes = kQualityHeader + sizeof(QualityModel);

void CheckNumbers(const QualityModel::Features& numbers, const char* field,
                  bool positive, const std::string& file) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i]) && (!positive || numbers[i] > 0)) continue;
    throw FormatError("{}: {} {} is {}; expected a {} number", file, field,
                      i + 1, numbers[i], positive ? "positive" : "finite");
  }
}

}  // namespace

double QualityModel::ProbabilityOfBad(const Features& features) const {
  double z = intercept;
  for (size_t i = 0; i < features.size(); ++i) {
    z += double{coefficients[i]} * (double{features[i]} - means[i]) / stds[i];
  }
  return 1 / (1 + std::exp(-z));
}

std::string QualityModel::Serialize() const {
  const uint64_t header[] = {kQualityMagic, kQualityFeatures};
  std::string bytes(kQualityBytes, '\0');
  std::memcpy(bytes.data(), header, kQualityHeader);
  std::memcpy(bytes.data() + kQualityHeader, this, sizeof(*this));
  return bytes;
}

QualityModel ParseQualityModel(std::string_view bytes,
                               const std::string& file) {
  uint64_t header[2] = {};
  if (bytes.size() >= kQualityHeader) {
    std::memcpy(header, bytes.data(), kQualityHeader);
  }
  const auto [magic, features] = header;
  if (magic != kQualityMagic) {
    throw FormatError(
        "{}: is not a quality model of bergamot (its magic number differs)",
        file);
  }
  if (features != kQualityFeatures) {
    throw FormatError("{}: the number of features is {}; expected {}", file,
                      features, kQualityFeatures);
  }
  if (bytes.size() != kQualityBytes) {
    throw FormatError("{}: has {} bytes; a quality model of {} features has {}",
                      file, bytes.size(), kQualityFeatures, kQualityBytes);
  }
  QualityModel model;
  std::memcpy(&model, bytes.data() + kQualityHeader, sizeof(model));
  CheckNumbers(model.stds, "standard deviation", true, file);
  CheckNumbers(model.means, "mean", false, file);
  CheckNumbers(model.coefficients, "coefficient", false, file);
  if (!std::isfinite(model.intercept)) {
    throw FormatError("{}: the intercept is {}; expected a finite number", file,
                      model.intercept);
  }
  return model;
}

}  // namespace heed
