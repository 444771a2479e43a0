#include "heed/page/static_page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

std::string Packed(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

TEST(StaticPage, HoldsScriptsStylesAndExplanations) {
  const std::string index = Packed(
      "<!doctype html><html><head><title>x</title>"
      "<link rel=\"icon\" href=\"data:,\" />"
      "<script type=\"module\" src=\"./assets/a.js\"></script>"
      "<link rel=\"stylesheet\" href=\"./assets/a.css\"></head>"
      "<body><main></main></body></html>");
  const std::string script = Packed("say('</script>')");
  const std::string style = Packed("body{margin:0}");
  const PageFile files[] = {{"assets/a.css", "text/css", "", style},
                            {"assets/a.js", "text/javascript", "", script},
                            {"index.html", "text/html", "", index}};
  EXPECT_EQ(StaticPage(files, "[{\"text\":\"</script>\"}]"),
            "<!doctype html><html><head><title>x</title>"
            "<link rel=\"icon\" href=\"data:,\" />"
            "<script type=\"module\">say('<\\/script>')</script>"
            "<style>body{margin:0}</style>"
            "<script type=\"application/json\" id=\"heed-explanations\">"
            "[{\"text\":\"\\u003c/script>\"}]</script>\n"
            "</head><body><main></main></body></html>");
}

TEST(StaticPage, SaysWhatABuildWithoutItNeeds) {
  EXPECT_NE(MessageOf<ConfigError>([] {
              StaticPage({}, "[]");
            }).find("install Node 18"),
            std::string::npos);
}

TEST(StaticPage, RefusesDamagedFiles) {
  const std::string whole = Packed("<html></html>");
  const std::string cut = whole.substr(0, whole.size() / 2);
  const PageFile index = {"index.html", "text/html", "", cut};
  EXPECT_THROW(StaticPage({&index, 1}, "[]"), FormatError);
}

}  // namespace
}  // namespace heed
