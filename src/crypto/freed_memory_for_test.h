#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

// For one test file of a program: replaces operator new and delete, so that memory which is given
// back can be looked into. A sanitizer has its own, so such a test belongs to the plain build only.
namespace karst::crypto {

// What must not be in memory that is given back, valid while it is watched for; empty: nothing.
inline std::string_view watched;
// How often it was.
inline int found = 0;

[[gnu::noinline]] inline void look_and_free(void* memory, std::size_t size) {
  if (!watched.empty() && memmem(memory, size, watched.data(), watched.size()) != nullptr) ++found;
  std::free(memory);
}

}  // namespace karst::crypto

void* operator new(std::size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t size) noexcept {
  karst::crypto::look_and_free(memory, size);
}
