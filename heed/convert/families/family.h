// Importers of Hugging Face folders, by the model_type of their config.json.
#ifndef HEED_CONVERT_FAMILIES_FAMILY_H_
#define HEED_CONVERT_FAMILIES_FAMILY_H_

#include <span>
#include <string>

#include "heed/convert/convert.h"
#include "heed/convert/families/encoder.h"
#include "heed/convert/import_options.h"

namespace heed {

/// A family of models. Its importer is in a file of its own.
struct ModelFamily {
  const char* type;
  /// `options`: config.json. Null for encoders, which ImportEncoder imports.
  Imported (*import)(const std::string& folder, ImportOptions& options,
                     const ImportRequest& request) = nullptr;
  const EncoderFamily* encoder = nullptr;
};

/// All families, in the order of error messages.
std::span<const ModelFamily> ModelFamilies();

/// The family that config.json names. Throws: FormatError with the names of all
/// families.
const ModelFamily& FindFamily(ImportOptions& options);

namespace bert {
extern const EncoderFamily kFamily;
}
namespace distilbert {
extern const EncoderFamily kFamily;
}
namespace roberta {
extern const EncoderFamily kFamily;
extern const EncoderFamily kXlmFamily;
extern const EncoderFamily kCamembertFamily;
}  // namespace roberta
namespace gpt2 {
Imported Import(const std::string& folder, ImportOptions& options,
                const ImportRequest& request);
}
namespace opt {
Imported Import(const std::string& folder, ImportOptions& options,
                const ImportRequest& request);
}

}  // namespace heed

#endif  // HEED_CONVERT_FAMILIES_FAMILY_H_
