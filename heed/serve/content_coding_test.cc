#include "heed/serve/content_coding.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "heed/base/file_errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

constexpr int kZlib = MAX_WBITS;
constexpr int kGzip = MAX_WBITS + 16;
constexpr int kRaw = -MAX_WBITS;

std::string Deflated(const std::string& text, int window_bits) {
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string bytes(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

HttpRequest RequestWith(const std::string& coding, std::string body) {
  HttpRequest request;
  request.headers.emplace_back("content-encoding", coding);
  request.body = std::move(body);
  request.max_body = 1000000;
  return request;
}

const std::string kText = "{\"q\": \"a man sleeps\"}";

TEST(DecodedBody, IsInflated) {
  for (const char* coding : {"gzip", "x-gzip", "GZIP", " gzip ", "gzip,"}) {
    EXPECT_EQ(DecodedBody(RequestWith(coding, Deflated(kText, kGzip))), kText);
  }
  for (const int bits : {kZlib, kRaw}) {
    EXPECT_EQ(DecodedBody(RequestWith("deflate", Deflated(kText, bits))),
              kText);
  }
  EXPECT_EQ(DecodedBody(RequestWith("identity", kText)), kText);
  EXPECT_EQ(DecodedBody(RequestWith("identity, gzip", Deflated(kText, kGzip))),
            kText);
  EXPECT_EQ(DecodedBody(RequestWith("", kText)), kText);
  EXPECT_EQ(DecodedBody(RequestWith("gzip", "")), "");
  HttpRequest plain;
  plain.body = kText;
  EXPECT_EQ(DecodedBody(plain), kText);
}

TEST(DecodedBody, MayHaveSeveralMembers) {
  const std::string members =
      Deflated(kText, kGzip) + Deflated("", kGzip) + Deflated(kText, kGzip);
  EXPECT_EQ(DecodedBody(RequestWith("gzip", members)), kText + kText);
}

TEST(DecodedBody, IsWholeAndValid) {
  const std::string bytes = Deflated(std::string(5000, 'x') + kText, kGzip);
  for (const std::string& wrong :
       {kText, bytes.substr(0, 9), bytes.substr(0, bytes.size() - 1),
        bytes + "x", bytes + bytes.substr(0, 12)}) {
    try {
      DecodedBody(RequestWith("gzip", wrong));
      FAIL() << wrong.size();
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 400);
      EXPECT_NE(std::string(error.what()).find("gzip"), std::string::npos);
    }
  }
  for (const std::string& wrong : {std::string("\xff\xff\xff"), kText}) {
    EXPECT_THROW(DecodedBody(RequestWith("deflate", wrong)), HttpError);
  }
}

TEST(DecodedBody, HasALimitOnceItIsInflated) {
  HttpRequest request =
      RequestWith("gzip", Deflated(std::string(2000, 'x'), kGzip));
  request.max_body = 2000;
  EXPECT_EQ(DecodedBody(request).size(), 2000U);
  request.max_body = 1999;
  EXPECT_THROW(DecodedBody(request), TooLargeError);
  for (const int bits : {kZlib, kRaw}) {
    request = RequestWith("deflate", Deflated(std::string(1 << 24, 'x'), bits));
    EXPECT_THROW(DecodedBody(request), TooLargeError);
  }
}

TEST(DecodedBody, OfAnotherCodingIsRefusedByItsName) {
  for (const char* coding :
       {"br", "zstd", "compress", "gzip, br", "gzip, gzip"}) {
    try {
      DecodedBody(RequestWith(coding, Deflated(kText, kGzip)));
      FAIL() << coding;
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 415);
      EXPECT_NE(std::string(error.what())
                    .find(std::string("Content-Encoding: ") + coding),
                std::string::npos);
      EXPECT_EQ(error.headers().at(0).first, "Accept-Encoding");
    }
  }
}

}  // namespace
}  // namespace heed
