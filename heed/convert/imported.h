// A model that came from another program.
#ifndef HEED_CONVERT_IMPORTED_H_
#define HEED_CONVERT_IMPORTED_H_

#include <memory>

#include "heed/convert/mapped_vocabulary.h"
#include "heed/tasks/task.h"

namespace heed {

struct Imported {
  std::unique_ptr<TaskSettings> settings;
  std::unique_ptr<TaskModel> model;  // with weights
  Notes notes;                       // what the user should know
};

}  // namespace heed

#endif  // HEED_CONVERT_IMPORTED_H_
