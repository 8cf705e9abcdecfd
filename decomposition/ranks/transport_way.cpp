#include "decomposition/ranks/transport_way.hpp"

#include <map>

#include "kernels/base/error.hpp"

namespace grove {

TransportWay transport_way_named(const std::string& name) {
  static const std::map<std::string, TransportWay> ways{{"auto", TransportWay::automatic},
                                                        {"direct", TransportWay::direct},
                                                        {"shared", TransportWay::shared},
                                                        {"mpi", TransportWay::mpi},
                                                        {"staged", TransportWay::staged}};
  const auto found = ways.find(name);
  if (found == ways.end()) throw ConfigError("transport \"" + name + "\" is none of auto, direct, shared, mpi, staged");
  return found->second;
}

}  // namespace grove
