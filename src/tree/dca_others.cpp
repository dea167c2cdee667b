// src/tree/dca_others.cpp - for packs and the dual
#include "tree/dca_sweeps.hpp"

namespace sinew {

SINEW_FOR_EACH_PACK(SINEW_INSTANTIATE_DCA)
SINEW_INSTANTIATE_DCA(Dual)

}  // namespace sinew
