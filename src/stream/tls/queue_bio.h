#pragma once

#include "base/byte_queue.h"
#include "stream/tls/handles.h"

namespace karst::stream::tls {

// The ciphertext of one connection, both ways, in memory. It is what OpenSSL reads from and writes
// to instead of a socket, and what TCP is filled from without a further copy.
struct CipherQueues {
  ByteQueue in;
  ByteQueue out;
};

// A BIO over these queues, which outlive it.
BioPtr make_queue_bio(CipherQueues& queues);

}  // namespace karst::stream::tls
