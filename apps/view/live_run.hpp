// apps/view/live_run.hpp - the simulation that is looked at, and what may be done to it between steps
// Gravity and formulation belong to a model and a stepper: a change makes new ones at the same state. All work is
// accounted for across such changes; what an order does to the energy at once (a joint set, another gravity) is an
// edit. For one thread.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/steppers.hpp"
#include "sinew/io/record.hpp"
#include "view/frame.hpp"
#include "view/orders.hpp"

namespace sinew::app {

class LiveRun {
 public:
  // record: where recordings go; a number is added where the file exists. Throws InputError.
  LiveRun(const SceneInput&, const StepperInput&, const Scene&, std::filesystem::path record);
  ~LiveRun();

  const Model& model() const { return *now_.model; }
  double step_length() const { return now_.stepper->step_length(); }
  double time() const { return now_.stepper->state.time; }
  void set_interrupt(const Interrupt&);

  // Throws std::runtime_error where the run cannot go on from here: it stays before the step.
  void step();
  // All but Pause, Step and Speed. Throws InputError: nothing has changed.
  void obey(const Order&, int client);
  void release(int client);  // what it drags, if anything

  bool is_dragged() const { return !drags_.empty(); }
  bool is_recording() const { return recorder_.has_value(); }
  const std::filesystem::path& record_file() const { return record_file_; }  // the last one; empty: none
  std::string stop_recording();                                              // a sentence: what was written
  const std::string& formulation() const { return in_.formulation; }
  bool can_change_formulation() const;
  void get_frame(FrameData&);  // all but the flags of its head and the rate

 private:
  // In the order in which they need each other.
  struct Built {
    std::unique_ptr<const Model> model;
    std::unique_ptr<const ConstraintSet> set;
    std::unique_ptr<Stepper> stepper;
  };
  struct Drag {
    int client = 0;
    order::Drag to;
    double stiffness = 0, damping = 0;
    Vec3<double> point{};  // in the world, at the last step
  };
  std::unique_ptr<Stepper> make(const SceneInput&, const Model&, const ConstraintSet&) const;
  void replace(Built);  // without a model and a set: those there are
  void reset();
  void set_drag(const order::Drag&, int client);
  void set_position(const order::Position&);
  void set_control(const order::Control&);
  void set_gravity(const Vec3<double>&);
  void set_formulation(Formulation);
  void start_recording();
  void refuse_while_recording(const char* what) const;
  double calc_mass_at(int body, const Vec3<double>& point);
  void apply_drags();
  double energy() { return now_.stepper->kinetic_energy() + now_.stepper->potential_energy(); }

  SceneInput in_;
  StepperInput how_;
  const Scene& scene_;
  std::optional<ControlTrack> track_;
  Built now_;
  Interrupt interrupt_;
  std::vector<Drag> drags_;
  std::filesystem::path record_, record_file_;
  std::optional<Recorder> recorder_;
  // Of what went before the stepper that is now at work.
  double start_energy_ = 0, edits_ = 0;
  WorkAccount work_;
  long steps_ = 0;
  std::uint32_t resets_ = 0;
  bool contacts_known_ = false;  // those of the last step are those of the state
  std::vector<BodyMotion> motions_;
};

}  // namespace sinew::app
