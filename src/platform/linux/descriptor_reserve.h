#pragma once

namespace karst::platform {

// The last descriptors that the process may open are for its keeper: the control socket, and the
// files that what comes over it writes. Else whoever uses up the others could not be shut out.
inline constexpr unsigned kReservedDescriptors = 16;

// Whether a descriptor that was just opened is one of them: the system gives the lowest that is
// free, so that its number says how many are in use. Of a low limit a quarter is reserved.
bool in_reserve(int descriptor);

// Whether the next socket would be in the reserve, or there is none.
bool only_reserve_left();

}  // namespace karst::platform
