// heed: trains, runs and explains attention models.
#include "apps/heed/main.h"

#ifdef HEED_COURSE
#include "course/course.h"
#endif

int main(int argc, char** argv) {
#ifdef HEED_COURSE
  heed::AddCourse();
#endif
  return heed::Main(argc, argv);
}
