#include "heed/serve/http.h"

#include <gtest/gtest.h>

#include "heed/base/file_errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

HttpRequest Parsed(const std::string& target) {
  HttpRequest request;
  request.target = target;
  ParseTarget(request);
  return request;
}

int StatusOf(const std::string& target) {
  try {
    Parsed(target);
    return 200;
  } catch (const HttpError& error) {
    return error.status();
  }
}

TEST(ParseTarget, DecodesPathAndQuery) {
  const HttpRequest request = Parsed("/a%20b/%C3%B6?q=x+y%2B&r&s=%26=1#part");
  EXPECT_EQ(request.path, "/a b/ö");
  const NamedValues expected = {{"q", "x y+"}, {"r", ""}, {"s", "&=1"}};
  EXPECT_EQ(request.query, expected);
}

TEST(ParseTarget, TakesThePathOfAnAddress) {
  EXPECT_EQ(Parsed("http://host:80/x?a=b").path, "/x");
  EXPECT_EQ(Parsed("HTTPS://host").path, "/");
  EXPECT_EQ(Parsed("http://host?a=b").query.at(0).second, "b");
  EXPECT_EQ(Parsed("*").path, "*");
}

TEST(ParseTarget, RefusesWhatIsNoPlainPath) {
  for (const char* target :
       {"", "x", "ftp://x/", "/..", "/a/../b", "/%2e%2E/x", "/./x", "/%00",
        "/%7f", "/%ff", "/%", "/%4", "/%zz", "/?a=%ff", "/?a=%", "/%0D%0A"}) {
    EXPECT_EQ(StatusOf(target), 400) << target;
  }
  EXPECT_EQ(StatusOf("/...//x"), 200);
}

TEST(ParseForm, SaysWhichValueIsWrong) {
  EXPECT_EQ(ParseForm("").size(), 0u);
  EXPECT_EQ(ParseForm("&&a&=b").size(), 2u);
  EXPECT_NE(
      MessageOf<HttpError>([] { ParseForm("a=1&text=%ff"); }).find("text"),
      std::string::npos);
}

TEST(HttpRequest, HeadersAreFoundInAnyCase) {
  HttpRequest request;
  request.headers = {{"Content-TYPE", "a"}, {"content-type", "b"}};
  EXPECT_EQ(request.Header("content-type"), "a");
  EXPECT_FALSE(request.Header("Content"));
}

TEST(HeadOf, SaysLengthAndWhetherTheConnectionEnds) {
  HttpResponse response = ErrorResponse(404, "no", {{"X", "y"}});
  EXPECT_EQ(response.body, "{\"error\":\"no\"}\n");
  EXPECT_EQ(HeadOf(response, 11, 5),
            "HTTP/1.1 404 Not Found\r\n"
            "Content-Type: application/json; charset=utf-8\r\n"
            "X: y\r\nContent-Length: 5\r\n\r\n");
  response.close = true;
  EXPECT_NE(HeadOf(response, 11, {}).find("Connection: close\r\n\r\n"),
            std::string::npos);
  response.close = false;
  EXPECT_NE(HeadOf(response, 10, {}).find("HTTP/1.0"), std::string::npos);
}

TEST(ErrorResponse, AFilesErrorHasAStatusOfItsKind) {
  const auto status = [](const auto& error) {
    return ErrorResponse(std::make_exception_ptr(error)).status;
  };
  EXPECT_EQ(status(FormatError("a.png: damaged")), 400);
  EXPECT_EQ(status(TooLargeError("a.png: many pixels")), 413);
  EXPECT_EQ(status(UnsupportedError("a.png: no image")), 415);
  EXPECT_EQ(status(IoError("the disk")), 500);
}

TEST(ErrorResponse, IsJsonWhateverTheMessage) {
  EXPECT_EQ(ErrorResponse(400, "a\"\n\xff").body,
            "{\"error\":\"a\\\"\\n\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace heed
