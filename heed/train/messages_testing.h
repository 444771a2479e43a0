// Processes simulated by threads, for tests.
#ifndef HEED_TRAIN_MESSAGES_TESTING_H_
#define HEED_TRAIN_MESSAGES_TESTING_H_

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "heed/train/messages.h"
#include "heed/train/processes.h"

namespace heed {

/// Message queues between threads.
class PostOffice {
 public:
  explicit PostOffice(int size) : size_(size) {}

  std::unique_ptr<Messages> Of(int rank) {
    return std::make_unique<Mail>(*this, rank);
  }
  /// Drops all further messages to and from this rank.
  void CutOff(int rank) {
    const std::lock_guard lock(mutex_);
    cut_off_ = rank;
  }

 private:
  using Key = std::tuple<int, int, int>;  // from, to, tag
  struct Box {
    std::deque<std::string> letters;
    int64_t awaited = 0;
    int64_t taken = 0;
  };

  class Sent : public Transfer {
   public:
    bool Ended() override { return true; }
  };
  class Awaited : public Transfer {
   public:
    Awaited(PostOffice& office, Key key, void* data, int64_t bytes)
        : office_(office), key_(std::move(key)), data_(data), bytes_(bytes) {
      const std::lock_guard lock(office_.mutex_);
      place_ = office_.boxes_[key_].awaited++;
    }
    bool Ended() override {
      if (ended_) return true;
      const std::lock_guard lock(office_.mutex_);
      Box& box = office_.boxes_[key_];
      // Receivers are served in the order of their requests.
      if (box.letters.empty() || box.taken != place_) return false;
      const std::string& letter = box.letters.front();
      if (std::ssize(letter) != bytes_) throw IoError("another size");
      std::memcpy(data_, letter.data(), letter.size());
      box.letters.pop_front();
      ++box.taken;
      return ended_ = true;
    }

   private:
    PostOffice& office_;
    Key key_;
    void* data_;
    int64_t bytes_;
    int64_t place_ = 0;
    bool ended_ = false;
  };
  class Mail : public Messages {
   public:
    Mail(PostOffice& office, int rank) : office_(office), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return office_.size_; }
    std::unique_ptr<Transfer> Send(int to, int tag, const void* data,
                                   int64_t bytes) override {
      const std::lock_guard lock(office_.mutex_);
      if (office_.cut_off_ != to && office_.cut_off_ != rank_) {
        office_.boxes_[{rank_, to, tag}].letters.emplace_back(
            static_cast<const char*>(data), static_cast<size_t>(bytes));
      }
      return std::make_unique<Sent>();
    }
    std::unique_ptr<Transfer> Receive(int from, int tag, void* data,
                                      int64_t bytes) override {
      return std::make_unique<Awaited>(office_, Key{from, rank_, tag}, data,
                                       bytes);
    }
    void Finish() override {}

   private:
    PostOffice& office_;
    int rank_;
  };

  int size_;
  int cut_off_ = -1;
  std::mutex mutex_;
  std::map<Key, Box> boxes_;
};

/// Calls body(processes) in `size` threads, each acting as a process.
inline void RunProcesses(int size,
                         const std::function<void(Processes&)>& body) {
  if (size == 1) {
    Processes alone;
    return body(alone);
  }
  PostOffice office(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&office, &body, rank] {
      Processes processes([&office, rank] { return office.Of(rank); });
      body(processes);
      processes.Finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace heed

#endif  // HEED_TRAIN_MESSAGES_TESTING_H_
