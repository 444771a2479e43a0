#include "heed/io/marian_binary.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

void Append(uint64_t number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

struct Item {
  std::string name;
  uint64_t type;
  std::vector<int32_t> shape;
  std::string elements;  // padded as in a file
};

/// A file as Marian writes it.
std::string Binary(const std::vector<Item>& items, uint64_t version = 1) {
  std::string bytes;
  Append(version, bytes);
  Append(items.size(), bytes);
  for (const Item& item : items) {
    Append(item.name.size() + 1, bytes);
    Append(item.type, bytes);
    Append(item.shape.size(), bytes);
    Append(item.elements.size(), bytes);
  }
  for (const Item& item : items) bytes += item.name + '\0';
  for (const Item& item : items) {
    bytes.append(reinterpret_cast<const char*>(item.shape.data()),
                 item.shape.size() * sizeof(int32_t));
  }
  constexpr uint64_t kGap = 13;
  Append(kGap, bytes);
  bytes.append(kGap, '\0');
  for (const Item& item : items) bytes += item.elements;
  return bytes;
}

std::string Padded(std::string elements) {
  elements.resize((elements.size() + 255) / 256 * 256);
  return elements;
}

std::string Floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(float)};
}

class MarianBinary : public testing::Test {
 protected:
  std::vector<MarianTensor> Read(const std::string& bytes) {
    return ReadMarianBinary(folder_.Put("m.bin", bytes));
  }
  std::string Error(const std::string& bytes) {
    return MessageOf<FormatError>([&] { Read(bytes); });
  }

  TemporaryFolder folder_;
  const std::vector<Item> items_ = {
      {"W", 0x404, {2, 3}, Padded(Floats({1, 2, 3, 4, 5, 6}))},
      {"h", 0x402, {1, 2}, Padded(std::string("\x00\x3c\x00\xc0", 4))},
      {"special:model.yml", 0x101, {4}, Padded("a: b")},
  };
};

TEST_F(MarianBinary, ArraysHaveTheirNamesShapesAndElements) {
  const std::vector<MarianTensor> tensors = Read(Binary(items_));
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].name, "W");
  EXPECT_EQ(tensors[0].value.shape(), Shape({2, 3}));
  EXPECT_EQ(tensors[0].value.ToVector<float>(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tensors[1].value.ToVector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(std::string(static_cast<const char*>(tensors[2].value.raw()), 4),
            "a: b");
}

TEST_F(MarianBinary, EveryBeginningOfAFileIsRefused) {
  const std::string whole = Binary(items_);
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_NE(Error(whole.substr(0, size)).find("m.bin: "), std::string::npos);
  }
}

TEST_F(MarianBinary, OtherVersionsAndFilesAreNamed) {
  EXPECT_NE(Error(Binary(items_, 2)).find("not a binary model of Marian"),
            std::string::npos);
  EXPECT_NE(Error("PK and so on, a long file of another program")
                .find("not a binary model of Marian"),
            std::string::npos);
}

/// Bytes of an intgemm8 array with its multiplier.
std::string Quantised(std::string bytes, float multiplier) {
  return Padded(std::move(bytes) + Floats({multiplier}));
}

std::vector<int8_t> Bytes(const Tensor& x) {
  return {x.data<int8_t>(), x.data<int8_t>() + x.numel()};
}

TEST_F(MarianBinary, QuantisedMatricesAreTransposedBack) {
  const std::vector<MarianTensor> tensors =
      Read(Binary({{"a_Wq", 0x4101, {3, 2}, Quantised("\1\2\3\4\5\xff", 8)},
                   {"Wemb", 0x4101, {3, 2}, Quantised("\1\2\3\4\5\6", 2)}}));
  EXPECT_EQ(tensors[0].value.shape(), Shape({3, 2}));
  EXPECT_EQ(Bytes(tensors[0].value), (std::vector<int8_t>{1, 4, 2, 5, 3, -1}));
  EXPECT_EQ(tensors[0].multiplier, 8);
  EXPECT_EQ(Bytes(tensors[1].value), (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tensors[1].multiplier, 2);
}

TEST_F(MarianBinary, WrittenArraysAreThoseThatWereRead) {
  const std::vector<Item> items = {
      {"Wemb", 0x4101, {3, 2}, Quantised("\1\2\3\4\5\6", 2)},
      {"a_Wq", 0x4101, {3, 2}, Quantised("\1\2\3\4\5\xff", 8)},
      {"b", 0x404, {1, 2}, Padded(Floats({1, 2}))},
      {"special:model.yml", 0x101, {4}, "a: b"}};
  std::vector<MarianTensor> tensors = Read(Binary(items));
  std::swap(tensors.front(), tensors.back());
  const std::string bytes = MarianBinaryBytes(tensors);
  // Only the padding before the elements differs.
  const std::string theirs = Binary(items);
  const size_t elements = 3 * 256 + 4;
  const size_t headers = theirs.size() - elements - 13 - 8;
  EXPECT_EQ(bytes.size() % 256, 4U);
  EXPECT_EQ(bytes.substr(0, headers), theirs.substr(0, headers));
  EXPECT_EQ(bytes.substr(bytes.size() - elements),
            theirs.substr(theirs.size() - elements));
  EXPECT_EQ(MarianBinaryBytes(Read(bytes)), bytes);
}

TEST_F(MarianBinary, QuantisedMatricesThatDoNotFitAreNamed) {
  const auto error = [this](const std::vector<int32_t>& shape,
                            const std::string& elements) {
    return Error(Binary({{"a_Wq", 0x4101, shape, elements}}));
  };
  EXPECT_NE(error({3, 2}, "123456").find("'a_Wq' [3, 2]"), std::string::npos);
  EXPECT_NE(error({1 << 30, 1 << 30}, Padded("")).find("'a_Wq'"),
            std::string::npos);
  EXPECT_NE(error({6}, Quantised("123456", 1)).find("'a_Wq' [6]"),
            std::string::npos);
  for (const float multiplier : {0.0F, -1.0F, NAN, INFINITY}) {
    EXPECT_NE(error({3, 2}, Quantised("123456", multiplier))
                  .find("'a_Wq' has the quantisation multiplier"),
              std::string::npos);
  }
}

TEST_F(MarianBinary, OtherQuantisationsAreRefusedWithAWayOut) {
  std::vector<Item> items = items_;
  for (const uint64_t type : {0x4102, 0x802, 0x1801, 0x2801}) {
    items[0].type = type;
    const std::string error = Error(Binary(items));
    EXPECT_NE(error.find("'W' has elements of type"), std::string::npos);
    EXPECT_NE(error.find("import the .npz"), std::string::npos);
  }
}

TEST_F(MarianBinary, EveryNumberOfTwoToTheSixtyThirdIsRefused) {
  const std::string whole = Binary(items_);
  const size_t headers = 2 + 4 * items_.size();
  const size_t padding =
      8 * headers + 2 + 2 + sizeof("special:model.yml") + 4 * 5;
  std::vector<size_t> places = {padding};
  for (size_t i = 0; i < headers; ++i) places.push_back(8 * i);
  for (const size_t place : places) {
    std::string changed = whole;
    const uint64_t large = uint64_t{1} << 63;
    std::memcpy(changed.data() + place, &large, sizeof(large));
    EXPECT_NE(Error(changed).find("m.bin: "), std::string::npos) << place;
  }
}

TEST_F(MarianBinary, GzipIsReadAndZstdRefused) {
  const std::string whole = Binary(items_);
  const std::string path = folder_.Path("m.bin.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, whole.data(), static_cast<unsigned>(whole.size()));
  gzclose(file);
  EXPECT_EQ(ReadMarianBinary(path)[0].value.ToVector<float>(),
            Read(whole)[0].value.ToVector<float>());
  EXPECT_NE(Error("\x28\xb5\x2f\xfd and more").find("unzstd"),
            std::string::npos);
}

TEST_F(MarianBinary, SizesThatNoFileHoldsAreRefused) {
  std::vector<Item> items = items_;
  items[0].shape = {1 << 30, 1 << 30};
  EXPECT_NE(Error(Binary(items)).find("'W'"), std::string::npos);
  items[0].shape = {-1, 3};
  EXPECT_NE(Error(Binary(items)).find("'W' has no shape"), std::string::npos);
  std::string many = Binary({});
  const uint64_t count = uint64_t{1} << 60;
  std::memcpy(many.data() + 8, &count, sizeof(count));
  EXPECT_NE(Error(many).find("claims"), std::string::npos);
}

}  // namespace
}  // namespace heed
