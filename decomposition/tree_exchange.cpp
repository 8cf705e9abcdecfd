#include "decomposition/tree_exchange.hpp"

#include <algorithm>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// Links of a received tree count from its own first cell and particle. Makes them count from the start of the arrays.
struct Relocate {
  CellLinks* links;
  const std::uint32_t* cell_begin;  ///< [trees + 1]
  const std::uint32_t* particle_begin;
  std::uint32_t first_tree, end_tree;
  std::uint32_t first_cell;

  GROVE_HD void operator()(std::size_t i) const {
    const auto c = static_cast<std::uint32_t>(first_cell + i);
    std::uint32_t low = first_tree, high = end_tree - 1;
    while (low < high) {
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (cell_begin[middle] <= c)
        low = middle;
      else
        high = middle - 1;
    }
    links[c].first_child += cell_begin[low];
    links[c].first_particle += particle_begin[low];
  }
};

/// Messages for one tree: links, geometry, multipoles, particles.
constexpr std::size_t messages_a_tree = 4;

}  // namespace

template <class Space>
void TreeExchange<Space>::order_sources(const Communicator& comm, std::span<const std::uint64_t> cells,
                                        std::span<const std::uint64_t> particles) {
  sources_.clear();
  cell_begin_.assign(1, 0);
  particle_begin_.assign(1, 0);
  batches_.clear();
  const auto take = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (cells[r] == 0) return;
    sources_.push_back(rank);
    const std::uint64_t cell_end = cell_begin_.back() + cells[r], particle_end = particle_begin_.back() + particles[r];
    if (cell_end > 0xffffffffU || particle_end > 0xffffffffU)
      throw SystemError("the trees received from other ranks have more than 2^32 cells or particles; use more ranks");
    cell_begin_.push_back(static_cast<std::uint32_t>(cell_end));
    particle_begin_.push_back(static_cast<std::uint32_t>(particle_end));
  };
  // Ranks are ordered along the Morton curve: the nearest ranks hold the nearest particles and send the largest trees.
  for (int d = 1; d < comm.size(); ++d) {
    if (comm.rank() + d < comm.size()) take(comm.rank() + d);
    if (comm.rank() - d >= 0) take(comm.rank() - d);
  }
  for (std::size_t first = 0; first < sources_.size();) {
    const std::size_t count = std::min(std::max<std::size_t>(first, 1), sources_.size() - first);
    batches_.push_back({first, count});
    first += count;
  }
}

template <class Space>
void TreeExchange<Space>::declare_sends(const EssentialTrees<Space>& trees) {
  const auto stride = static_cast<std::size_t>(multipole_stride(trees.form));
  std::size_t cell = 0, item = 0;
  for (std::size_t r = 0; r < trees.cell_counts.size(); ++r) {
    const std::size_t cells = trees.cell_counts[r], items = trees.particle_counts[r];
    if (cells > 0) {
      const auto send = [&]<class T>(const Buffer<Space, T>& array, std::size_t first, std::size_t count) {
        transport_.send(bytes_of(array.view().part(first, count)), static_cast<int>(r));
      };
      send(trees.links, cell, cells);
      send(trees.geometry, cell, cells);
      send(trees.multipole, cell * stride, cells * stride);
      send(trees.particles, item, items);
    }
    cell += cells;
    item += items;
  }
}

template <class Space>
void TreeExchange<Space>::declare_receives() {
  const auto stride = static_cast<std::size_t>(multipole_stride(form_));
  const std::size_t all_cells = cell_begin_.back();
  links_.resize_discard(all_cells);
  geometry_.resize_discard(all_cells);
  multipole_.resize_discard(all_cells * stride);
  particles_.resize_discard(particle_begin_.back());
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const std::size_t cell = cell_begin_[k], cells = cell_begin_[k + 1] - cell;
    const std::size_t item = particle_begin_[k], items = particle_begin_[k + 1] - item;
    const auto receive = [&]<class T>(const Buffer<Space, T>& array, std::size_t first, std::size_t count) {
      transport_.receive(bytes_of(array.view().part(first, count)), sources_[k]);
    };
    receive(links_, cell, cells);
    receive(geometry_, cell, cells);
    receive(multipole_, cell * stride, cells * stride);
    receive(particles_, item, items);
  }
}

template <class Space>
void TreeExchange<Space>::begin(Space& space, const Communicator& comm, const EssentialTrees<Space>& trees) {
  order_sources(comm, comm.all_to_all(trees.cell_counts), comm.all_to_all(trees.particle_counts));
  form_ = trees.form;
  transport_.begin(comm, Tag::tree_data);
  declare_sends(trees);
  declare_receives();
  transport_.start();
  base_.resize_discard(2 * cell_begin_.size());
  copy_from_host<Space, std::uint32_t>(space, cell_begin_, base_.view().part(0, cell_begin_.size()));
  copy_from_host<Space, std::uint32_t>(space, particle_begin_, base_.view().part(cell_begin_.size(), cell_begin_.size()));
}

template <class Space>
TreeView TreeExchange<Space>::receive(Space& space, int index) {
  const Batch& batch = batches_[static_cast<std::size_t>(index)];
  const std::size_t end = batch.first + batch.count;
  transport_.arrive(messages_a_tree * batch.first, messages_a_tree * end);
  const std::uint32_t cell = cell_begin_[batch.first], cells = cell_begin_[end] - cell;
  space.for_each(cells, Relocate{links_.data(), base_.data(), base_.data() + cell_begin_.size(), static_cast<std::uint32_t>(batch.first),
                                 static_cast<std::uint32_t>(end), cell});
  return view(index);
}

template <class Space>
TreeView TreeExchange<Space>::view(int index) const {
  const Batch& batch = batches_[static_cast<std::size_t>(index)];
  return {links_.data(),
          geometry_.data(),
          multipole_.data(),
          form_,
          particles_.data(),
          cell_begin_.back(),
          static_cast<std::uint32_t>(batch.count),
          base_.data() + batch.first};
}

template class TreeExchange<BackEnd>;

}  // namespace grove
