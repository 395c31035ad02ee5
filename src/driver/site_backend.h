#pragma once

#include <map>
#include <memory>

#include "driver/ports.h"
#include "stream/cover/backend.h"

namespace karst::driver {

// The sockets of a cover site that is a reverse proxy: one connection to the configured loopback
// address per request. The owner calls pump() after anything that may have moved the site.
class SiteBackend {
 public:
  // `progress` is called, from a callback, when the site may have something for its clients.
  SiteBackend(stream::cover::Backend& backend, const Endpoint& address, Ports& ports,
              Callback progress);
  ~SiteBackend();

  void pump();

 private:
  class Connection;
  void open(stream::cover::BackendId id);
  stream::cover::Moment moment() const;

  stream::cover::Backend& backend_;
  const Endpoint address_;
  Ports& ports_;
  Callback progress_;
  std::map<stream::cover::BackendId, std::unique_ptr<Connection>> connections_;
};

}  // namespace karst::driver
