#include "stream/tls/queue_bio.h"

#include <algorithm>

#include "base/check.h"

namespace karst::stream::tls {
namespace {

CipherQueues& queues_of(BIO* bio) { return *static_cast<CipherQueues*>(BIO_get_data(bio)); }

int write_out(BIO* bio, const char* data, std::size_t size, std::size_t* written) {
  BIO_clear_retry_flags(bio);
  queues_of(bio).out.append(as_bytes({data, size}));
  *written = size;
  return 1;
}

int read_in(BIO* bio, char* space, std::size_t size, std::size_t* filled) {
  BIO_clear_retry_flags(bio);
  ByteQueue& in = queues_of(bio).in;
  *filled = std::min(size, in.size());
  if (*filled == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  in.copy_out(0, {reinterpret_cast<std::uint8_t*>(space), *filled});
  in.consume(*filled);
  return 1;
}

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "karst queues");
  CHECK(method != nullptr);
  CHECK(BIO_meth_set_write_ex(method, write_out) == 1);
  CHECK(BIO_meth_set_read_ex(method, read_in) == 1);
  CHECK(BIO_meth_set_ctrl(method, control) == 1);
  return method;
}

}  // namespace

BioPtr make_queue_bio(CipherQueues& queues) {
  static const BIO_METHOD* const method = make_method();
  BioPtr bio(BIO_new(method));
  CHECK(bio != nullptr);
  BIO_set_data(bio.get(), &queues);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace karst::stream::tls
