#pragma once

#include "base/bytes.h"

namespace karst::stream::websocket {

// Whether the bytes are whole, shortest-form UTF-8 without surrogates (RFC 3629).
bool valid_utf8(Bytes bytes);

}  // namespace karst::stream::websocket
