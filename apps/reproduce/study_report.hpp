// apps/reproduce/study_report.hpp - what `sinew reproduce` prints and draws of each paper
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace sinew::app {

struct F08Study;
struct S23Study;
struct J14Study;
struct OperatorsStudy;

std::string to_text(const F08Study&);
std::string to_text(const S23Study&);
std::string to_text(const J14Study&);
nlohmann::ordered_json to_json(const F08Study&);
nlohmann::ordered_json to_json(const S23Study&);
nlohmann::ordered_json to_json(const J14Study&);
std::string far_body_drawing(const F08Study&);           // F08 Figs. 10.1, 10.3
std::string round_off_chart(const F08Study&);            // F08 Fig. 10.2
std::string count_charts(const F08Study&);               // F08 Fig. 10.4
std::string branch_chart(const F08Study&);               // F08 Fig. 10.5
std::string stem_charts(const S23Study&);                // S23 Fig. 3
std::string robot_charts(const S23Study&, char figure);  // S23 Figs. 4 and 5: '4' and '5'
std::string pendulum_charts(const J14Study&);            // J14 Fig. 6
std::string pendulum_drawings(const J14Study&);          // J14 Fig. 5
std::string speed_charts(const J14Study&);               // J14 Table 2, drawn
std::string to_text(const OperatorsStudy&);
nlohmann::ordered_json to_json(const OperatorsStudy&);
std::string pattern_drawing(const OperatorsStudy&);  // J11 Figs. 4 to 6; R92 0.6, 0.10, 0.13
std::string cost_charts(const OperatorsStudy&);      // the orders that the papers state

}  // namespace sinew::app
