/* heed.h is C89, and its constants are what they were. */
#include "heed.h"

static heed_view view;

int HeaderIsC(void);

int HeaderIsC(void) {
  view.size = sizeof(view);
  return HEED_OK == 0 && HEED_INTERNAL == 9 && HEED_F32 == 544 &&
         heed_abi() >= 1 && view.size == sizeof(heed_view);
}
