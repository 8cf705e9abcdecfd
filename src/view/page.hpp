// The page that shows a run, as it is sent to a browser.
#pragma once

#include <string_view>

namespace grove {

extern const std::string_view view_page, view_style, view_common_script, view_cloud_script, view_charts_script, view_files_script,
    view_run_script, view_run_charts_script, view_page_script;

}  // namespace grove
