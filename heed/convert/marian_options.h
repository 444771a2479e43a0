// Every option that a model of Marian's can hold.
#ifndef HEED_CONVERT_MARIAN_OPTIONS_H_
#define HEED_CONVERT_MARIAN_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heed/convert/import_options.h"
#include "heed/convert/mapped_vocabulary.h"

namespace heed {

/// What an option of a model does to an import.
enum class MarianUse : uint8_t {
  kRead,     // decides the architecture
  kAny,      // changes nothing that this type of model computes
  kDefault,  // Heed has its harmless values alone
};

/// An option that describes a model.
struct MarianOption {
  std::string_view name;
  MarianUse transformer;
  MarianUse recurrent;  // types s2s and amun
  /// Values that mean what Heed computes, as "a|b"; of a list, its elements.
  /// Whatever is off (see IsOff) is one of them.
  std::string_view harmless;
  std::string_view meaning;  // of the other values
};

/// The newest version of Marian whose options are all in the table.
inline constexpr std::string_view kNewestMarian = "1.12.43";

/// Options that describe models, but for those that change nothing.
std::span<const MarianOption> MarianModelOptions();
/// Options of training, validation, translation and of the program, and of what
/// these models have not: their scores depend on none.
const std::vector<std::string_view>& MarianUnusedOptions();

/// Looks at the options that nobody asked for. One that is in no table passes
/// with a note if it is off. Throws: FormatError that names option and value,
/// and says what to do.
void CheckMarianOptions(const ImportOptions& options, bool transformer,
                        Notes& notes);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_OPTIONS_H_
