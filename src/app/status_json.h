#pragma once

#include <string>

#include "driver/client_node.h"
#include "driver/proxy_port.h"
#include "driver/server_node.h"
#include "keys/identity.h"

// What the daemon says of itself, as JSON for the control socket (docs/operations.md lists the
// fields). status_text.h makes text of it.
namespace karst::app {

std::string server_status(driver::ServerNode& node, const keys::NodeId& self,
                          const keys::ClientRegistry& registry, driver::Ports& ports,
                          bool draining);
std::string client_status(driver::ClientNode& node, const driver::ProxyPort& proxy,
                          const keys::NodeId& self, const keys::NodeId& server,
                          driver::Ports& ports);

}  // namespace karst::app
