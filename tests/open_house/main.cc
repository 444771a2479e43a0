// The command with an external task, kind of input and view.
#include "apps/heed/main.h"

#include "tests/open_house/bits.h"
#include "tests/open_house/strip.h"
#include "tests/open_house/unit_keys.h"

int main(int argc, char** argv) {
  heed::AddScore(heed::UnitKeysInfo());
  heed::AddModel(heed::strips::SeparateModel());
  heed::AddTask(heed::bits::ParityTask());
  heed::AddTask(heed::bits::OnesTask());
  heed::AddTask(heed::strips::StripTask());
  heed::AddAxisKind(heed::strips::StripKind());
  heed::AddExplanationView(heed::strips::ColoursView());
  return heed::Main(argc, argv);
}
