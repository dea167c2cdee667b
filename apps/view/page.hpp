// apps/view/page.hpp - what a page is given and told first
#pragma once
#include <string>

#include "common/scene.hpp"
#include "view/orders.hpp"

namespace sinew::app {

// The page of a report (sinew/io/report.hpp), marked as live.
std::string make_live_page();
// JSON: the scene with the geometry of its meshes, and what orders may name.
std::string make_greeting(const SceneInput&, const Scene&, const OrderLimits&);
std::string make_complaint(const std::string& text);  // JSON, type "error"

}  // namespace sinew::app
