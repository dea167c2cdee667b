// src/sim/step_rows.hpp - second phase of a step: rows of joints, and what rows and contacts are to take back
// A row or contact with a gap may close it within the step; one that is beyond takes back a share of that, no faster
// than recovery_speed. What cannot be taken back is stuck: it is left as it is, and tried again later.
#pragma once
#include "sinew/contact/joint_limits.hpp"
#include "sinew/sim/drives.hpp"
#include "step_detection.hpp"

namespace sinew::stepping {

class Rows {
 public:
  Rows(const Setting&, Detection&, Drives&);
  void reserve(std::size_t contacts);
  int most() const { return limits_.most_rows() + drives_.most_rows(); }

  // Stops within reach and dry friction, at the state.
  void find_stops(const Step&);
  // Adds stops that the step passes, and that were left out; true where there was one.
  bool add_passed(const Step&, In<double> q_after, In<double> v_after);
  // Of all contacts of the step: bias, and how fast overlaps come back.
  void find_bias(const Step&);
  // Of a contact that joins them.
  void add_bias(double bias) { add_bias(bias, bias, false); }
  // Of one that was found at the end of the step alone, so that how it bends is not known, where it closes at `speed`.
  void add_found(double bias, double speed) { add_bias(bias, speed, true); }
  // Corrections since the last keep() are taken back: contacts may do what they did.
  void keep() { kept_ = bias_; }
  void take_back() { bias_ = kept_; }
  // Movement ends less far by this than the velocity says, (nv): so do gaps and stops.
  void displace(const Step&, In<double> back);
  // Where contacts with impulses ended nearer than their velocities say, since bodies turn: they will again.
  void learn_bends(const ContactAnswer&, std::span<const ContactPoint> at_end, const Step&);
  // Leaves overlaps and stops that were stuck in the last step, except in every kStuckSteps-th step.
  void skip_stuck(const Step&);
  // If a problem with deep overlaps, or with joints far beyond their stops, was not solved: leaves its overlaps and
  // stops as they are in this step. Then the problem has a solution: nothing moves. False if there are none.
  bool skip_deep(const ContactAnswer&, const Step&);
  // Where contact k of the step, which parts at u [m/s] now, ends at this gap, which is less than it should be by more
  // than `overlap`: asks it to part by so much faster, and returns true.
  bool correct(std::size_t k, double gap_at_end, double u, const Step&);

  // [m] A gap within the rounding error of the positions it comes from counts as zero, so that resting bodies do not
  // jitter.
  double calc_gap(const ContactPoint&) const;
  double calc_violation(In<double> q) const;  // [rad or m] beyond a stop, after find_at_end
  // Adds what contradicts to what the step says, by name: contacts and rows of a problem, and its `contradiction`.
  void name_wedge(std::span<const ContactPoint>, std::span<const JointRow>, In<double> contradiction,
                  const Step&) const;

  std::vector<JointRow> rows;
  const std::vector<double>& bias() const { return bias_; }  // (contacts) [m/s]
  // Ids of overlaps and stops that are stuck.
  struct Stuck {
    std::vector<std::uint64_t> contacts, stops;
  };
  Stuck stuck;
  // Ids of contacts, and by how much they ended nearer in the last step; what is within `overlap` is not kept.
  struct Bends {
    std::vector<std::uint64_t> contacts;
    std::vector<double> by;  // [m], negative
    void clear() { contacts.clear(), by.clear(); }
  };
  Bends bends;

 private:
  std::string name_row(const JointRow&) const;
  void add_bias(double bias, double kept, bool found) {
    bias_.push_back(bias), kept_.push_back(kept), recovery_.push_back(0), found_.push_back(found);
    corrections_.push_back({});
  }
  double calc_recovery(const ContactPoint&) const;
  void limit_recovery(std::size_t first, StepReport&);
  void skip_contact(std::size_t, const Step&);
  void skip_stop(std::size_t, const Step&);

  const Setting& set_;
  Detection& seen_;
  Drives& drives_;
  JointLimits limits_;
  std::vector<double> bias_, kept_, recovery_;  // (contacts) [m/s]
  std::vector<unsigned char> found_;            // (contacts) at the end of the step alone
  struct Correction {
    double missing = 0, asked = 0;  // [m] before it; by it
  };
  std::vector<Correction> corrections_;  // (contacts) the last of each
  bool displaced_ = false;
  std::vector<double> moved_, u_, v_;  // scratch of displace
};

}  // namespace sinew::stepping
