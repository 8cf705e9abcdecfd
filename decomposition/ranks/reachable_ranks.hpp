// Whether ranks on several nodes can exchange messages at all: MPI itself waits for minutes where a network drops them.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace grove {

/// Of up to so many ranks, each exchanges with all others.
inline constexpr int most_partners = 128;
/// How long ranks wait for each other at the start. The launcher takes a few seconds more, so that a note comes within 10 s; a network may
/// be slow, so that the end comes later.
struct GreetingLimits {
  double note_s = 5, end_s = 30;
};

/// The ranks with which `rank` of `size` exchanges a greeting: all others, or of more than most_partners those at multiples of
/// ceil(size / most_partners) from it. Of neighbouring ranks that share a node, one meets each other node that has as many.
std::vector<int> greeting_partners(int rank, int size);

/// Whether all ranks run on this node, as Open MPI or MPICH has told this process.
bool all_share_this_node(int size);

/// Exchanges an empty message with the partners of this rank. If some have not answered after the time of a note, it gives `note` a text
/// that names them and this one's host; at the end it throws CommunicationError with that text. Collective, but a rank that throws does so
/// alone.
void require_reachable_ranks(MPI_Comm world, const std::function<void(const std::string&)>& note, const GreetingLimits& limits = {});

}  // namespace grove
