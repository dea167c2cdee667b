"""What `sinew eval` and `sinew info` say, made of calls of the package: for comparisons with peers."""
import numpy as np
import sinew


class Evaluation:
    """What `sinew eval` says, made of calls of the package."""

    def __init__(self, model, convention):
        self.model = model
        self.convention = convention
        self.map = sinew.ConventionMap(model, sinew.Convention[convention])
        self.workspaces = {}

    def ws(self, name):
        if name not in self.workspaces:
            self.workspaces[name] = getattr(sinew, name + "Workspace")(self.model)
        return self.workspaces[name]

    # A row of a matrix with our columns is a force.
    def columns(self, q, J):
        return np.array([self.map.to_other_tau(q, row) for row in J]).reshape(J.shape)

    def square(self, q, M):
        return self.columns(q, self.columns(q, M).T).T

    def six(self, x):
        """Of rows angular, linear."""
        return np.roll(x, 3, axis=0) if self.convention == "pinocchio" else x

    @staticmethod
    def named(x):
        return {"angular": x[:3], "linear": x[3:]}

    def external(self, poses, state):
        forces = np.zeros((len(self.model.bodies), 6))
        for name, f in state.get("external", {}).items():
            body = self.model.find_body(name)
            turn = poses[body, :3, :3].T if f["frame"] == "world" else np.eye(3)
            forces[body] += [*(turn @ f["torque"]), *(turn @ f["force"])]
        return forces

    def coriolis(self, q, v, M):
        m = self.model
        C = sinew.calc_coriolis_matrix(m, self.ws("Coriolis"), q, v)
        if self.convention == "mujoco":  # its linear velocities of free joints are along the world's axes
            for j in (p for j in m.joints for p in [j, *j.parts] if p.kind == sinew.JointKind.free):
                C[:, j.v + 3:j.v + 6] += np.cross(v[j.v:j.v + 3], M[:, j.v + 3:j.v + 6])
        return self.square(q, C)

    def regressor(self, q, v, a):
        m = self.model
        Y = sinew.calc_regressor(m, self.ws("Regressor"), q, v, a)
        return {"Y": self.columns(q, Y.T).T, "pi": sinew.get_inertial_parameters(m)}

    def __call__(self, state, algorithms):
        m, c = self.model, self.map
        q = c.from_other_q(state["q"])
        v, tau = c.from_other_v(q, state["v"]), c.from_other_tau(q, state["tau"])
        a, none = c.from_other_a(q, v, state["a"]), c.from_other_a(q, v, np.zeros(m.nv))
        rnea = self.ws("Rnea")
        sinew.calc_kinematics(m, self.ws("Kinematics"), q)
        poses = sinew.get_body_poses(m, self.ws("Kinematics"))
        f = self.external(poses, state)
        M = sinew.crba(m, self.ws("Crba"), q)
        out = {"M": self.square(q, M), "C": self.coriolis(q, v, M), **self.regressor(q, v, a),
               "tau": c.to_other_tau(q, sinew.rnea(m, rnea, q, v, a, external=f)),
               "h": c.to_other_tau(q, sinew.rnea(m, rnea, q, v, none, external=f)),
               "g": c.to_other_tau(q, sinew.calc_gravity(m, rnea, q)),
               "energy": {"kinetic": sinew.calc_kinetic_energy(m, self.ws("Energy"), q, v),
                          "potential": sinew.calc_potential_energy(m, self.ws("Energy"), q)},
               "bodies": {b.name: {"position": poses[b.index, :3, 3], "rotation": poses[b.index, :3, :3]}
                          for b in m.bodies[1:]}}
        if "aba" in algorithms:
            out["qdd"] = c.to_other_a(q, v, sinew.aba(m, self.ws("Aba"), q, v, tau, external=f))
            out["Minv"] = self.square(q, sinew.calc_mass_inverse(m, self.ws("MassInverse"), q))
        if "log_det" in algorithms:
            out["log_det_M"] = np.linalg.slogdet(M)[1] if M.size else 0.0
        out |= self.whole(q, v, a, none)
        return out | self.motion(state, q, v, a, none)

    def whole(self, q, v, a, none):
        m, centre, momentum = self.model, self.ws("CentreOfMass"), self.ws("Momentum")
        A = sinew.calc_centroidal_map(m, self.ws("Centroidal"), q)
        return {"com": sinew.calc_centre_of_mass(m, centre, q),
                "com_velocity": sinew.calc_centre_of_mass_velocity(m, centre, q, v),
                "com_acceleration": sinew.calc_centre_of_mass_acceleration(m, centre, q, v, a),
                "J_com": self.columns(q, sinew.calc_centre_of_mass_jacobian(m, centre, q)),
                "momentum": self.named(sinew.calc_centroidal_momentum(m, momentum, q, v)),
                "momentum_rate": self.named(sinew.calc_centroidal_momentum_rate(m, momentum, q, v, a)),
                "A": self.six(self.columns(q, A)),
                "Adot_v": self.six(sinew.calc_centroidal_bias(m, momentum, q, v) + A @ none)}

    def motion(self, state, q, v, a, none):
        m, velocity, jacobian = self.model, self.ws("Velocity"), self.ws("Jacobian")
        way = sinew.ReferenceFrame[state.get("reference", "mixed")]
        mixed = way == sinew.ReferenceFrame.mixed
        acceleration = sinew.get_classical_acceleration if mixed else sinew.get_acceleration
        sinew.calc_accelerations(m, velocity, q, v, a)
        sinew.calc_jacobian_rates(m, jacobian, q, v)
        out = {"velocities": {b.name: self.named(sinew.get_velocity(m, velocity, b, way)) for b in m.bodies[1:]},
               "accelerations": {b.name: self.named(acceleration(m, velocity, b, way)) for b in m.bodies[1:]},
               "jacobians": {}}
        for name in state["frame"]:
            body = m.bodies[m.find_body(name.removeprefix("body:"))]
            J = sinew.get_jacobian(m, jacobian, body, way)
            bias = sinew.get_bias_acceleration(m, jacobian, body, way) + J @ none
            out["jacobians"][name] = {"J": self.six(self.columns(q, J)), "Jdot_v": self.six(bias)}
        if len(state["frame"]) == 1:
            out |= out["jacobians"][state["frame"][0]]
        return out


def info_of(model):
    """As `sinew info --json` says it."""
    names = ("xx", "xy", "xz", "yy", "yz", "zz")
    return {"nv": model.nv, "bodies": [
        {"name": b.name, "mass": b.mass, "com": b.com.tolist(),
         "inertia": dict(zip(names, b.inertia[np.triu_indices(3)]))} for b in model.spec.bodies]}
