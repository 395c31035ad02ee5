#include "app/pasted_text.h"

#include <gtest/gtest.h>

using karst::app::without_blanks_around;

namespace {

TEST(PastedText, loses_the_blanks_around_it_and_no_other) {
  EXPECT_EQ(without_blanks_around("a"), "a");
  EXPECT_EQ(without_blanks_around(" \t\r\n\v\fa b\n c\f\v\n\r\t "), "a b\n c");
  // A no-break space is no ASCII blank.
  EXPECT_EQ(without_blanks_around("\xc2\xa0"), "\xc2\xa0");
}

TEST(PastedText, of_blanks_alone_nothing_is_left) {
  EXPECT_EQ(without_blanks_around(""), "");
  EXPECT_EQ(without_blanks_around(" \n\t\n "), "");
}

}  // namespace
