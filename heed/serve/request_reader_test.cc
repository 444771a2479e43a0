#include "heed/serve/request_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

constexpr const char* kPost =
    "POST /translate?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";

int Status(const std::string& bytes, const ReaderLimits& limits = {}) {
  try {
    ParseRequest(bytes, limits);
    return 200;
  } catch (const HttpError& error) {
    return error.status();
  }
}

TEST(RequestReader, ReadsARequest) {
  const HttpRequest request = ParseRequest(kPost);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/translate");
  EXPECT_EQ(request.query.at(0).first, "x");
  EXPECT_EQ(request.Header("host"), "h");
  EXPECT_EQ(request.body, "hello");
  EXPECT_TRUE(request.keep_alive);
}

// The result is independent of how the bytes are split and of bytes after them.
TEST(RequestReader, PiecesChangeNothing) {
  for (const std::string& bytes :
       {std::string(kPost),
        std::string(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
            "\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: r\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: h\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")}) {
    for (size_t step = 1; step <= bytes.size() + 9; ++step) {
      RequestReader reader(ReaderLimits{});
      const std::string all = bytes + "GET next";
      std::string waiting;
      size_t used = 0;
      for (size_t at = 0; at < all.size() && !reader.done(); at += step) {
        waiting += all.substr(at, step);
        size_t taken = 1;
        while (taken > 0 && !reader.done()) {
          taken = reader.Feed(waiting);
          used += taken;
          waiting.erase(0, taken);
        }
      }
      ASSERT_TRUE(reader.done()) << step;
      EXPECT_EQ(used, bytes.size()) << step;
      EXPECT_EQ(reader.Take().body,
                bytes.ends_with("\n0\r\n\r\n") ? "" : "hello")
          << step;
    }
  }
}

TEST(RequestReader, TellsTheStateOfARequest) {
  RequestReader reader(ReaderLimits{});
  EXPECT_FALSE(reader.started());
  const std::string head =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: "
      "100-continue\r\n\r\n";
  EXPECT_EQ(reader.Feed(head), head.size());
  EXPECT_TRUE(reader.started());
  EXPECT_TRUE(reader.head_done());
  EXPECT_TRUE(reader.expects_continue());
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(reader.Feed("xGET"), 1u);
  EXPECT_TRUE(reader.done());
}

TEST(RequestReader, KeepsToTheLimits) {
  ReaderLimits limits;
  limits.max_head = 100;
  limits.max_body = 10;
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(Status(head + "X: " + std::string(100, 'x') + "\r\n\r\n", limits),
            431);
  EXPECT_EQ(Status("GET /" + std::string(200, 'x'), limits), 414);
  EXPECT_EQ(Status(head + "Content-Length: 10\r\n\r\n0123456789", limits), 200);
  EXPECT_EQ(Status(head + "Content-Length: 11\r\n\r\n", limits), 413);
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(Status(chunked + "6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n", limits),
            413);
  EXPECT_EQ(Status(chunked + "1;" + std::string(40000, 'x')), 400);
}

TEST(RequestReader, RefusesWhatCouldBeReadInTwoWays) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  for (const char* rest :
       {"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "Content-Length: +1\r\n\r\na", "Host: i\r\n\r\n", "A : b\r\n\r\n",
        "Content-Length : 1\r\n\r\na"}) {
    EXPECT_EQ(Status(head + rest), 400) << rest;
  }
  EXPECT_EQ(Status(head + "Transfer-Encoding: CHUNKED \r\n\r\n0\r\n\r\n"), 200);
  for (const char* codings :
       {"chunked, gzip", "gzip, chunked", "gzip", "identity",
        "identity, chunked", "chunked;q=1", "xchunked"}) {
    EXPECT_EQ(Status(fmt::format("{}Transfer-Encoding: {}\r\n\r\n0\r\n\r\n",
                                 head, codings)),
              501)
        << codings;
  }
  EXPECT_EQ(Status(head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: "
                          "chunked\r\n\r\n0\r\n\r\n"),
            400);
  EXPECT_EQ(Status(head + "Transfer-Encoding: gzip\r\nTransfer-Encoding: "
                          "chunked\r\n\r\n0\r\n\r\n"),
            501);
  for (const char* codings : {"chunked, chunked", ""}) {
    EXPECT_EQ(Status(fmt::format("{}Transfer-Encoding: {}\r\n\r\n0\r\n\r\n",
                                 head, codings)),
              400)
        << codings;
  }
  EXPECT_EQ(Status("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            501);
}

TEST(RequestReader, SaysWhatIsNoRequest) {
  EXPECT_EQ(Status(""), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\nHost: h"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\nHost: h\n\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Status("GET / HTTP/1.0\r\n\r\n"), 200);
  EXPECT_EQ(Status("GET / HTTP/3.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(Status(std::string(300, '\0')), 400);
}

}  // namespace
}  // namespace heed
