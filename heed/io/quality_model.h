// Quality models of bergamot and Firefox: qualityModel.ende.bin.
#ifndef HEED_IO_QUALITY_MODEL_H_
#define HEED_IO_QUALITY_MODEL_H_

#include <array>
#include <string>
#include <string_view>

namespace heed {

/// A logistic regression: the probability that a translated word is bad is
/// sigma(intercept + sum_i coefficient_i (x_i - mean_i) / std_i).
struct QualityModel {
  /// Features x of a word: mean and minimum of log p of its pieces, number of
  /// its pieces, mean log p of all pieces of the sentence.
  using Features = std::array<float, 4>;

  Features stds = {};  // above 0
  Features means = {};
  Features coefficients = {};
  float intercept = 0;

  double ProbabilityOfBad(const Features& features) const;
  /// Content of a file for ParseQualityModel.
  std::string Serialize() const;
};

/// Parses a file: magic, number of features (two 64-bit numbers), then the
/// members of QualityModel in f32, all little-endian. Throws: FormatError that
/// names `file` and the field.
QualityModel ParseQualityModel(std::string_view bytes, const std::string& file);

}  // namespace heed

#endif  // HEED_IO_QUALITY_MODEL_H_
