// apps/reproduce/study_report.hpp - what `sinew reproduce` prints and draws of each paper
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace sinew::app {

struct S23Study;
struct J14Study;
struct OperatorsStudy;

std::string to_text(const S23Study&);
std::string to_text(const J14Study&);
nlohmann::ordered_json to_json(const S23Study&);
nlohmann::ordered_json to_json(const J14Study&);
std::string stem_charts(const S23Study&);      // S23 Fig. 3
std::string pendulum_charts(const J14Study&);  // J14 Fig. 6
std::string speed_charts(const J14Study&);     // J14 Table 2, drawn
std::string to_text(const OperatorsStudy&);
nlohmann::ordered_json to_json(const OperatorsStudy&);
std::string pattern_drawing(const OperatorsStudy&);  // J11 Figs. 4 to 6; R92 0.6, 0.10, 0.13
std::string cost_charts(const OperatorsStudy&);      // the orders that the papers state

}  // namespace sinew::app
