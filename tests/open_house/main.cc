// heed with a task and a kind of input that are not Heed's.
#include "apps/heed/main.h"

#include "tests/open_house/task.h"

int main(int argc, char** argv) {
  heed::AddTask(heed::strips::StripTask());
  heed::AddAxisKind(heed::strips::StripKind());
  return heed::Main(argc, argv);
}
