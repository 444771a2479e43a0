#include <fmt/format.h>

#include <utility>

#include "heed/io/file.h"
#include "heed/tasks/speech/speech.h"

namespace heed::speech {

Utterances::Utterances(Recordings recordings, const StringOptions& strings,
                       int64_t count)
    : recordings_(std::make_shared<const Recordings>(std::move(recordings))),
      options_(strings),
      size_(count == 0 ? recordings_->size() : count) {
  if (count > 0) {
    strings_ = std::make_shared<const WordStrings>(*recordings_, strings);
  }
}

Recording Utterances::At(int64_t i) const {
  return strings_ ? strings_->At(i)
                  : recordings_->all.at(static_cast<size_t>(i % size_));
}

int64_t Utterances::Length(int64_t i) const {
  return strings_
             ? strings_->Words(i)
             : std::ssize(
                   recordings_->all.at(static_cast<size_t>(i % size_)).samples);
}

Utterances Utterances::Slice(int64_t begin, int64_t end) const {
  Recordings some;
  some.rate = recordings_->rate;
  some.all.assign(recordings_->all.begin() + begin,
                  recordings_->all.begin() + end);
  return {std::move(some), options_, 0};
}

std::string Utterances::Checksum() const {
  return fmt::format("{:08x} {} {} {} {}", heed::Checksum(*recordings_), size_,
                     options_.shortest, options_.longest, options_.seed);
}

Utterances SpeechSource::Read(int rate, StringOptions options) const {
  return {ReadRecordings(recordings, rate), options, strings};
}

StringOptions DataConfig::Strings() const {
  StringOptions options;
  options.shortest = shortest;
  options.longest = longest;
  options.seed = string_seed;
  return options;
}

}  // namespace heed::speech
