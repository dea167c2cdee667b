// bench/peers/delassus/pinocchio_contacts.hpp - contacts as most of Pinocchio's algorithms want them
#pragma once
#include <pinocchio/constraints.hpp>

#include "pinocchio_ways.hpp"

namespace peers {

// Each has data of its own, for preparations differ.
class ContactWay : public Way {
 public:
  Eigen::MatrixXd W() const override { return delassus; }
  Eigen::VectorXd ddq() const override { return data.ddq; }

 protected:
  ContactWay(const pinocchio::Model& m, const std::vector<Contact>& contacts) : model(m), data(m) {
    int rows = 0;
    for (const Contact& c : contacts) {
      models.emplace_back(c.rows == 6 ? pinocchio::CONTACT_6D : pinocchio::CONTACT_3D, model, c.joint, c.placement,
                          pinocchio::LOCAL);
      datas.emplace_back(models.back());
      rows += c.rows;
    }
    delassus.setZero(rows, rows);
  }
  const pinocchio::Model& model;
  pinocchio::Data data;
  std::vector<pinocchio::RigidConstraintModelTpl<double, 0>> models;
  std::vector<pinocchio::RigidConstraintDataTpl<double, 0>> datas;
  Eigen::MatrixXd delassus;
};

}  // namespace peers
