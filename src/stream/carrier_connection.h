#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "stream/cover/http_message.h"

namespace karst::stream {

using cover::Moment;

// Either end of the stream carrier as its TCP connection sees it: bytes in, bytes out. What the
// driver moves bytes for (driver/carrier_socket.h).
class CarrierConnection {
 public:
  virtual ~CarrierConnection() = default;

  // Whether TCP is to be read at all: false while something behind is full.
  virtual bool wants_input() const = 0;
  // Room for at least one byte from TCP, and how much of it was filled.
  virtual MutableBytes input_space() = 0;
  virtual void commit_input(std::size_t filled, const Moment& moment) = 0;
  virtual void handle_input_end(const Moment& moment) = 0;

  // Makes output, up to what is worth one system call. To be called before gather_output().
  virtual void produce(const Moment& moment) = 0;
  // The output's runs in order; they live until the next call that is not const.
  virtual std::size_t gather_output(std::span<Bytes> runs) const = 0;
  virtual void consume_output(std::size_t count) = 0;

  // Nothing more is to be read: send what output there is, then close TCP.
  virtual bool over() const = 0;

  virtual std::optional<TimePoint> next_deadline() const = 0;
  virtual void handle_deadline(const Moment& moment) = 0;
};

}  // namespace karst::stream
