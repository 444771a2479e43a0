#include "heed/text/sentencepiece_model.h"

#include <bit>
#include <cstring>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "scores are written as they stand in memory");

// Field numbers of sentencepiece_model.proto.
enum ModelField { kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3 };
enum PieceField { kText = 1, kScore = 2, kType = 3 };
enum TrainerField {
  kModelType = 3,
  kUnkId = 40,
  kBosId = 41,
  kEosId = 42,
  kPadId = 43,
  kUnkPiece = 45,
  kBosPiece = 46,
  kEosPiece = 47,
  kPadPiece = 48,
};
constexpr uint64_t kModelTypeBpe = 2;
// Field numbers of NormalizerSpec from 200 on are reserved for extensions.
enum NormalizerField { kCharacterMap = 2, kNormalForm = 7200 };

// Wire types of protocol buffers.
enum Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint64_t number = 0;
  uint64_t wire = 0;
  uint64_t value = 0;      // of kVarint
  std::string_view bytes;  // of kBytes, kFixed32 and kFixed64
  std::string_view whole;  // including its tag
};

/// Reads fields sequentially.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name)
      : rest_(bytes), name_(name) {}

  bool done() const { return rest_.empty(); }

  WireField Next() {
    const char* begin = rest_.data();
    const uint64_t tag = Varint();
    WireField field;
    field.number = tag >> 3;
    field.wire = tag & 7;
    switch (field.wire) {
      case kVarint:
        field.value = Varint();
        break;
      case kFixed64:
        field.bytes = Bytes(8);
        break;
      case kBytes:
        field.bytes = Bytes(Varint());
        break;
      case kFixed32:
        field.bytes = Bytes(4);
        break;
      default:
        Fail();
    }
    field.whole = {begin, static_cast<size_t>(rest_.data() - begin)};
    return field;
  }

  [[noreturn]] void Fail() const {
    throw FormatError("{} is not a SentencePiece model, or damaged", name_);
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(Bytes(1)[0]);
      value |= uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    Fail();
  }

  std::string_view Bytes(uint64_t size) {
    if (size > rest_.size()) Fail();
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  std::string_view rest_;
  const std::string& name_;
};

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7F) | 0x80);
  }
  out += static_cast<char>(value);
}

void AppendNumber(uint64_t field, uint64_t value, std::string& out) {
  AppendVarint(field << 3 | kVarint, out);
  AppendVarint(value, out);
}

void AppendBytes(uint64_t field, std::string_view bytes, std::string& out) {
  AppendVarint(field << 3 | kBytes, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

// True if SentencePiece can look up any text in a compiled character map
// without leaving it. Checks the size of the double array (Darts), its units,
// and that the texts end with a zero.
bool IsCharacterMap(std::string_view map) {
  constexpr size_t kBlock = 256;  // units
  uint32_t bytes = 0;
  if (map.size() <= sizeof(bytes)) return false;
  std::memcpy(&bytes, map.data(), sizeof(bytes));
  map.remove_prefix(sizeof(bytes));
  if (bytes == 0 || bytes >= map.size() || map.back() != '\0' ||
      bytes % (kBlock * sizeof(uint32_t)) != 0) {
    return false;
  }
  std::vector<uint32_t> units(bytes / sizeof(uint32_t));
  std::memcpy(units.data(), map.data(), bytes);
  const size_t texts = map.size() - bytes;
  constexpr uint32_t kIsLeaf = 1U << 31;
  constexpr uint32_t kHasLeaf = 1U << 8;
  for (size_t i = 0; i < units.size(); ++i) {
    const uint32_t unit = units[i];
    if ((unit & kIsLeaf) != 0) continue;
    const size_t next = i ^ ((unit >> 10) << ((unit & (1U << 9)) >> 6));
    if (next >= units.size()) return false;
    const uint32_t leaf = units[next];
    const bool text = (leaf & kIsLeaf) != 0 && (leaf & ~kIsLeaf) < texts;
    if ((unit & kHasLeaf) != 0 && !text) return false;
  }
  return true;
}

SentencePieceModel::Piece ParsePiece(std::string_view bytes,
                                     const std::string& name) {
  SentencePieceModel::Piece piece;
  Reader reader(bytes, name);
  while (!reader.done()) {
    const WireField field = reader.Next();
    if (field.number == kText && field.wire == kBytes) {
      piece.text = field.bytes;
    } else if (field.number == kScore && field.wire == kFixed32) {
      std::memcpy(&piece.score, field.bytes.data(), sizeof(piece.score));
    } else if (field.number == kType && field.wire == kVarint) {
      if (field.value < 1 || field.value > 6) reader.Fail();
      piece.type = static_cast<SentencePieceModel::Type>(field.value);
    }
  }
  // SentencePiece aborts the process for a piece that contains a zero byte.
  const bool zero = piece.text.find('\0') != std::string::npos;
  if (zero || !IsValidUtf8(piece.text)) reader.Fail();
  return piece;
}

}  // namespace

SentencePieceModel SentencePieceModel::Parse(std::string_view bytes,
                                             const std::string& name) {
  SentencePieceModel model;
  std::string normalizer;
  Reader reader(bytes, name);
  while (!reader.done()) {
    const WireField field = reader.Next();
    if (field.number == kPieces && field.wire == kBytes) {
      model.pieces.push_back(ParsePiece(field.bytes, name));
    } else if (field.number == kTrainerSpec && field.wire == kBytes) {
      model.trainer += field.bytes;  // protobuf merges repeated messages
    } else if (field.number == kNormalizerSpec && field.wire == kBytes) {
      normalizer += field.bytes;
    } else {
      model.others += field.whole;
    }
  }
  Reader trainer(model.trainer, name);
  while (!trainer.done()) {
    const WireField field = trainer.Next();
    if (field.number == kModelType) model.bpe = field.value == kModelTypeBpe;
  }
  Reader rule(normalizer, name);
  while (!rule.done()) {
    const WireField field = rule.Next();
    const bool map = field.number == kCharacterMap && field.wire == kBytes;
    if (map && !field.bytes.empty() && !IsCharacterMap(field.bytes)) {
      rule.Fail();
    }
    if (field.number == kNormalForm) {
      model.normal_form = field.value != 0;
    } else {
      model.normalizer += field.whole;
    }
  }
  if (model.pieces.empty()) reader.Fail();
  return model;
}

std::string SentencePieceModel::Serialize(const SpecialIds& ids) const {
  std::string bytes;
  for (const Piece& piece : pieces) {
    std::string message;
    AppendBytes(kText, piece.text, message);
    AppendVarint(kScore << 3 | kFixed32, message);
    message.append(reinterpret_cast<const char*>(&piece.score),
                   sizeof(piece.score));
    AppendNumber(kType, static_cast<uint64_t>(piece.type), message);
    AppendBytes(kPieces, message, bytes);
  }
  // For a repeated field the last value counts.
  std::string spec = trainer;
  for (const auto& [field, id] :
       {std::pair(kUnkId, ids.unk), std::pair(kBosId, ids.bos),
        std::pair(kEosId, ids.eos), std::pair(kPadId, ids.pad)}) {
    AppendNumber(field, static_cast<uint64_t>(int64_t{id}), spec);
  }
  AppendBytes(kUnkPiece, "<unk>", spec);
  AppendBytes(kBosPiece, "<s>", spec);
  AppendBytes(kEosPiece, "</s>", spec);
  AppendBytes(kPadPiece, "<pad>", spec);
  AppendBytes(kTrainerSpec, spec, bytes);
  std::string rule = normalizer;
  if (normal_form) AppendNumber(kNormalForm, 1, rule);
  if (!rule.empty()) AppendBytes(kNormalizerSpec, rule, bytes);
  return bytes + others;
}

}  // namespace heed
