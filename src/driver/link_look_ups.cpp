#include "driver/link_look_ups.h"

#include <algorithm>
#include <utility>

namespace karst::driver {

// What the caller holds.
class LinkLookUps::Asked final : public Lookup {
 public:
  Asked(LinkLookUps& owner, std::string_view name, AddressFamily family, LookupCallback callback)
      : owner_(owner), name_(name), family_(family), callback_(std::move(callback)) {}
  ~Asked() override {
    if (running_ != nullptr) {
      running_->asked = nullptr;
    } else {
      owner_.waiting_.remove(this);
    }
  }

  LinkLookUps& owner_;
  const std::string name_;
  const AddressFamily family_;
  LookupCallback callback_;
  Running* running_ = nullptr;
};

std::unique_ptr<Lookup> LinkLookUps::look_up(std::string_view name, AddressFamily family,
                                             LookupCallback callback) {
  auto asked = std::make_unique<Asked>(*this, name, family, std::move(callback));
  if (may_run()) {
    start(*asked);
  } else {
    waiting_.push_back(asked.get());
  }
  return asked;
}

LinkLookUps::~LinkLookUps() {
  for (Running& running : running_) running.owner = nullptr;
  all_.left_.splice(all_.left_.end(), running_);
}

bool LinkLookUps::may_run() const {
  if (running_.empty()) return true;
  const std::size_t left = kOfAll - std::min(kOfAll, all_.running_);
  return running_.size() < kOfLink && running_.size() < left;
}

void LinkLookUps::start(Asked& asked) {
  ++all_.running_;
  const auto at = running_.insert(running_.end(), Running{nullptr, &asked, this});
  asked.running_ = &*at;
  at->lookup = ports_.look_up(asked.name_, asked.family_,
                              [&all = all_, at](Result<std::vector<IpAddress>> answer) {
                                end(all, at, std::move(answer));
                              });
}

void LinkLookUps::end(Totals& all, Place at, Result<std::vector<IpAddress>> answer) {
  // Both are on the list of things that the callback below may destroy.
  const std::unique_ptr<Lookup> ended = std::move(at->lookup);
  LookupCallback callback;
  if (Asked* asked = at->asked) {
    asked->running_ = nullptr;
    callback = std::move(asked->callback_);
  }
  LinkLookUps* const owner = at->owner;
  (owner != nullptr ? owner->running_ : all.left_).erase(at);
  --all.running_;
  if (owner != nullptr) owner->start_waiting();
  if (callback) callback(std::move(answer));
}

void LinkLookUps::start_waiting() {
  while (!waiting_.empty() && may_run()) {
    Asked& next = *waiting_.front();
    waiting_.pop_front();
    start(next);
  }
}

}  // namespace karst::driver
