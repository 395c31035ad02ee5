#include "wire/fin.h"

#include "base/check.h"
#include "base/reader.h"
#include "wire/limits.h"

namespace karst::wire {

void format(const Fin& fin, Writer& out) {
  CHECK(fin.final <= kOffsetMax);
  out.u64(fin.final);
}

Result<Fin> parse_fin(Bytes payload) {
  Reader in(payload);
  const Fin fin{in.u64()};
  if (!in.finished() || fin.final > kOffsetMax) return kFinMalformed;
  return fin;
}

}  // namespace karst::wire
