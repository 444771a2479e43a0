// Models of heed.h.
#ifndef HEED_APPS_LIBHEED_MODEL_H_
#define HEED_APPS_LIBHEED_MODEL_H_

#include <memory>

#include "apps/libheed/guard.h"
#include "heed/serve/served_model.h"

namespace heed::c {

/// The model that answers.
std::shared_ptr<const ServedModel> ServedBy(const heed_model& model);

/// The flag of a cancellation; null for NULL.
inline const Cancellation* FlagOf(const heed_cancel* cancel) {
  return cancel == nullptr ? nullptr : &cancel->flag;
}

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_MODEL_H_
