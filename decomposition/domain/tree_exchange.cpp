#include "decomposition/domain/tree_exchange.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Links of a received tree count from its first cell and particle. Makes them count from the start of the arrays.
struct Relocate {
  CellLinks* links;
  const std::uint32_t* cell_begin;  ///< [trees + 1]
  const std::uint32_t* particle_begin;
  std::uint32_t trees, first_cell;

  GROVE_HD void operator()(std::size_t i) const {
    const auto c = static_cast<std::uint32_t>(first_cell + i);
    const std::uint32_t tree = lower_bound(cell_begin, 0, trees, std::uint64_t{c} + 1) - 1;
    links[c].first_child += cell_begin[tree];
    links[c].first_particle += particle_begin[tree];
  }
};

/// Messages of one tree: links, geometry, multipoles, particles.
constexpr std::size_t messages_a_tree = 4;
/// With fewer ranks hardly any is so distant that a root is enough, and a collective costs more than the messages.
constexpr int ranks_for_gathered_roots = 9;

/// A root as words: links, geometry, multipole.
constexpr std::size_t link_words = sizeof(CellLinks) / sizeof(std::uint32_t), geometry_words = sizeof(CellGeometry) / sizeof(std::uint32_t);
std::size_t root_words(const ExpansionForm& form) { return link_words + geometry_words + static_cast<std::size_t>(multipole_stride(form)); }

/// Copies the roots of trees that are a root alone to the cells `place` [roots] of the arrays.
struct PlaceRoots {
  const std::uint32_t *roots, *place;
  std::size_t words;
  CellLinks* links;
  CellGeometry* geometry;
  float* multipole;
  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t word = i % words, cell = place[i / words], terms = words - link_words - geometry_words;
    std::uint32_t* to = reinterpret_cast<std::uint32_t*>(links + cell) + word;
    if (word >= link_words) to = reinterpret_cast<std::uint32_t*>(geometry + cell) + (word - link_words);
    if (word >= link_words + geometry_words)
      to = reinterpret_cast<std::uint32_t*>(multipole + cell * terms) + (word - link_words - geometry_words);
    *to = roots[i];
  }
};

/// Most bytes that a set may send through the outbox, whose memory is kept.
constexpr std::size_t no_limit = ~std::size_t{0}, largest_temporary_outbox = std::size_t{2} << 20;

/// Walks use the highest bit of a cell number.
constexpr std::uint64_t most_cells = 0x7fffffffU;

/// Cells and particles of a tree, each below 2^32, in one number.
struct TreeSize {
  std::uint64_t cells, particles;
};
std::uint64_t pack(const TreeSize& size) { return size.cells << 32 | size.particles; }
TreeSize unpack(std::uint64_t packed) { return {packed >> 32, packed & 0xffffffffU}; }

}  // namespace

template <class Space>
TreeExchange<Space>::TreeExchange(Space& space, const Communicator& comm, TransportWay way)
    : space_(space), comm_(comm), transport_(space, comm, way), separate_(space), device_roots_(space), device_begins_(space) {}

template <class Space>
void TreeExchange<Space>::connect() {
  if (is_connected_) return;
  transport_.connect();
  is_fast_ = comm_.min(transport_.is_direct() ? 1 : 0) == 1;
  is_connected_ = true;
}

template <class Space>
void TreeExchange<Space>::order_sources(std::span<const std::uint64_t> sizes, std::uint32_t first_cell, std::uint32_t first_particle) {
  sources_.clear();
  cell_begin_.assign(1, first_cell);
  particle_begin_.assign(1, first_particle);
  const auto take = [&](int rank, int its_class) {
    const TreeSize size = unpack(sizes[place_of(rank, its_class)]);
    if (size.cells == 0) return;
    sources_.push_back({rank, its_class});
    const std::uint64_t cell_end = cell_begin_.back() + size.cells, particle_end = particle_begin_.back() + size.particles;
    if (cell_end > most_cells || particle_end > 0xffffffffU)
      throw SystemError(
          "the trees on one rank, with those received from other ranks, have more than 2^31 cells or 2^32 particles; use more ranks");
    cell_begin_.push_back(static_cast<std::uint32_t>(cell_end));
    particle_begin_.push_back(static_cast<std::uint32_t>(particle_end));
  };
  // Ranks are ordered along the Morton curve: the nearest ranks have the nearest particles and send the largest trees.
  for (int c = 0; c < class_count_; ++c)
    for (int d = 1; d < comm_.size(); ++d) {
      if (comm_.rank() + d < comm_.size()) take(comm_.rank() + d, c);
      if (comm_.rank() - d >= 0) take(comm_.rank() - d, c);
    }
}

/// Sets walk_roots_: for each class the root of the local tree, if joins_, and those of all remote trees.
template <class Space>
void TreeExchange<Space>::list_roots(const Tree<Space>& own) {
  walk_roots_.clear();
  walk_root_begin_.assign(1, 0);
  for (int c = 0; c < class_count_; ++c) {
    if (const std::uint32_t root = own.root_of(c); joins_ && root != no_cell) walk_roots_.push_back(root);
    for (std::size_t k = 0; k < sources_.size(); ++k)
      if (sources_[k].its_class == c) walk_roots_.push_back(cell_begin_[k]);
    walk_root_begin_.push_back(walk_roots_.size());
  }
}

/// Sets arrays_: behind the local tree and its particles, or separate arrays.
template <class Space>
void TreeExchange<Space>::take_room(Tree<Space>& own, ParticleArray<Space>& positions) {
  const auto stride = static_cast<std::size_t>(multipole_stride(form_));
  const std::size_t cells = cell_begin_.back(), particles = particle_begin_.back();
  if (joins_) {
    const std::size_t own_cells = cell_begin_.front();
    const CellLinks* const before = own.links.data();
    own.links.resize_keep(cells);
    has_moved_ = own_cells > 0 && own.links.data() != before;
    own.geometry.resize_keep(cells);
    own.multipole.resize_keep(cells * stride);
    positions.reserve_keep(particles);
    // The trees of the next step differ a little.
    const auto with_spare = [](std::size_t received) { return received + received / 8 + 1024; };
    own.room = with_spare(cells - own_cells);
    expected_particles_ = with_spare(particles - particle_begin_.front());
    trees_ = own.view(reinterpret_cast<const Double4*>(positions.data()));
    if (!sources_.empty()) trees_.levels = deepest_level + 1;
    trees_.cell_count = cell_begin_.back();
    arrays_ = {own.links.data(), own.geometry.data(), own.multipole.data(), reinterpret_cast<Double4*>(positions.data())};
  } else {
    separate_.resize_discard(cells, particles, form_);
    arrays_ = {separate_.links.data(), separate_.geometry.data(), separate_.multipole.data(), separate_.particles.data()};
    trees_ = {arrays_.links, arrays_.geometry, arrays_.multipole, form_, arrays_.particles, cell_begin_.back()};
  }
}

/// Whether a tree is in the table of all roots and not a message.
template <class Space>
bool TreeExchange<Space>::is_root_alone(std::uint64_t cells, std::uint64_t particles) const {
  return comm_.size() >= ranks_for_gathered_roots && cells == 1 && particles == 0;
}

/// Gathers the roots of trees that are a root alone; a rank sends the same root to all such ranks. Collective.
template <class Space>
void TreeExchange<Space>::gather_roots(const EssentialTrees<Space>& trees) {
  const auto classes = static_cast<std::size_t>(class_count_);
  const std::size_t words = root_words(form_), terms = words - link_words - geometry_words;
  std::vector<std::uint32_t> roots(classes * words, 0);
  std::vector<bool> is_known(classes, false);
  std::size_t cell = 0;
  for (std::size_t t = 0; t < trees.cell_counts.size(); cell += trees.cell_counts[t++]) {
    if (is_known[t % classes] || !is_root_alone(trees.cell_counts[t], trees.particle_counts[t])) continue;
    std::uint32_t* const root = roots.data() + t % classes * words;
    space_.copy_to_host(root, trees.links.data() + cell, sizeof(CellLinks));
    space_.copy_to_host(root + link_words, trees.geometry.data() + cell, sizeof(CellGeometry));
    space_.copy_to_host(root + link_words + geometry_words, trees.multipole.data() + cell * terms, terms * sizeof(float));
    is_known[t % classes] = true;
  }
  roots_ = comm_.all_gather_rows(std::span<const std::uint32_t>(roots));
}

template <class Space>
void TreeExchange<Space>::place_roots() {
  const std::size_t words = root_words(form_);
  std::vector<std::uint32_t> roots, place;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    if (!is_root_alone(cell_begin_[k + 1] - cell_begin_[k], particle_begin_[k + 1] - particle_begin_[k])) continue;
    const auto number = place_of(sources_[k].rank, sources_[k].its_class);
    const auto root = roots_.begin() + static_cast<std::ptrdiff_t>(words * number);
    roots.insert(roots.end(), root, root + static_cast<std::ptrdiff_t>(words));
    place.push_back(cell_begin_[k]);
  }
  if (place.empty()) return;
  roots.insert(roots.end(), place.begin(), place.end());
  device_roots_.resize_discard(roots.size());
  copy_from_host<Space, std::uint32_t>(space_, roots, device_roots_.view());
  const std::size_t count = words * place.size();
  space_.for_each(
      count, PlaceRoots{device_roots_.data(), device_roots_.data() + count, words, arrays_.links, arrays_.geometry, arrays_.multipole});
}

template <class Space>
void TreeExchange<Space>::declare_sends(const EssentialTrees<Space>& trees) {
  const auto stride = static_cast<std::size_t>(multipole_stride(trees.form));
  std::size_t cell = 0, item = 0;
  for (std::size_t t = 0; t < trees.cell_counts.size(); ++t) {
    const std::size_t cells = trees.cell_counts[t], items = trees.particle_counts[t];
    if (cells > 0 && !is_root_alone(cells, items)) {
      const auto send = [&]<class T>(const Buffer<Space, T>& array, std::size_t first, std::size_t count) {
        transport_.send(bytes_of(View<const T>(array.view().part(first, count))), static_cast<int>(t) / class_count_);
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
  receive_begin_.assign(1, 0);
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    const std::size_t cell = cell_begin_[k], cells = cell_begin_[k + 1] - cell;
    const std::size_t item = particle_begin_[k], items = particle_begin_[k + 1] - item;
    receive_begin_.push_back(receive_begin_.back() + (is_root_alone(cells, items) ? 0 : messages_a_tree));
    if (is_root_alone(cells, items)) continue;
    const auto receive = [&]<class T>(T* array, std::size_t first, std::size_t count) {
      transport_.receive(bytes_of(View<T>{array + first, count}), sources_[k].rank);
    };
    receive(arrays_.links, cell, cells);
    receive(arrays_.geometry, cell, cells);
    receive(arrays_.multipole, cell * stride, cells * stride);
    receive(arrays_.particles, item, items);
  }
}

template <class Space>
void TreeExchange<Space>::begin(const EssentialTrees<Space>& trees, Tree<Space>& own, ParticleArray<Space>& positions, bool is_temporary) {
  connect();
  joins_ = is_fast_ && !is_temporary;
  is_temporary_ = is_temporary;
  class_count_ = trees.class_count;
  std::vector<std::uint64_t> sizes(trees.cell_counts.size());
  for (std::size_t r = 0; r < sizes.size(); ++r) sizes[r] = pack({trees.cell_counts[r], trees.particle_counts[r]});
  const auto own_particles = static_cast<std::uint32_t>(positions.size());
  order_sources(comm_.all_to_all(sizes), joins_ ? own.cell_count() : 0, joins_ ? own_particles : 0);
  form_ = trees.form;
  begin_again(trees, own, positions);
  list_roots(own);
  std::vector<std::uint32_t> begins = walk_roots_;
  begins.insert(begins.end(), cell_begin_.begin(), cell_begin_.end());
  begins.insert(begins.end(), particle_begin_.begin(), particle_begin_.end());
  device_begins_.resize_discard(begins.size());
  copy_from_host<Space, std::uint32_t>(space_, begins, device_begins_.view());
}

template <class Space>
void TreeExchange<Space>::begin_again(const EssentialTrees<Space>& trees, Tree<Space>& own, ParticleArray<Space>& positions) {
  has_moved_ = false;
  take_room(own, positions);
  if (comm_.size() >= ranks_for_gathered_roots) {
    gather_roots(trees);
    place_roots();
  }
  transport_.begin(Tag::tree_data, is_temporary_ ? largest_temporary_outbox : no_limit);
  declare_sends(trees);
  declare_receives();
  transport_.start();
}

template <class Space>
void TreeExchange<Space>::receive() {
  if (sources_.empty()) return;
  transport_.arrive(0, receive_begin_.back());
  const std::uint32_t* const cell_begin = device_begins_.data() + walk_roots_.size();
  space_.for_each(cell_begin_.back() - cell_begin_.front(), Relocate{arrays_.links, cell_begin, cell_begin + cell_begin_.size(),
                                                                     static_cast<std::uint32_t>(sources_.size()), cell_begin_.front()});
}

template <class Space>
TreeView TreeExchange<Space>::view(int its_class) const {
  const auto c = static_cast<std::size_t>(its_class);
  TreeView trees = trees_;
  trees.root_count = static_cast<std::uint32_t>(walk_root_begin_[c + 1] - walk_root_begin_[c]);
  trees.roots = device_begins_.data() + walk_root_begin_[c];
  return trees;
}

template class TreeExchange<BackEnd>;

}  // namespace grove
