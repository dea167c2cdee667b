// src/contact/contact_assets.hpp - contact geometry of meshes and heightfields, made once for all shapes that use them
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sinew/contact/polytope.hpp"
#include "sinew/contact/triangle_surface.hpp"
#include "sinew/model/spec.hpp"

namespace sinew::contact {

struct ContactAsset {
  std::unique_ptr<Polytope> polytope;              // the hull
  std::unique_ptr<const TriangleSurface> surface;  // if it is not convex and touches as it is
  Vec3<double> middle, half;                       // of the box that holds it
  std::uint64_t features = 0;                      // more than the largest feature number
};

class ContactAssets {
 public:
  // Adds a remark where a mesh that is not convex touches with its hull. Throws std::invalid_argument naming the shape
  // where the asset has not been read or has no volume.
  const ContactAsset& find(const ModelSpec&, const ShapeSpec&, const std::string& shape_name,
                           std::vector<std::string>& remarks);
  // Rounds what touches as the hull of a mesh. Throws std::invalid_argument where nothing does, or the radius is too
  // small.
  void round(const std::string& mesh, double radius);
  const ContactAsset* find(const Polytope*) const;

 private:
  std::map<std::pair<std::string, bool>, ContactAsset> made_;
};

}  // namespace sinew::contact
