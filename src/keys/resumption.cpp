#include "keys/resumption.h"

#include "crypto/ct.h"
#include "crypto/kdf.h"

namespace karst::keys {

ResumeMac make_resume_mac(const ResumeKey& old_key, const TranscriptHash& new_link) {
  return crypto::hmac_sha256(old_key.expose(), {new_link});
}

bool verify_resume_mac(const ResumeKey& old_key, const TranscriptHash& new_link, Bytes mac) {
  return crypto::ct_equal(make_resume_mac(old_key, new_link), mac);
}

}  // namespace karst::keys
