// What makes the page of ExplanationHtml work, in files of their own kind.
#ifndef HEED_RENDER_EXPLANATION_PAGE_H_
#define HEED_RENDER_EXPLANATION_PAGE_H_

#include <string_view>

namespace heed {

extern const std::string_view kPageScript;  ///< explanation_page.js
extern const std::string_view kPageStyle;   ///< explanation_page.css

}  // namespace heed

#endif  // HEED_RENDER_EXPLANATION_PAGE_H_
