#include "decomposition/ranks/rank_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// One for the process: errors are reported where only the exception is known.
struct Place {
  std::string rank, text;
  bool is_one_of_several = false;
};

Place& place() {
  static Place instance;
  return instance;
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "an unknown host";
  return name;
}

int local_number_of_process() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* const value = std::getenv(name)) return std::max(0, std::atoi(value));
  return 0;
}

void name_rank(int rank, int size) {
  place().rank = place().text = "rank " + std::to_string(rank) + " on " + host_name();
  place().is_one_of_several = size > 1;
}

void name_device(const std::string& device) {
  if (!place().rank.empty()) place().text = place().rank + " (" + device + ")";
}

const std::string& place_of_this_rank() { return place().text; }

std::string place_or_number(int own_rank) { return place().text.empty() ? "rank " + std::to_string(own_rank) : place().text; }

std::string failure_message(const std::exception& error) {
  const std::string sentence = sentence_of(error);
  const int code = exit_code_of(error);
  const bool has_place = dynamic_cast<const AgreedError*>(&error) != nullptr,
             is_of_the_input = code == exit_code::setting || code == exit_code::data;
  return place().is_one_of_several && !has_place && !is_of_the_input ? place().text + ": " + sentence : sentence;
}

}  // namespace grove
