// The course: demonstrations, exercises and benchmarks. It is a separate
// library, so that the command can be built without it.
#ifndef HEED_COURSE_COURSE_H_
#define HEED_COURSE_COURSE_H_

namespace heed {

/// Adds `heed generate`, `heed learn`, `heed bench` and the parts of `heed
/// demo`. Call it before Main.
void AddCourse();

}  // namespace heed

#endif  // HEED_COURSE_COURSE_H_
