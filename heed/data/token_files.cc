#include "heed/data/token_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/io/file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "HEEDTOK1";
constexpr size_t kSumAt = 8;
constexpr size_t kSummed = 12;  // the checksum covers all bytes from here on
constexpr size_t kNumbersAt = 20;
enum Number {
  kMadeOf,
  kSourceVocabulary,
  kTargetVocabulary,
  kCorpus,
  kPairs,
  kSourceTokens,
  kTargetTokens,
  kDroppedLong,
  kDroppedEmpty,
  kNumbers
};
constexpr size_t kHeaderBytes = kNumbersAt + 8 * kNumbers;

template <typename T>
void Put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
T Get(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

size_t IdBytes(const TokenFileInfo& info) {
  constexpr int64_t kMax = int64_t{1} << 16;
  return std::max(info.source_vocabulary, info.target_vocabulary) <= kMax ? 2
                                                                          : 4;
}

void PutIds(const std::vector<std::vector<int32_t>>& sentences, size_t id_bytes,
            std::string& bytes) {
  for (const std::vector<int32_t>& sentence : sentences) {
    for (const int32_t id : sentence) {
      if (id_bytes == 2) {
        Put(bytes, static_cast<uint16_t>(id));
      } else {
        Put(bytes, id);
      }
    }
  }
}

template <typename T>
bool AllBelow(const char* at, uint64_t count, int64_t limit) {
  T max = 0;
  for (uint64_t i = 0; i < count; ++i) {
    max = std::max(max, Get<T>(at + i * sizeof(T)));
  }
  return count == 0 || static_cast<int64_t>(max) < limit;
}

}  // namespace

std::string SerializeTokens(const Corpus& corpus, const TokenFileInfo& info) {
  std::array<uint64_t, 2> tokens = {};
  std::string ends;
  for (size_t i = 0; i < corpus.source.size(); ++i) {
    tokens[0] += corpus.source[i].size();
    tokens[1] += corpus.target[i].size();
    if (std::max(tokens[0], tokens[1]) > std::numeric_limits<uint32_t>::max()) {
      throw FormatError("a file of tokens: over 4,294,967,295 on a side");
    }
    Put(ends, static_cast<uint32_t>(tokens[0]));
    Put(ends, static_cast<uint32_t>(tokens[1]));
  }
  const size_t id_bytes = IdBytes(info);
  std::string summed;
  summed.reserve(kHeaderBytes + ends.size() +
                 (tokens[0] + tokens[1]) * id_bytes);
  Put(summed, static_cast<uint32_t>(id_bytes));
  Put(summed, uint32_t{0});
  for (const uint64_t number :
       {info.made_of, static_cast<uint64_t>(info.source_vocabulary),
        static_cast<uint64_t>(info.target_vocabulary),
        static_cast<uint64_t>(info.corpus),
        static_cast<uint64_t>(corpus.source.size()), tokens[0], tokens[1],
        static_cast<uint64_t>(info.dropped_long),
        static_cast<uint64_t>(info.dropped_empty)}) {
    Put(summed, number);
  }
  summed += ends;
  PutIds(corpus.source, id_bytes, summed);
  PutIds(corpus.target, id_bytes, summed);
  std::string bytes(kMagic);
  Put(bytes, Crc32(summed));
  return bytes + summed;
}

TokenFile::TokenFile(std::string_view bytes, const std::string& name,
                     const TokenFileInfo& expected)
    : id_bytes_(IdBytes(expected)) {
  const auto refuse = [&name](const char* why) -> FormatError {
    return FormatError("{}: {}; remove it, and it is made again", name, why);
  };
  if (!bytes.starts_with(kMagic) || bytes.size() < kHeaderBytes) {
    throw refuse(kMagic.starts_with(bytes.substr(0, kMagic.size()))
                     ? "is cut short"
                     : "is not a file of tokens");
  }
  const auto number = [&bytes](Number which) {
    return Get<uint64_t>(bytes.data() + kNumbersAt + 8 * which);
  };
  if (number(kMadeOf) != expected.made_of) {
    throw refuse(
        "was made of other text, by another vocabulary or with other "
        "options");
  }
  // Each is at most `limit`, so the sum cannot overflow.
  const uint64_t limit = bytes.size();
  const uint64_t pairs = number(kPairs);
  tokens_[0] = number(kSourceTokens);
  tokens_[1] = number(kTargetTokens);
  const bool sensible =
      Get<uint32_t>(bytes.data() + kSummed) == id_bytes_ &&
      Get<uint32_t>(bytes.data() + kSummed + 4) == 0 &&
      number(kSourceVocabulary) ==
          static_cast<uint64_t>(expected.source_vocabulary) &&
      number(kTargetVocabulary) ==
          static_cast<uint64_t>(expected.target_vocabulary) &&
      pairs <= limit && tokens_[0] <= limit && tokens_[1] <= limit &&
      kHeaderBytes + 8 * pairs + id_bytes_ * (tokens_[0] + tokens_[1]) == limit;
  if (!sensible) throw refuse("is cut short or damaged");
  if (Crc32(bytes.substr(kSummed)) != Get<uint32_t>(bytes.data() + kSumAt)) {
    throw refuse("is damaged (its check sum differs)");
  }
  size_ = static_cast<int64_t>(pairs);
  info_ = expected;
  info_.corpus = static_cast<int64_t>(number(kCorpus));
  info_.dropped_long = static_cast<int64_t>(number(kDroppedLong));
  info_.dropped_empty = static_cast<int64_t>(number(kDroppedEmpty));
  ends_ = bytes.data() + kHeaderBytes;
  ids_[0] = ends_ + 8 * pairs;
  ids_[1] = ids_[0] + id_bytes_ * tokens_[0];
  CheckIds(name);
}

/// Checks ids and ends, because a correct checksum does not exclude a faulty
/// writer.
void TokenFile::CheckIds(const std::string& name) const {
  bool valid = true;
  for (size_t side = 0; side < 2; ++side) {
    uint64_t before = 0;
    for (int64_t pair = 0; pair < size_; ++pair) {
      const uint64_t end = TokenRange(pair, side).end;
      valid = valid && end >= before;
      before = end;
    }
    valid = valid && before == tokens_[side];
    const int64_t limit =
        side == 0 ? info_.source_vocabulary : info_.target_vocabulary;
    valid =
        valid &&
        (id_bytes_ == 2 ? AllBelow<uint16_t>(ids_[side], tokens_[side], limit)
                        : AllBelow<uint32_t>(ids_[side], tokens_[side], limit));
  }
  if (!valid) {
    throw FormatError(
        "{}: has invalid positions or ids; remove it to create it again", name);
  }
}

TokenFile::Side TokenFile::TokenRange(int64_t pair, size_t side) const {
  const auto end_of = [&](int64_t i) {
    return Get<uint32_t>(ends_ + 8 * i + 4 * side);
  };
  return {pair == 0 ? 0 : end_of(pair - 1), end_of(pair)};
}

PairLength TokenFile::LengthOf(int64_t pair) const {
  const Side source = TokenRange(pair, 0);
  const Side target = TokenRange(pair, 1);
  return {static_cast<int32_t>(source.end - source.begin),
          static_cast<int32_t>(target.end - target.begin)};
}

std::vector<int32_t> TokenFile::IdsOf(int64_t pair, size_t side) const {
  const auto [begin, end] = TokenRange(pair, side);
  std::vector<int32_t> ids;
  ids.reserve(end - begin);
  for (uint32_t i = begin; i < end; ++i) {
    const char* at = ids_[side] + id_bytes_ * i;
    ids.push_back(id_bytes_ == 2 ? Get<uint16_t>(at) : Get<int32_t>(at));
  }
  return ids;
}

void TokenFile::Append(int64_t pair, Corpus& corpus) const {
  corpus.source.push_back(IdsOf(pair, 0));
  corpus.target.push_back(IdsOf(pair, 1));
}

/// Memory mapping of a file, released by the destructor.
class TokenFiles::Mapping {
 public:
  Mapping(const std::string& path, const TokenFileInfo& expected)
      : bytes_(Map(path)) {
    try {
      tokens_.emplace(
          std::string_view(static_cast<const char*>(bytes_.data), bytes_.size),
          path, expected);
    } catch (...) {
      Unmap();
      throw;
    }
    Release();
  }
  ~Mapping() { Unmap(); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  const TokenFile& tokens() const { return *tokens_; }
  void Release() const { madvise(bytes_.data, bytes_.size, MADV_DONTNEED); }

 private:
  struct Bytes {
    void* data = nullptr;
    size_t size = 0;
  };

  static Bytes Map(const std::string& path) {
    InputFile file(path);
    Bytes bytes;
    bytes.size = static_cast<size_t>(file.size());
    if (bytes.size == 0) throw FormatError("{}: is empty; remove it", path);
    const int fd = file.Release();
    bytes.data = mmap(nullptr, bytes.size, PROT_READ, MAP_SHARED, fd, 0);
    const int error = errno;
    close(fd);
    if (bytes.data == MAP_FAILED) {
      throw IoError("cannot map {} into memory: {}", path,
                    std::strerror(error));
    }
    return bytes;
  }
  void Unmap() { munmap(bytes_.data, bytes_.size); }

  Bytes bytes_;
  std::optional<TokenFile> tokens_;
};

TokenFiles::TokenFiles(const std::vector<std::string>& paths,
                       const TokenFileInfo& expected)
    : files_(paths.size()) {
  ParallelTasks(std::ssize(paths), [&](int64_t task) {
    const auto i = static_cast<size_t>(task);
    files_[i] = std::make_unique<Mapping>(paths[i], expected);
  });
  for (const auto& file : files_) {
    const TokenFile& tokens = file->tokens();
    starts_.push_back(size() + tokens.size());
    dropped_long_ += tokens.info().dropped_long;
    dropped_empty_ += tokens.info().dropped_empty;
  }
}

TokenFiles::~TokenFiles() = default;
TokenFiles::TokenFiles(TokenFiles&&) noexcept = default;
TokenFiles& TokenFiles::operator=(TokenFiles&&) noexcept = default;

std::vector<int64_t> TokenFiles::CorpusEnds(int64_t corpora) const {
  std::vector<int64_t> ends(static_cast<size_t>(corpora), 0);
  for (size_t i = 0; i < files_.size(); ++i) {
    const auto corpus = static_cast<size_t>(files_[i]->tokens().info().corpus);
    if (corpus < ends.size()) ends[corpus] = starts_[i + 1];
  }
  for (size_t i = 1; i < ends.size(); ++i) {
    ends[i] = std::max(ends[i], ends[i - 1]);
  }
  return ends;
}

size_t TokenFiles::FileOf(int64_t pair) const {
  return static_cast<size_t>(std::ranges::upper_bound(starts_, pair) -
                             starts_.begin() - 1);
}

PairLength TokenFiles::LengthOf(int64_t pair) const {
  const size_t file = FileOf(pair);
  return files_[file]->tokens().LengthOf(pair - starts_[file]);
}

Corpus TokenFiles::Read(std::span<const int64_t> pairs) const {
  Corpus corpus;
  for (const int64_t pair : pairs) {
    const size_t file = FileOf(pair);
    files_[file]->tokens().Append(pair - starts_[file], corpus);
  }
  return corpus;
}

void TokenFiles::Release() const {
  for (const auto& file : files_) file->Release();
}

}  // namespace heed
