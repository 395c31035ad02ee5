#pragma once

#include <cstddef>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "crypto/secret_bytes.h"

namespace karst::platform {

// The whole of a regular file (or of one in /proc), or kFileTooLarge when it has more than
// `bytes_max`. Never waits, whatever `path` turns out to be. Symbolic links are followed.
// kFileNotFound says that nothing has this name; a link to nothing is kFileLinkBroken.
Result<ByteVector> read_file(const std::string& path, std::size_t bytes_max);

// The same for a file that holds a secret: refused with kFileExposed when group or others have any
// right to it, and with kFileForeign when it belongs to a user that is neither ours nor root.
Result<crypto::SecretBytes> read_secret_file(const std::string& path, std::size_t bytes_max);

}  // namespace karst::platform
