#include "platform/linux/worker.h"

#include <algorithm>

#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

using WorkerTest = LoopTest;

TEST_F(WorkerTest, runs_jobs_elsewhere_in_order_and_tells_here) {
  auto worker = std::move(*Worker::create(loop.reactor()));
  const auto here = std::this_thread::get_id();
  std::vector<int> jobs, told;
  for (int i = 0; i < 100; ++i) {
    worker->run(
        [&jobs, here, i] {
          EXPECT_NE(std::this_thread::get_id(), here);
          jobs.push_back(i);
        },
        [&told, here, i] {
          EXPECT_EQ(std::this_thread::get_id(), here);
          told.push_back(i);
        });
  }
  until([&] { return told.size() == 100; });
  EXPECT_EQ(jobs, told);
  EXPECT_TRUE(std::ranges::is_sorted(told));
}

TEST_F(WorkerTest, destruction_finishes_the_jobs_and_drops_the_callbacks) {
  int jobs = 0, told = 0;
  {
    auto worker = std::move(*Worker::create(loop.reactor()));
    for (int i = 0; i < 10; ++i) worker->run([&] { ++jobs; }, [&] { ++told; });
  }
  turns(3);
  EXPECT_EQ(jobs, 10);
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace karst::platform
