// Tokenises JSON lines, for compare_tokenizers.py.
//
//   bench_tokenizer TOKENIZER.json < LINES     {"text", "pair"?, "special"}
//   bench_tokenizer TOKENIZER.json TEXT_FILE   prints MB/s of five runs
#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/text/tokenizer/tokenizer.h"

namespace {

using heed::Tokenizer;
using Json = nlohmann::ordered_json;

std::string ReadAll(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

void Measure(const Tokenizer& tokenizer, const std::string& text) {
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const size_t tokens = tokenizer.Encode(text, {}).size();
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    fmt::print("{:.2f} MB/s, {} tokens\n",
               static_cast<double>(text.size()) / 1e6 / time.count(), tokens);
  }
}

Json TokensOf(const Tokenizer& tokenizer, const Json& line) {
  const auto text = line["text"].get<std::string>();
  const Tokenizer::EncodeOptions options{.add_special =
                                             line["special"].get<bool>()};
  const auto tokens =
      line.contains("pair")
          ? tokenizer.EncodePair(text, line["pair"].get<std::string>(), options)
          : tokenizer.Encode(text, options);
  std::vector<int32_t> ids;
  Json result = {{"ids", Json::array()},
                 {"ranges", Json::array()},
                 {"segments", Json::array()}};
  for (const Tokenizer::Token& token : tokens) {
    ids.push_back(token.id);
    result["ids"].push_back(token.id);
    result["ranges"].push_back({token.begin, token.end});
    result["segments"].push_back(token.segment);
  }
  result["decoded"] = tokenizer.Decode(ids, true);
  return result;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 2) throw heed::Error("usage: bench_tokenizer FILE [TEXT]");
    const Tokenizer tokenizer =
        Tokenizer::Parse(ReadAll(arguments[1]), arguments[1]);
    if (count > 2) {
      Measure(tokenizer, ReadAll(arguments[2]));
      return 0;
    }
    for (std::string line; std::getline(std::cin, line);) {
      const Json parsed = heed::ParseJson(line, "standard input");
      std::cout << heed::DumpJson(TokensOf(tokenizer, parsed)) << '\n';
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
