#pragma once

#include <nlohmann/json.hpp>

// Answers of the control socket, with the fields of status_json.h.
namespace karst::app {

inline nlohmann::ordered_json example_link() {
  return {
      {"policy", {{"epoch_bytes", 262144}, {"epoch_frames", 512}, {"epoch_active_ms", 500}}},
      {"rekey_window", 16},
      {"send",
       {{"epoch", 41},
        {"depth_prepared", 8},
        {"bytes", 3 << 20},
        {"wire_bytes", 3'350'000},
        {"queued_bytes", 0}}},
      {"receive",
       {{"epoch", 7},
        {"prepared", 8},
        {"bytes", 2048},
        {"wire_bytes", 51'200},
        {"queued_bytes", 0}}},
      {"exposed_bytes", 1 << 20},
      {"streams", 1},
      {"busiest_streams",
       {{{"id", 9},
         {"sent_bytes", 3 << 20},
         {"received_bytes", 2048},
         {"waits_for", {{"now", "link"}, {"total", {{"application", 0.25}, {"link", 0.75}}}}}}}},
      {"limiter",
       {{"now", "application"},
        {"recent", {{"ratchet", 0.254}, {"congestion window", 0.7}, {"cpu", 0.004}}}}},
      {"peer",
       {{"congestion_control", "cubic"},
        {"limiter", {{"recent", {{"mux credit", 0.6}, {"application", 0.4}}}}}}},
      {"tcp", {{"rtt_ms", 12.34}, {"congestion_control", "bbr"}}},
      {"server", "example.org:443"},
      {"up_seconds", 125.7}};
}

inline nlohmann::ordered_json example_client() {
  return {{"role", "client"},       {"ready", true},
          {"enrolled", true},       {"phase", "up"},
          {"attempts", 1},          {"proxy", {"127.0.0.1:1080", "[::1]:1080"}},
          {"proxy_connections", 2}, {"links", {example_link()}}};
}

inline nlohmann::ordered_json example_server() {
  nlohmann::ordered_json link = example_link();
  link["client"] = "alice";
  link["address"] = "192.0.2.7:50000";
  return {{"role", "server"}, {"ready", true}, {"node", "karst1abc"}, {"listen", {"0.0.0.0:443"}},
          {"connections", 3}, {"clients", 2},  {"links", {link}}};
}

}  // namespace karst::app
