#include "decomposition/domain/tree_exchange.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/space/search.hpp"

namespace grove {

namespace {

/// Copies trees from messages to the arrays, a leaf with its particles. Links of a received tree count from its first cell and particle, in
/// the arrays from their start.
struct UnpackTrees {
  const ReceivedTree* received;     ///< [trees]
  const std::uint32_t* cell_begin;  ///< [trees + 1]
  const std::uint32_t* particle_begin;
  std::uint32_t trees, first_cell;
  int stride;
  CellLinks* links;
  CellGeometry* geometry;
  float* multipole;
  Double4* particles;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    const auto c = static_cast<std::uint32_t>(first_cell + i);
    const std::uint32_t tree = lower_bound(cell_begin, 0, trees, std::uint64_t{c} + 1) - 1;
    const auto [message, packed] = received[tree];
    if (packed.links == PackedTree::nowhere) return;
    const std::size_t cell = c - cell_begin[tree];
    const CellLinks sent = packed.links_in(message)[cell];
    if (team.rank() == 0) {
      CellLinks placed = sent;
      placed.first_child += cell_begin[tree];
      placed.first_particle += particle_begin[tree];
      links[c] = placed;
      geometry[c] = packed.geometry_in(message)[cell];
    }
    const auto lane = static_cast<std::uint32_t>(team.rank());
    const float* const terms = packed.multipole_in(message) + cell * static_cast<std::size_t>(stride);
    for (auto k = static_cast<int>(lane); k < stride; k += Team::size) multipole[std::size_t{c} * stride + k] = terms[k];
    if (sent.child_count > 0) return;
    const Double4* const from = packed.particles_in(message) + sent.first_particle;
    Double4* const to = particles + particle_begin[tree] + sent.first_particle;
    for (std::uint32_t k = lane; k < sent.particle_count; k += Team::size) to[k] = from[k];
  }
};

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
constexpr std::size_t largest_temporary_outbox = std::size_t{2} << 20;

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
    : space_(space),
      comm_(comm),
      transport_(space, comm, way),
      separate_(space),
      device_roots_(space),
      device_begins_(space),
      device_received_(space) {}

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

/// Lists the messages, to and from ranks for which not all trees are a root alone, and where each tree is in them.
template <class Space>
void TreeExchange<Space>::list_messages(const EssentialTrees<Space>& trees, std::span<const std::uint64_t> to,
                                        std::span<const std::uint64_t> from) {
  const auto classes = static_cast<std::size_t>(class_count_), stride = static_cast<std::size_t>(multipole_stride(form_));
  const auto has_message = [&](std::span<const std::uint64_t> sizes, int rank) {
    return std::ranges::any_of(sizes.subspan(place_of(rank, 0), classes), [&](std::uint64_t packed) {
      const TreeSize size = unpack(packed);
      return size.cells > 0 && !is_root_alone(size.cells, size.particles);
    });
  };
  const auto message_in = [&](const std::vector<PackedTree>& layout, int rank) {
    Message message{rank, PackedTree::nowhere, 0};
    for (const PackedTree& packed : std::span(layout).subspan(place_of(rank, 0), classes)) {
      message.begin = std::min(message.begin, packed.links);
      message.end = std::max(message.end, packed.end);
    }
    return message;
  };
  sent_.clear();
  received_.clear();
  std::vector<PackedTree> layout(from.size());
  for (int r = 0; r < comm_.size(); ++r) {
    if (has_message(to, r)) sent_.push_back(message_in(trees.layout, r));
    if (!has_message(from, r)) continue;
    std::uint64_t end = 0;
    for (std::size_t place = place_of(r, 0); place < place_of(r + 1, 0); ++place) {
      const TreeSize size = unpack(from[place]);
      if (size.cells == 0) continue;
      layout[place] = {end, size.cells, size.particles, stride};
      end = layout[place].end;
    }
    received_.push_back(message_in(layout, r));
  }
  for (Source& source : sources_) source.packed = layout[place_of(source.rank, source.its_class)];
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

/// Whether a tree is in the table of all roots.
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
  for (std::size_t t = 0; t < trees.cell_counts.size(); ++t) {
    if (is_known[t % classes] || !is_root_alone(trees.cell_counts[t], trees.particle_counts[t])) continue;
    std::uint32_t* const root = roots.data() + t % classes * words;
    const PackedTree& packed = trees.layout[t];
    space_.copy_to_host(root, packed.links_in(messages_.data), sizeof(CellLinks));
    space_.copy_to_host(root + link_words, packed.geometry_in(messages_.data), sizeof(CellGeometry));
    space_.copy_to_host(root + link_words + geometry_words, packed.multipole_in(messages_.data), terms * sizeof(float));
    is_known[t % classes] = true;
  }
  roots_ = comm_.all_gather_rows(std::span<const std::uint32_t>(roots));
}

template <class Space>
void TreeExchange<Space>::place_roots() {
  const std::size_t words = root_words(form_);
  std::vector<std::uint32_t> roots, place;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    if (sources_[k].packed.links != PackedTree::nowhere) continue;
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
View<std::byte> TreeExchange<Space>::room_for(const EssentialTrees<Space>& trees, bool is_temporary) {
  connect();
  joins_ = is_fast_ && !is_temporary;
  transport_.begin(Tag::tree_data, is_temporary ? largest_temporary_outbox : Transport<Space>::no_limit);
  messages_ = transport_.room(trees.bytes());
  return messages_;
}

template <class Space>
void TreeExchange<Space>::begin(const EssentialTrees<Space>& trees, Tree<Space>& own, ParticleArray<Space>& positions) {
  class_count_ = trees.class_count;
  std::vector<std::uint64_t> sizes(trees.cell_counts.size());
  for (std::size_t r = 0; r < sizes.size(); ++r) sizes[r] = pack({trees.cell_counts[r], trees.particle_counts[r]});
  const auto own_particles = static_cast<std::uint32_t>(positions.size());
  const std::vector<std::uint64_t> their_sizes = comm_.all_to_all(sizes);
  order_sources(their_sizes, joins_ ? own.cell_count() : 0, joins_ ? own_particles : 0);
  form_ = trees.form;
  list_messages(trees, sizes, their_sizes);
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
  for (const Message& m : sent_) transport_.send(messages_.part(m.begin, m.end - m.begin), m.rank);
  for (const Message& m : received_) transport_.receive(m.end - m.begin, m.rank);
  transport_.start();
}

/// Sets device_received_. The memory of messages is nearly always that of the last set.
template <class Space>
void TreeExchange<Space>::find_received() {
  std::vector<const std::byte*> message_of(static_cast<std::size_t>(comm_.size()), nullptr);
  for (std::size_t k = 0; k < received_.size(); ++k) message_of[static_cast<std::size_t>(received_[k].rank)] = transport_.message(k);
  std::vector<ReceivedTree> received;
  for (const Source& source : sources_) received.push_back({message_of[static_cast<std::size_t>(source.rank)], source.packed});
  if (received == trees_received_) return;
  trees_received_ = std::move(received);
  device_received_.resize_discard(trees_received_.size());
  copy_from_host<Space, ReceivedTree>(space_, trees_received_, device_received_.view());
}

template <class Space>
void TreeExchange<Space>::receive() {
  if (sources_.empty()) return;
  transport_.arrive(0, transport_.receive_count());
  find_received();
  const std::uint32_t* const cell_begin = device_begins_.data() + walk_roots_.size();
  space_.for_each_by_team(
      received_cells(),
      UnpackTrees{device_received_.data(), cell_begin, cell_begin + cell_begin_.size(), static_cast<std::uint32_t>(sources_.size()),
                  cell_begin_.front(), multipole_stride(form_), arrays_.links, arrays_.geometry, arrays_.multipole, arrays_.particles});
}

template <class Space>
TreeView TreeExchange<Space>::view(ClassRange classes) const {
  const std::size_t begin = walk_root_begin_[static_cast<std::size_t>(classes.begin)],
                    end = walk_root_begin_[static_cast<std::size_t>(classes.end)];
  TreeView trees = trees_;
  trees.root_count = static_cast<std::uint32_t>(end - begin);
  trees.roots = device_begins_.data() + begin;
  return trees;
}

template class TreeExchange<BackEnd>;

}  // namespace grove
