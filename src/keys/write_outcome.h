#pragma once

namespace karst::keys {

// What became of a write that a core asked for. Durable means synced to the disk, not only written.
enum class WriteOutcome { durable, failed };

}  // namespace karst::keys
