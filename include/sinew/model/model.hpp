// sinew/model/model.hpp - the compiled, immutable model
// compile() checks a ModelSpec against every law and builds what the algorithms need: fixed joints are merged,
// composites become chains of nodes, nodes are numbered depth first with parent < child, and each node's frame is
// turned so that its joint acts along the canonical axes (one-axis joints along z, [F08 A.4]). Coordinates keep the
// order of spec.joints; bodies, joints and frames keep their names, order and frames. Share it between threads.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "sinew/base/result.hpp"
#include "sinew/model/dof_tree.hpp"
#include "sinew/model/entries.hpp"
#include "sinew/model/made_for.hpp"
#include "sinew/model/spec.hpp"
#include "sinew/model/topology.hpp"

namespace sinew {

// How strict compile() is.
struct CompileOptions {
  bool strict = false;  // warnings become errors
};

class Model;
// Checks every law and builds the model; errors and remarks come back in the Result.
Result<Model> compile(ModelSpec spec, const CompileOptions& = {});

class Model {
 public:
  int nq() const { return nq_; }
  int nv() const { return nv_; }

  // What algorithms use. Node 0 is the world.
  std::span<const Node> nodes() const { return nodes_; }
  const Topology& topology() const { return topology_; }
  const DofTree& dof_tree() const { return dof_tree_; }
  template <class R>  // double or float: the nodes as the sweeps read them, links()[i] is node i
  std::span<const Link<R>> links() const {
    if constexpr (std::is_same_v<R, float>)
      return float_links_;
    else
      return links_;
  }
  int branch_slots() const { return branch_slots_; }              // nodes with a child other than the next node
  int general_joints() const { return general_joints_; }          // nodes that are swept by their JointMotion
  std::span<const DofSpec> dofs() const { return dofs_; }         // one per velocity coordinate
  std::span<const double> armature() const { return armature_; }  // of each velocity coordinate
  std::span<const LoopEntry> loops() const { return loops_; }
  std::span<const CouplingEntry> couplings() const { return couplings_; }
  std::span<const TendonEntry> tendons() const { return tendons_; }  // as in the spec
  std::span<const TendonCouplingEntry> tendon_couplings() const { return tendon_couplings_; }
  // (actuators) which activation of a state is its own; -1: it has none
  std::span<const int> activation_of() const { return activation_of_; }
  int activations() const { return activations_; }
  const Vec3<double>& gravity() const { return spec_.gravity; }
  double mass() const { return mass_; }  // of all bodies but the world

  // What the user named. Body 0 is the world, body i is spec().bodies[i - 1]; joints and frames as in the spec.
  std::span<const BodyEntry> bodies() const { return bodies_; }
  std::span<const JointEntry> joints() const { return joints_; }
  std::span<const FrameEntry> frames() const { return frames_; }
  std::optional<int> find_body(std::string_view name) const;
  const JointEntry* find_joint(std::string_view name) const;  // parts of composites too; null if there is none
  std::optional<int> find_tendon(std::string_view name) const;
  std::optional<FrameEntry> find_frame(std::string_view name) const;  // a frame, or else a body by its name

  // The position the model was written in.
  std::span<const double> neutral() const { return neutral_; }
  const std::string& name() const { return spec_.name; }
  const ModelSpec& spec() const { return spec_; }

  // The same for copies of this model, different for every other model: see model/made_for.hpp.
  const Identity& identity() const { return identity_; }

 private:
  friend class Compiler;
  friend Model with_armature(const Model&, std::span<const double> more);
  friend void set_armature(Model&, int v, double armature);
  Model() = default;

  ModelSpec spec_;
  int nq_ = 0, nv_ = 0;
  double mass_ = 0;
  Topology topology_;
  DofTree dof_tree_;
  std::vector<Link<double>> links_;
  std::vector<Link<float>> float_links_;
  int branch_slots_ = 0, general_joints_ = 0;
  std::vector<Node> nodes_;
  std::vector<BodyEntry> bodies_;
  std::vector<JointEntry> joints_;
  std::vector<FrameEntry> frames_;
  std::vector<LoopEntry> loops_;
  std::vector<CouplingEntry> couplings_;
  std::vector<TendonEntry> tendons_;
  std::vector<TendonCouplingEntry> tendon_couplings_;
  std::vector<int> activation_of_;
  int activations_ = 0;
  std::vector<DofSpec> dofs_;
  std::vector<double> neutral_, armature_;
  Identity identity_;
};

// The same model with `more` added to the armature of each velocity coordinate, and without shapes, actuators and
// keyframes. Workspaces and constraint sets of either model may be used with the other.
Model with_armature(const Model&, std::span<const double> more);
// Changes the armature of velocity coordinate v of a joint of one coordinate, in a model that nobody else uses at the
// time. Throws std::invalid_argument where there is no such coordinate, or the armature is negative or not finite.
void set_armature(Model&, int v, double armature);

inline MadeFor::MadeFor(const Model& m)
    : identity_(m.identity()), nodes_(static_cast<int>(m.nodes().size())), nv_(m.nv()) {}
inline void MadeFor::check(const char* call, const Model& m, const char* name) const {
  if (!identity_.is_same(m.identity())) refuse(call, name, static_cast<int>(m.nodes().size()), m.nv());
}

}  // namespace sinew
