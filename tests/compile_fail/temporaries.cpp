// tests/compile_fail/temporaries.cpp - what keeps a reference cannot be made from a temporary
// run.cmake compiles it without its last lines, which must do, and with them, where each must be refused.
#include "sinew/batch/batch.hpp"
#include "sinew/constraint/embedding/embedded_sko.hpp"
#include "sinew/contact/frictionless.hpp"
#include "sinew/contact/joint_limits.hpp"
#include "sinew/delassus/algorithm.hpp"
#include "sinew/io/record.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/operators/aggregation.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/flexible_sko.hpp"
#include "sinew/operators/refinement.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/operators/transformation.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/flexible_dynamics.hpp"
#include "sinew/sim/fluid.hpp"
#include "sinew/sim/free_flight.hpp"
#include "sinew/sim/mechanisms.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "sinew/sim/sensor_readings.hpp"
#include "sinew/sim/sensors.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/tree/equivalent_model.hpp"

using namespace sinew;

Model make();  // a temporary
sko::SkoModel<double> make_sko();

void use(const Model& model, const ConstraintSet& set, SoftContact& soft, Stepper& stepper) {
  const delassus::Problem problem(model, 0, {});
  Simulation own(model, {.dt = 1e-3}), given(model, set, {.dt = 1e-3});  // the simple thing needs no set
  SmoothSimulation smooth(model, {.dt = 1e-3});
  EventSimulation events(model, {.dt = 1e-3});
  Batch<double> batch(model);
  ModelBuilder builder("kept");
  BodyBuilder body = builder.body("b");
  const EquivalentModel equivalent(model);
  const sko::RigidSko rigid(model);
  const sko::FlexibleModel flexible(model, {});
  const sko::FlexibleSko bends(flexible);
  const sko::OperatorAlgebra<double> algebra(rigid.sko);
  (void)sko::Application<double>(algebra, algebra.A);
  (void)sko::TaskPoints<double>(rigid.sko, {});
  (void)sko::Aggregation<double>(rigid.sko, {});
  (void)sko::Refinement<double>(rigid.sko, {});
  (void)sko::Transformation(rigid.sko);
  (void)ConstraintSet(make());  // keeps nothing of the model
  (void)make_flexible_dynamics(flexible), (void)make_forward_dynamics(model), (void)make_projection(model, set);
  const EmbeddingWorkspace embedding(model, set);
  const EmbeddedSko closed(model, embedding);
  (void)make_embedded_dynamics(model, set), (void)make_embedded_mechanism(model, set);
  (void)make_flexible_mechanism(flexible);
  FlexibleMotion bending(flexible, {.dt = 1e-3});
  (void)make_constrained_dynamics(model, set), (void)make_soft_dynamics(model, soft, {});
#ifdef SINEW_REFUSED
#line 1 "refused"
  Simulation s1(make(), {.dt = 1e-3});
  Simulation s2(make(), set);
  Simulation s3(model, ConstraintSet(model), {.dt = 1e-3});
  Simulation s4(make(), ConstraintSet(make()), {.dt = 1e-3});
  SmoothSimulation s5(make());
  SmoothSimulation s6(make(), set);
  SmoothSimulation s7(model, ConstraintSet(model));
  EventSimulation s8(make());
  EventSimulation s9(make(), set);
  EventSimulation s10(model, ConstraintSet(model));
  Batch<double> s11(make());
  delassus::Delassus<double> s12(make(), problem, delassus::Algorithm::pvr);
  ContactSolver s13(make(), set, Formulation::os, {});
  ContactSolver s14(model, ConstraintSet(model), Formulation::os, {});
  CollisionSolver s15(make(), set);
  CollisionSolver s16(model, ConstraintSet(model));
  FrictionlessContacts s17(make());
  JointLimits s18(make());
  Drives s19(make(), 1e-3);
  FreeFlight s20(make());
  TangentMap s21(make());
  InterpolatedStep s22(make(), 0, IntegrationMethod::rk4);
  Integrator s23(make(), make_forward_dynamics(model), {});
  (void)make_forward_dynamics(make());
  (void)make_constrained_dynamics(make(), set);
  (void)make_constrained_dynamics(model, ConstraintSet(model));
  (void)make_projection(make(), set);
  (void)make_projection(model, ConstraintSet(model));
  SoftContact s29(make(), {});
  (void)make_soft_dynamics(make(), soft, {});
  EventDriven s31(make(), set);
  EventDriven s32(model, ConstraintSet(model));
  Sensors s33(make());
  RandomPushes s34(make(), 1, 1e-3);
  Recorder s35("run.csv", make(), stepper);
  BodyBuilder s36 = ModelBuilder("gone").body("b");
  JointBuilder s37 = ModelBuilder("gone").revolute("j", "world", "b");
  sko::RigidSko s38(make());
  sko::OperatorAlgebra<double> s39(make_sko());
  sko::Application<double> s40(sko::OperatorAlgebra<double>(rigid.sko), algebra.A);
  EquivalentModel s41(make());
  sko::TaskPoints<double> s42(make_sko(), {});
  sko::Aggregation<double> s43(make_sko(), {});
  sko::Refinement<double> s44(make_sko(), {});
  sko::Transformation s45(make_sko());
  sko::FlexibleModel s46(make(), {});
  sko::FlexibleSko s47(sko::FlexibleModel(model, {}));
  (void)make_flexible_dynamics(sko::FlexibleModel(model, {}));
  (void)make_flexible_mechanism(sko::FlexibleModel(model, {}));
  FlexibleMotion s50(sko::FlexibleModel(model, {}));
  (void)make_embedded_mechanism(make(), set);
  (void)make_embedded_mechanism(model, ConstraintSet(model));
  (void)make_embedded_dynamics(make(), set);
  (void)make_embedded_dynamics(model, ConstraintSet(model));
  EmbeddedSko s55(make(), embedding);
  FluidForces s56(make());
  SensorReadings s57(make());
#endif
}
