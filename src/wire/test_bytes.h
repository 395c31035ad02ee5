#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/writer.h"
#include "wire/limits.h"

// For the tests of this folder.
namespace karst::wire {

// "01 ff" -> two bytes. Only well-formed text.
inline ByteVector hex(std::string_view text) {
  ByteVector out;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      out.push_back(static_cast<std::uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  return out;
}

template <class Message>
ByteVector formatted(const Message& message) {
  ByteVector space(kPlaintextBytesMax);
  Writer out(space);
  format(message, out);
  space.resize(out.written());
  return space;
}

// True if the message can be read, but no shorter part of it, nor it and one more byte.
template <class Parse>
bool takes_exactly(ByteVector message, Parse parse) {
  message.push_back(0);
  if (parse(message).ok()) return false;
  for (std::size_t length = 0; length + 1 < message.size(); ++length) {
    if (parse(Bytes(message).first(length)).ok()) return false;
  }
  return parse(Bytes(message).first(message.size() - 1)).ok();
}

}  // namespace karst::wire
