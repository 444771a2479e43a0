#include "heed/io/marian_shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are read as they stand in memory");

constexpr uint64_t kShortlistMagic = 0xF11A48D5013417F5;

struct ShortlistHeader {
  uint64_t magic;
  uint64_t checksum;
  uint64_t first;
  uint64_t best;
  uint64_t offsets;
  uint64_t entries;
};

/// Hash of the whole 64-bit words after magic and checksum.
uint64_t ShortlistChecksum(std::string_view bytes) {
  constexpr uint64_t kStep = 0x9e3779b9;
  uint64_t hash = 0;
  for (size_t at = offsetof(ShortlistHeader, first); at + 8 <= bytes.size();
       at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    hash ^= word + kStep + (hash << 6) + (hash >> 2);
  }
  return hash;
}

}  // namespace

MarianShortlist ReadMarianShortlist(const std::string& path) {
  const std::string bytes = ReadInflated(path);
  const auto fail = [&path](const std::string& problem) {
    throw FormatError("{}: {}", path, problem);
  };
  ShortlistHeader header = {};
  if (bytes.size() >= sizeof(header)) {
    std::memcpy(&header, bytes.data(), sizeof(header));
  }
  if (header.magic != kShortlistMagic) {
    fail("is not a binary shortlist of Marian (its magic number differs)");
  }
  const uint64_t left = bytes.size() - sizeof(header);
  if (header.offsets == 0 || header.offsets > left / sizeof(uint64_t)) {
    fail(fmt::format("claims {} offsets, more than its size; it is cut short",
                     header.offsets));
  }
  const uint64_t rest = left - header.offsets * sizeof(uint64_t);
  if (rest % sizeof(uint32_t) != 0 ||
      header.entries != rest / sizeof(uint32_t)) {
    fail(fmt::format("claims {} entries, but has {} bytes for them",
                     header.entries, rest));
  }
  if (header.first > INT32_MAX) {
    fail(fmt::format("claims {} first ids, more than a vocabulary has",
                     header.first));
  }
  if (header.checksum != ShortlistChecksum(bytes)) {
    fail("is damaged (its checksum differs)");
  }
  std::vector<uint64_t> offsets(header.offsets);
  const char* data = bytes.data() + sizeof(header);
  std::memcpy(offsets.data(), data, header.offsets * sizeof(uint64_t));
  if (offsets.front() != 0 || offsets.back() != header.entries ||
      header.entries > INT32_MAX || !std::ranges::is_sorted(offsets)) {
    fail("its offsets do not ascend from 0 to the number of entries");
  }
  std::vector<uint32_t> entries(header.entries);
  std::memcpy(entries.data(), data + header.offsets * sizeof(uint64_t), rest);
  if (std::ranges::any_of(entries,
                          [](uint32_t id) { return id > INT32_MAX; })) {
    fail("an entry is no token id");
  }
  return {static_cast<int32_t>(header.first),
          {offsets.begin(), offsets.end()},
          {entries.begin(), entries.end()}};
}

std::string MarianShortlistBytes(const MarianShortlist& list) {
  ShortlistHeader header = {};
  header.magic = kShortlistMagic;
  header.first = static_cast<uint64_t>(list.first);
  header.offsets = list.offsets.size();
  header.entries = list.targets.size();
  for (size_t i = 1; i < list.offsets.size(); ++i) {
    const int32_t run = list.offsets[i] - list.offsets[i - 1];
    header.best = std::max(header.best, static_cast<uint64_t>(run));
  }
  const std::vector<uint64_t> offsets(list.offsets.begin(), list.offsets.end());
  std::string bytes(sizeof(header), '\0');
  bytes.append(reinterpret_cast<const char*>(offsets.data()),
               offsets.size() * sizeof(uint64_t));
  bytes.append(reinterpret_cast<const char*>(list.targets.data()),
               list.targets.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.checksum = ShortlistChecksum(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

}  // namespace heed
