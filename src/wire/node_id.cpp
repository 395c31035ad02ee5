#include "wire/node_id.h"

#include "wire/bech32m.h"

namespace karst::wire {
namespace {

constexpr std::string_view kHumanReadable = "karst";

}  // namespace

std::string NodeId::text() const { return bech32m(kHumanReadable, bytes); }

Result<NodeId> NodeId::parse(std::string_view text) {
  const auto decoded = bech32m_decode(kHumanReadable, text);
  NodeId id;
  if (!decoded || decoded->size() != id.bytes.size()) return kBadNodeId;
  copy_bytes(id.bytes, *decoded);
  return id;
}

}  // namespace karst::wire
