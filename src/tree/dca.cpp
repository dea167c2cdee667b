// src/tree/dca.cpp - for double, float and the counter
#include "tree/dca_sweeps.hpp"

namespace sinew {

SINEW_INSTANTIATE_DCA(double)
SINEW_INSTANTIATE_DCA(float)
SINEW_INSTANTIATE_DCA(Counted)

}  // namespace sinew
