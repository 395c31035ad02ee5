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

bool LinkLookUps::may_run() const {
  if (running_.empty()) return true;
  const std::size_t left = kOfAll - std::min(kOfAll, of_all_);
  return running_.size() < kOfLink && running_.size() < left;
}

void LinkLookUps::start(Asked& asked) {
  ++of_all_;
  const auto at = running_.insert(running_.end(), Running{nullptr, &asked});
  asked.running_ = &*at;
  at->lookup = ports_.look_up(
      asked.name_, asked.family_,
      [this, at](Result<std::vector<IpAddress>> answer) { handle_answer(at, std::move(answer)); });
}

void LinkLookUps::handle_answer(std::list<Running>::iterator at,
                                Result<std::vector<IpAddress>> answer) {
  // Both are on the list of things that the callback below may destroy.
  const std::unique_ptr<Lookup> ended = std::move(at->lookup);
  LookupCallback callback;
  if (Asked* asked = at->asked) {
    asked->running_ = nullptr;
    callback = std::move(asked->callback_);
  }
  running_.erase(at);
  --of_all_;
  while (!waiting_.empty() && may_run()) {
    Asked& next = *waiting_.front();
    waiting_.pop_front();
    start(next);
  }
  if (callback) callback(std::move(answer));
}

}  // namespace karst::driver
