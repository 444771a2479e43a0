// Messages between the processes of one training.
#ifndef HEED_TRAIN_MESSAGES_H_
#define HEED_TRAIN_MESSAGES_H_

#include <cstdint>
#include <memory>

namespace heed {

/// A message under way. Its memory is left alone until it has ended. One that
/// is destroyed before is given up.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// Whether it has ended. Does not wait. Throws: IoError.
  virtual bool Ended() = 0;
};

/// How processes, numbered by ranks from 0, reach each other. Messages of one
/// sender and tag arrive in their order. One thread makes and uses it.
class Messages {
 public:
  virtual ~Messages() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The receiver has to ask for a message of the same size.
  virtual std::unique_ptr<Transfer> Send(int to, int tag, const void* data,
                                         int64_t bytes) = 0;
  virtual std::unique_ptr<Transfer> Receive(int from, int tag, void* data,
                                            int64_t bytes) = 0;
  /// Takes leave in good order; all processes do so. Nothing can be sent then.
  virtual void Finish() = 0;
};

}  // namespace heed

#endif  // HEED_TRAIN_MESSAGES_H_
