#include "base/check.h"
#include "base/prng.h"
#include "keys/admission.h"

// Any cookie field is judged without harm, none is a proof by chance, and none hides one that
// stands first.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::keys;
  SeededEntropy entropy(1);
  const FrontSecrets secrets(FrontSecret::random(entropy), 1);
  const TlsExporter exporter = TlsExporter::random(entropy);
  const std::string_view cookies = as_text({data, size});
  AdmissionGate gate(exporter.duplicate());
  CHECK(!gate.admit(cookies, "a.example", secrets, {}).ok());
  const std::string proof =
      make_admission_cookie(secrets.current(), exporter, "a.example", entropy);
  CHECK(gate.admit(proof + "; " + std::string(cookies), "a.example", secrets, {}).ok());
  return 0;
}
