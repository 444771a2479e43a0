// Models of Marian (Junczys-Dowmunt et al. 2018, arXiv:1804.00344).
#ifndef HEED_CONVERT_IMPORT_MARIAN_H_
#define HEED_CONVERT_IMPORT_MARIAN_H_

#include <string>
#include <vector>

#include "heed/convert/imported.h"

namespace heed {

/// Reads model.npz of type transformer, s2s or amun (with a conditional GRU,
/// which is what they are by default), with the settings that stand in it.
/// `vocabularies`: files of source and target, or one for both; none: those
/// that MODEL.decoder.yml names. Options `ignored` of the model are not looked
/// at (see MarianModelOptions for those that are known). The result scores and
/// writes as Marian does, but for what the notes say. Throws: IoError;
/// FormatError that names the file and the option, tensor or token that Heed
/// does not understand.
Imported ImportMarian(const std::string& model,
                      std::vector<std::string> vocabularies,
                      const std::vector<std::string>& ignored = {});

}  // namespace heed

#endif  // HEED_CONVERT_IMPORT_MARIAN_H_
