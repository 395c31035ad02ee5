#pragma once

#include <string>

#include "app/paths.h"
#include "driver/client_node.h"
#include "driver/proxy_port.h"
#include "driver/server_node.h"
#include "keys/identity.h"

// What the daemon says of itself: JSON for the control socket, and text for a person.
namespace karst::app {

std::string server_status(driver::ServerNode& node, const keys::NodeId& self,
                          const keys::ClientRegistry& registry, driver::Ports& ports,
                          bool draining);
std::string client_status(driver::ClientNode& node, const driver::ProxyPort& proxy,
                          const keys::NodeId& self, const keys::NodeId& server,
                          driver::Ports& ports);

// Renders the JSON of either for a terminal; several lines.
std::string render_status(const std::string& json);
// "1.2 Gbit/s", "13 MiB", "2 h 5 min".
std::string human_rate(double bits_per_second);
std::string human_bytes(double bytes);
std::string human_time(double seconds);

}  // namespace karst::app
