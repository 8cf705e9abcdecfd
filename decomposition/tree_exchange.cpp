#include "decomposition/tree_exchange.hpp"

#include <algorithm>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// Makes links that count from a tree's own first cell and particle count from the start of the arrays.
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

template <class T, class Memory>
std::span<std::byte> bytes_of(const Buffer<Memory, T>& buffer, std::size_t first, std::size_t count) {
  return std::as_writable_bytes(std::span(buffer.data() + first, count));
}

/// Calls f on the part of each array that belongs to `cells` cells and `items` particles from the given first ones on.
template <class Arrays, class F>
void for_each_part(const Arrays& a, std::size_t stride, std::size_t first_cell, std::size_t cells, std::size_t first_item,
                   std::size_t items, F f) {
  f(bytes_of(a.links, first_cell, cells));
  f(bytes_of(a.geometry, first_cell, cells));
  f(bytes_of(a.multipole, first_cell * stride, cells * stride));
  f(bytes_of(a.particles, first_item, items));
}

}  // namespace

template <class Space>
template <class Memory>
void TreeExchange<Space>::Arrays<Memory>::resize(std::size_t cells, std::size_t moments, std::size_t items) {
  links.resize_discard(cells);
  geometry.resize_discard(cells);
  multipole.resize_discard(moments);
  particles.resize_discard(items);
}

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
    batches_.push_back({first, count, {}});
    first += count;
  }
}

template <class Space>
void TreeExchange<Space>::begin(Space& space, const Communicator& comm, const EssentialTrees<Space>& trees) {
  send_cells_ = trees.cell_counts;
  send_particles_ = trees.particle_counts;
  order_sources(comm, comm.all_to_all(send_cells_), comm.all_to_all(send_particles_));

  form_ = trees.form;
  const auto stride = static_cast<std::size_t>(multipole_stride(form_));
  sent_.resize(trees.links.size(), trees.multipole.size(), trees.particles.size());
  space.copy_to_host_async(sent_.links.data(), trees.links.data(), trees.links.size() * sizeof(CellLinks));
  space.copy_to_host_async(sent_.geometry.data(), trees.geometry.data(), trees.geometry.size() * sizeof(CellGeometry));
  space.copy_to_host_async(sent_.multipole.data(), trees.multipole.data(), trees.multipole.size() * sizeof(float));
  space.copy_to_host_async(sent_.particles.data(), trees.particles.data(), trees.particles.size() * sizeof(Double4));

  staged_.resize(cell_begin_.back(), cell_begin_.back() * stride, particle_begin_.back());
  received_.resize(cell_begin_.back(), cell_begin_.back() * stride, particle_begin_.back());
  for (Batch& batch : batches_)
    for (std::size_t k = batch.first; k < batch.first + batch.count; ++k)
      for_each_part(staged_, stride, cell_begin_[k], cell_begin_[k + 1] - cell_begin_[k], particle_begin_[k],
                    particle_begin_[k + 1] - particle_begin_[k],
                    [&](std::span<std::byte> part) { comm.receive_bytes(part, sources_[k], Tag::tree_data, batch.requests); });

  base_.resize_discard(2 * cell_begin_.size());
  copy_from_host<Space, std::uint32_t>(space, cell_begin_, base_.view().part(0, cell_begin_.size()));
  copy_from_host<Space, std::uint32_t>(space, particle_begin_, base_.view().part(cell_begin_.size(), cell_begin_.size()));
}

template <class Space>
void TreeExchange<Space>::send(Space& space, const Communicator& comm) {
  space.wait_for_copies();
  std::size_t cell = 0, item = 0;
  for (std::size_t r = 0; r < send_cells_.size(); ++r) {
    for_each_part(sent_, static_cast<std::size_t>(multipole_stride(form_)), cell, send_cells_[r], item, send_particles_[r],
                  [&](std::span<std::byte> part) { comm.send_bytes(part, static_cast<int>(r), Tag::tree_data, sends_); });
    cell += send_cells_[r];
    item += send_particles_[r];
  }
}

template <class Space>
TreeView TreeExchange<Space>::receive(Space& space, int index) {
  Batch& batch = batches_[static_cast<std::size_t>(index)];
  batch.requests.wait_all();
  const std::size_t end = batch.first + batch.count;
  const std::uint32_t cell = cell_begin_[batch.first], item = particle_begin_[batch.first];
  const std::size_t cells = cell_begin_[end] - cell, items = particle_begin_[end] - item;
  space.copy_from_host_async(received_.links.data() + cell, staged_.links.data() + cell, cells * sizeof(CellLinks));
  space.copy_from_host_async(received_.geometry.data() + cell, staged_.geometry.data() + cell, cells * sizeof(CellGeometry));
  const auto stride = static_cast<std::size_t>(multipole_stride(form_));
  space.copy_from_host_async(received_.multipole.data() + cell * stride, staged_.multipole.data() + cell * stride,
                             cells * stride * sizeof(float));
  space.copy_from_host_async(received_.particles.data() + item, staged_.particles.data() + item, items * sizeof(Double4));
  space.order_after_copies();
  const std::uint32_t* const cell_begin = base_.data();
  space.for_each(cells, Relocate{received_.links.data(), cell_begin, base_.data() + cell_begin_.size(),
                                 static_cast<std::uint32_t>(batch.first), static_cast<std::uint32_t>(end), cell});
  return {received_.links.data(),
          received_.geometry.data(),
          received_.multipole.data(),
          form_,
          received_.particles.data(),
          cell_begin_.back(),
          static_cast<std::uint32_t>(batch.count),
          cell_begin + batch.first};
}

template class TreeExchange<BackEnd>;

}  // namespace grove
