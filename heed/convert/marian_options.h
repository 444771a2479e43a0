// Table of all options in Marian's models.
#ifndef HEED_CONVERT_MARIAN_OPTIONS_H_
#define HEED_CONVERT_MARIAN_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heed/convert/import_options.h"
#include "heed/convert/mapped_vocabulary.h"

namespace heed {

/// Effect of a model's option on its import.
enum class MarianUse : uint8_t {
  kRead,     // determines the architecture
  kAny,      // no effect for this model type
  kDefault,  // only the harmless values are supported
};

/// An option that describes a model.
struct MarianOption {
  std::string_view name;
  MarianUse transformer;
  MarianUse recurrent;  // types s2s and amun
  /// Supported values as "a|b"; for a list, values of its elements. Values that
  /// are off (see IsOff) are always supported.
  std::string_view harmless;
  std::string_view meaning;  // meaning of all other values
};

/// Latest Marian version whose options are all in the table.
inline constexpr std::string_view kNewestMarian = "1.12.43";

/// Options that describe models and may change their results.
std::span<const MarianOption> MarianModelOptions();
/// Options without effect on the scores of these models: of training,
/// validation, translation, the program, and of other models.
const std::vector<std::string_view>& MarianUnusedOptions();

/// Checks all unread options. An unknown option passes with a note if it is
/// off. Throws: FormatError with option, value and advice.
void CheckMarianOptions(const ImportOptions& options, bool transformer,
                        Notes& notes);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_OPTIONS_H_
