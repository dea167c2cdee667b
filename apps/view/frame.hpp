// apps/view/frame.hpp - one picture of a run as bytes, little-endian, for the page (viewer/src/live_frame.ts)
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sinew::app {

struct FrameHead {
  enum Flag : std::uint32_t { kPaused = 1, kRecording = 2, kUnsolved = 4 };  // kUnsolved: a problem of the last step
  std::uint32_t flags = 0;
  std::uint32_t run = 0;  // counts resets: a page begins again where it changes
  double time = 0;        // [s] simulated
  double step = 0;
  double rate = 0;  // simulated seconds per second, over the last second
  // [J] edits: what orders that change the state or gravity did to the energy. Of the sum of work, `dragged` is that
  // of forces on bodies, and so of the mouse. What is left is the integrator's error.
  double kinetic = 0, potential = 0, work = 0, dragged = 0, edits = 0, unaccounted = 0;
  double residual = 0, penetration = 0;
};
struct FrameData {
  FrameHead head;
  // Poses of all bodies: x y z, w x y z. Contacts: bodies a and b, point, normal from b to a, force on a, gap.
  // Drags: the point, and where it is drawn to.
  std::vector<float> poses, positions, controls, contacts, drags;
};
inline constexpr std::size_t kPoseNumbers = 7, kContactNumbers = 12, kDragNumbers = 6;
inline constexpr std::size_t kMostContacts = 2000;  // of one frame; the rest is not shown

// "SNW1", the lengths of the five lists (uint32 each), the head, then the lists as float32.
std::string to_bytes(const FrameData&);

}  // namespace sinew::app
