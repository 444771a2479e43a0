// Message passing between the processes of one training run.
#ifndef HEED_TRAIN_MESSAGES_H_
#define HEED_TRAIN_MESSAGES_H_

#include <cstdint>
#include <memory>

namespace heed {

/// A message in transit. Its buffer must stay valid until Ended(). Destroying
/// an unfinished transfer abandons it.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// True if the transfer has ended. Does not wait. Throws: IoError.
  virtual bool Ended() = 0;
};

/// Message passing between processes with ranks from 0. Messages with the same
/// sender and tag arrive in order. Created and used by a single thread.
class Messages {
 public:
  virtual ~Messages() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Sends `bytes` bytes; the receiver must request the same size.
  virtual std::unique_ptr<Transfer> Send(int to, int tag, const void* data,
                                         int64_t bytes) = 0;
  virtual std::unique_ptr<Transfer> Receive(int from, int tag, void* data,
                                            int64_t bytes) = 0;
  /// Shuts down in order; all processes must call it. No messages can be sent
  /// afterwards.
  virtual void Finish() = 0;
};

}  // namespace heed

#endif  // HEED_TRAIN_MESSAGES_H_
