#pragma once

namespace karst::platform {

// A place in at most one IntrusiveList, which it leaves when it is destroyed.
class ListHook {
 public:
  ListHook() = default;
  ~ListHook() { unlink(); }
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;

  bool linked() const { return next_ != nullptr; }
  void unlink() {
    if (next_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = nullptr;
  }

 private:
  template <class T>
  friend class IntrusiveList;
  ListHook* previous_ = nullptr;
  ListHook* next_ = nullptr;
};

// A queue of borrowed objects that derive from ListHook: no allocation, and an object that is
// destroyed while queued simply is not there any more.
template <class T>
class IntrusiveList {
 public:
  IntrusiveList() { head_.previous_ = head_.next_ = &head_; }
  ~IntrusiveList() {
    while (!empty()) head_.next_->unlink();
    head_.previous_ = head_.next_ = nullptr;
  }
  IntrusiveList(const IntrusiveList&) = delete;

  bool empty() const { return head_.next_ == &head_; }
  T* front() const { return empty() ? nullptr : static_cast<T*>(head_.next_); }
  // `item` must not be linked.
  void push_back(T& item) {
    ListHook& hook = item;
    hook.previous_ = head_.previous_;
    hook.next_ = &head_;
    head_.previous_->next_ = &hook;
    head_.previous_ = &hook;
  }
  T* pop_front() {
    T* item = front();
    if (item != nullptr) item->unlink();
    return item;
  }
  // Moves all of `from` to the end of this list, in order.
  void take_all(IntrusiveList& from) {
    if (from.empty()) return;
    head_.previous_->next_ = from.head_.next_;
    from.head_.next_->previous_ = head_.previous_;
    from.head_.previous_->next_ = &head_;
    head_.previous_ = from.head_.previous_;
    from.head_.previous_ = from.head_.next_ = &from.head_;
  }

 private:
  ListHook head_;
};

}  // namespace karst::platform
