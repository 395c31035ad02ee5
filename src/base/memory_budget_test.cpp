#include "base/memory_budget.h"

#include <gtest/gtest.h>

namespace karst {
namespace {

TEST(MemoryBudget, follows_its_charges_up_and_down_and_forgets_the_dead) {
  MemoryBudget budget(1000);
  {
    MemoryCharge a(budget);
    MemoryCharge b(budget);
    a.set(300);
    b.set(500);
    a.set(100);
    EXPECT_EQ(budget.used(), 600u);
    EXPECT_EQ(budget.available(), 400u);
    EXPECT_EQ(budget.share(), 100u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(MemoryBudget, is_over_only_above_its_limit) {
  MemoryBudget budget(1000);
  MemoryCharge charge(budget);
  for (const std::size_t bytes : {999u, 1000u, 1001u}) {
    charge.set(bytes);
    EXPECT_EQ(budget.over(), bytes > 1000) << bytes;
    EXPECT_EQ(budget.available(), bytes > 1000 ? 0 : 1000 - bytes);
  }
}

}  // namespace
}  // namespace karst
