#include "wire/credit.h"

#include "base/check.h"
#include "base/reader.h"
#include "wire/limits.h"

namespace karst::wire {

void format(const StreamCredit& credit, Writer& out) {
  CHECK(credit.taken <= credit.limit && credit.limit <= kOffsetMax);
  out.u64(credit.taken);
  out.u64(credit.limit);
}

void format(const LinkCredit& credit, Writer& out) {
  CHECK(credit.window <= kOffsetMax);
  out.u64(credit.window);
}

Result<StreamCredit> parse_stream_credit(Bytes payload) {
  Reader in(payload);
  StreamCredit credit;
  credit.taken = in.u64();
  credit.limit = in.u64();
  if (!in.finished() || credit.taken > credit.limit || credit.limit > kOffsetMax) {
    return kCreditMalformed;
  }
  return credit;
}

Result<LinkCredit> parse_link_credit(Bytes payload) {
  Reader in(payload);
  const LinkCredit credit{in.u64()};
  if (!in.finished() || credit.window > kOffsetMax) return kCreditMalformed;
  return credit;
}

}  // namespace karst::wire
