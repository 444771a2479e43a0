// Throughput of CTranslate2 with the model of `heed bench decode`. Compile it
// with this command, where DIR is a build of CTranslate2's sources (see
// compare_decoding.py):
//
//   g++ -std=c++20 -O2 bench/ctranslate2_decoding.cc -o DIR/heed_decoding
//       -I DIR/built/include -L DIR/built/lib -Wl,-rpath,'$ORIGIN/built/lib'
//       -lctranslate2
//
// MODEL is a folder written by ctranslate2_model.py. All sources have the same
// length, and their words are numbers. Exactly --length tokens are generated,
// because </s> is forbidden before. --workers N runs N replicas of the
// translator with shared weights; each has --threads threads and its own batch.
// Prints one JSON line: dtype, threads, workers, tokens_per_second, batch_ms,
// first_token_ms.
//
//   heed_decoding --model MODEL [--batch 64] [--beam 1] [--dtype {f32,int8}]
//       [--length 30] [--src-len 30] [--vocab 32000] [--seconds 5]
//       [--threads 1] [--workers 1]
//
// With --nbest, translates standard input to at most --length words per line,
// in the format of `heed translate --nbest`: the text, or for N > 1 number |||
// text ||| log-probability.
//
//   heed_decoding --model MODEL --nbest N [--beam 1] [--length 30]
#include <ctranslate2/translator.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Sentences = std::vector<std::vector<std::string>>;

constexpr int kSpecialTokens = 4;

struct Options {
  std::string model;
  std::string dtype = "f32";
  size_t batch = 64;
  size_t beam = 1;
  size_t length = 30;
  size_t src_len = 30;
  int vocab = 32000;
  double seconds = 5;
  size_t threads = 1;
  size_t workers = 1;
  size_t nbest = 0;
};

Options Parse(int argc, char** argv) {
  Options o;
  const std::map<std::string, size_t*> counts = {
      {"--batch", &o.batch},     {"--beam", &o.beam},
      {"--length", &o.length},   {"--src-len", &o.src_len},
      {"--threads", &o.threads}, {"--workers", &o.workers},
      {"--nbest", &o.nbest}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--model") {
      o.model = value;
    } else if (name == "--dtype") {
      o.dtype = value;
    } else if (name == "--vocab") {
      o.vocab = std::stoi(value);
    } else if (name == "--seconds") {
      o.seconds = std::stod(value);
    } else if (const auto count = counts.find(name); count != counts.end()) {
      *count->second = std::stoul(value);
    } else {
      throw std::invalid_argument("no option " + name);
    }
  }
  if (argc % 2 == 0 || o.model.empty()) {
    throw std::invalid_argument("needs --model, and a value of each option");
  }
  return o;
}

/// Loads in a temporary thread, so that the OpenMP threads of the load end with
/// it. Otherwise they would compete with the translators' threads for the
/// cores.
std::unique_ptr<ctranslate2::Translator> MakeTranslator(const Options& o) {
  const auto make = [&] {
    ctranslate2::models::ModelLoader loader(o.model);
    loader.num_replicas_per_device = o.workers;
    loader.compute_type = o.dtype == "int8" ? ctranslate2::ComputeType::INT8
                                            : ctranslate2::ComputeType::FLOAT32;
    ctranslate2::ReplicaPoolConfig config;
    config.num_threads_per_replica = o.threads;
    return std::make_unique<ctranslate2::Translator>(loader, config);
  };
  return std::async(std::launch::async, make).get();
}

Sentences RandomSources(const Options& o, size_t count) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> words(kSpecialTokens, o.vocab - 1);
  Sentences sources(count);
  for (auto& source : sources) {
    for (size_t i = 1; i < o.src_len; ++i) {
      source.push_back(std::to_string(words(random)));
    }
    source.emplace_back("</s>");
  }
  return sources;
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Median time of a call, after a warm-up call. Times at least three calls.
template <typename Work>
double MedianSeconds(const Work& work, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  work();
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < 3 || since(begin) < seconds) {
    const auto start = Clock::now();
    work();
    times.push_back(since(start));
  }
  return Median(times);
}

void Measure(const Options& o, ctranslate2::Translator& translator) {
  const auto seconds = [&](size_t batches, size_t length, double limit) {
    ctranslate2::TranslationOptions options;
    options.beam_size = o.beam;
    options.min_decoding_length = length;
    options.max_decoding_length = length;
    const Sentences sources = RandomSources(o, o.batch * batches);
    const auto translate = [&] {
      for (const auto& result :
           translator.translate_batch(sources, options, o.batch)) {
        if (result.output().size() != length) {
          throw std::runtime_error("a translation has another length");
        }
      }
    };
    return MedianSeconds(translate, limit);
  };
  const double batch = seconds(o.workers, o.length, o.seconds);
  const auto tokens = static_cast<double>(o.batch * o.length * o.workers);
  std::printf(
      "{\"dtype\": \"%s\", \"threads\": %zu, \"workers\": %zu, "
      "\"tokens_per_second\": %.2f, \"batch_ms\": %.4f, "
      "\"first_token_ms\": %.4f}\n",
      o.dtype.c_str(), o.threads, o.workers, tokens / batch, 1e3 * batch,
      1e3 * seconds(1, 1, o.seconds / 5));
}

Sentences ReadSources() {
  Sentences sources;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    auto& source = sources.emplace_back();
    for (std::string word; words >> word;) source.push_back(word);
    source.emplace_back("</s>");
  }
  return sources;
}

void WriteTranslations(const Options& o, ctranslate2::Translator& translator) {
  ctranslate2::TranslationOptions options;
  options.beam_size = o.beam;
  options.num_hypotheses = o.nbest;
  options.max_decoding_length = o.length;
  options.min_decoding_length = 0;
  options.length_penalty = 0;
  options.return_scores = true;
  const auto results = translator.translate_batch(ReadSources(), options);
  for (size_t i = 0; i < results.size(); ++i) {
    for (size_t k = 0; k < results[i].num_hypotheses(); ++k) {
      std::string text;
      for (const auto& word : results[i].hypotheses[k]) {
        text += (text.empty() ? "" : " ") + word;
      }
      if (o.nbest == 1) {
        std::printf("%s\n", text.c_str());
      } else {
        std::printf("%zu ||| %s ||| %.6f\n", i, text.c_str(),
                    results[i].scores[k]);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = Parse(argc, argv);
    const auto translator = MakeTranslator(options);
    if (options.nbest > 0) {
      WriteTranslations(options, *translator);
    } else {
      Measure(options, *translator);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ctranslate2_decoding: %s\n", error.what());
    return 1;
  }
  return 0;
}
