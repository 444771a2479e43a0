#include "heed/text/vocabulary_file.h"

#include <cstddef>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kAlignment = 16;  // of the compact form

/// Members of the line of JSON, and where they stand.
struct Member {
  const char* name;
  int32_t SpecialIds::*id;
};
constexpr Member kMembers[] = {{"pad", &SpecialIds::pad},
                               {"unk", &SpecialIds::unk},
                               {"bos", &SpecialIds::bos},
                               {"eos", &SpecialIds::eos},
                               {"mask", &SpecialIds::mask}};

int32_t IdIn(const Json& value, int32_t size, const std::string& name) {
  if (!value.is_number_integer()) {
    throw FormatError("{}: a special token is no id", name);
  }
  const auto id = value.get<int64_t>();
  if (id < -1 || id >= size) {
    throw FormatError("{}: special token {} of {} ids", name, id, size);
  }
  return static_cast<int32_t>(id);
}

}  // namespace

std::string WriteTokenizerFile(const Tokenizer& tokenizer,
                               const SpecialIds& special) {
  Json ids;
  for (const auto& [name, id] : kMembers) ids[name] = special.*id;
  ids["other_ends"] = special.other_ends;
  ids["between"] = special.between;
  std::string bytes = ids.dump();
  bytes.append(kAlignment - 1 - bytes.size() % kAlignment, ' ');
  bytes += '\n';
  return bytes + tokenizer.Serialize();
}

StoredTokenizer ReadTokenizerFile(const SharedBytes& file,
                                  const std::string& name) {
  const std::string_view bytes = file;
  const size_t line = bytes.find('\n');
  if (line == bytes.npos || (line + 1) % kAlignment != 0) {
    throw FormatError("{}: not the file of a tokenizer", name);
  }
  const Json ids = ParseJson(bytes.substr(0, line), name);
  StoredTokenizer stored = {
      Tokenizer::Map(bytes.substr(line + 1), file.owner(), name), {}};
  const int32_t size = stored.tokenizer.size();
  for (const auto& [member, id] : kMembers) {
    stored.special.*id =
        IdIn(ids.is_object() ? ids.value(member, Json()) : Json(), size, name);
  }
  for (const auto& [member, list] :
       {std::pair{"other_ends", &stored.special.other_ends},
        std::pair{"between", &stored.special.between}}) {
    for (const Json& id : ids.value(member, Json::array())) {
      list->push_back(IdIn(id, size, name));
    }
  }
  return stored;
}

}  // namespace heed
