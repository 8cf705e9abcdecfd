#include "decomposition/domain/essential_tree.hpp"

#include <algorithm>
#include <bit>

#include "kernels/base/error.hpp"
#include "kernels/space/atomic.hpp"
#include "kernels/space/search.hpp"

namespace grove {

/// One tree to send: the part below `root` that the boxes of one rank need.
struct TreeReceiver {
  std::uint32_t root, first_box, box_count;
};

/// The trees to send, and the boxes of all ranks one after the other.
struct TreeReceivers {
  std::vector<TreeReceiver> trees;
  std::vector<std::size_t> place;  ///< [trees] index in EssentialTrees::cell_counts
  std::vector<TargetBox> box;

  /// `roots` [classes]: the root of each class, or no_cell.
  TreeReceivers(const BoxesOfRanks& boxes, const std::vector<std::uint32_t>& roots) {
    for (std::size_t r = 0; r < boxes.rank_count(); ++r) {
      if (boxes.of(r).empty()) continue;
      const auto first = static_cast<std::uint32_t>(box.size());
      box.insert(box.end(), boxes.of(r).begin(), boxes.of(r).end());
      for (std::size_t c = 0; c < roots.size(); ++c) {
        if (roots[c] == no_cell) continue;
        trees.push_back({roots[c], first, static_cast<std::uint32_t>(box.size()) - first});
        place.push_back(r * roots.size() + c);
      }
    }
  }
};

namespace {

constexpr std::uint32_t closed_cell = ~0U;  ///< instead of a number of children
constexpr std::uint32_t no_box = ~0U;
constexpr int level_count = deepest_level + 1;
constexpr std::size_t bits_a_word = 64;
constexpr std::size_t smallest_capacity = 16384;
/// A cell is tested for hundreds of boxes, and levels are tested one after the other, some with few cells.
constexpr int lanes_a_test = 32;

/// A receiver and a cell of the local tree as one number. In the order of these numbers, cells are sorted by receiver and level, as in the
/// trees that are sent.
struct EntryKeys {
  int cell_bits;
  template <class Space>
  explicit EntryKeys(const Tree<Space>& tree) : cell_bits(static_cast<int>(std::bit_width(tree.cell_count()))) {}
  GROVE_HD std::uint64_t key(std::uint32_t receiver, std::uint32_t cell) const { return std::uint64_t{receiver} << cell_bits | cell; }
  GROVE_HD std::uint32_t cell(std::uint64_t key) const { return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << cell_bits) - 1)); }
  GROVE_HD std::uint32_t receiver(std::uint64_t key) const { return static_cast<std::uint32_t>(key >> cell_bits); }
};

/// Boxes [begin, end) of a receiver.
struct BoxRange {
  std::uint16_t begin, end;
};

/// The selected cells, in any order within a level.
struct Entries {
  std::uint64_t* key;
  BoxRange* boxes;          ///< boxes for which the parent was not accepted
  std::uint32_t* children;  ///< number of children that are sent, or closed_cell
  std::uint32_t capacity;
  std::uint32_t* count;  ///< [levels + 1] entries of each level, including those without room

  GROVE_HD std::uint32_t begin(int level) const {
    std::uint32_t sum = 0;
    for (int l = 0; l < level; ++l) sum += count[l];
    return sum;
  }
};

/// Selects the root for each receiver and marks all other entries as unused.
struct SelectRoots {
  Entries entries;
  EntryKeys keys;
  const TreeReceiver* receiver;
  std::uint32_t receivers;
  GROVE_HD void operator()(std::size_t i) const {
    if (i < level_count + 1) entries.count[i] = i == 0 ? receivers : 0;
    const bool is_root = i < receivers;
    entries.key[i] = is_root ? keys.key(static_cast<std::uint32_t>(i), receiver[i].root) : ~std::uint64_t{0};
    if (is_root) entries.boxes[i] = {0, static_cast<std::uint16_t>(receiver[i].box_count)};
  }
};

/// Decides which entries of a level are sent closed, and selects the children of the others.
template <class Opening>
struct TestLevel {
  Opening opening;
  const CellLinks* links;
  const CellGeometry* geometry;
  const TargetBox* box;
  const TreeReceiver* receivers;
  Entries entries;
  EntryKeys keys;
  int level;
  std::size_t stride;  ///< items of the launch; each tests every stride-th entry
  double per_length;
  float support2;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t item) const {
    const std::uint32_t begin = entries.begin(level), end = begin + entries.count[level];
    for (std::size_t e = begin + item; e < end && e < entries.capacity; e += stride) test(team, e, end);
  }

  template <class Team>
  GROVE_HD void test(const Team& team, std::size_t e, std::uint32_t next_begin) const {
    const std::uint64_t key = entries.key[e];
    const std::uint32_t c = keys.cell(key), receiver = keys.receiver(key);
    const CellGeometry cell = geometry[c];
    const BoxRange range = entries.boxes[e];
    const TargetBox* const boxes = box + receivers[receiver].first_box;
    std::uint32_t first = no_box, last = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 4  // four loads of boxes are in flight at once
#endif
    for (std::uint32_t b = range.begin + static_cast<std::uint32_t>(team.rank()); b < range.end; b += Team::size) {
      const bool opens = !accept(opening, cell, boxes[b], per_length, support2);
      first = opens ? smaller(first, b) : first;
      last = opens ? b : last;
    }
    first = team.smallest(first);
    last = team.largest(last);
    const std::uint32_t children = first == no_box ? closed_cell : links[c].child_count;
    if (team.rank() == 0) entries.children[e] = children;
    if (children == closed_cell || children == 0) return;
    const std::uint32_t at = next_begin + team.sum(team.rank() == 0 ? fetch_add(entries.count[level + 1], children) : 0);
    for (std::uint32_t k = static_cast<std::uint32_t>(team.rank()); k < children; k += Team::size) {
      if (at + k >= entries.capacity) continue;
      entries.key[at + k] = keys.key(receiver, links[c].first_child + k);
      entries.boxes[at + k] = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last + 1)};
    }
  }
};

/// Number of particles sent with each sorted entry: those of leaves that are not closed.
struct CountParticles {
  const std::uint64_t* key;
  const std::uint32_t* children;
  EntryKeys keys;
  std::uint32_t receivers;
  const CellLinks* links;
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t i) const {
    out[i] = keys.receiver(key[i]) < receivers && children[i] == 0 ? links[keys.cell(key[i])].particle_count : 0;
  }
};

/// Finds the first entry and the first particle of each receiver, and the ends.
struct FindSegments {
  const std::uint64_t* key;
  std::uint32_t capacity;
  EntryKeys keys;
  std::uint32_t receivers;
  const std::uint32_t* particle_offset;
  std::uint32_t* first;           ///< [receivers + 1]
  std::uint32_t* first_particle;  ///< [receivers + 1]
  GROVE_HD void operator()(std::size_t r) const {
    const std::uint32_t at = lower_bound(key, 0, capacity, keys.key(static_cast<std::uint32_t>(r), 0));
    first[r] = at;
    first_particle[r] = particle_offset[at];
  }
};

/// Copies the sorted entries.
struct KeepEntries {
  const std::uint64_t* key;
  const std::uint32_t *children, *particle_offset;
  std::uint64_t* kept_key;
  std::uint32_t *kept_children, *kept_offset;
  GROVE_HD void operator()(std::size_t i) const {
    kept_key[i] = key[i];
    kept_children[i] = children[i];
    kept_offset[i] = particle_offset[i];
  }
};

/// Writes the cells and particles of all trees. A leaf writes its particles.
struct WriteTrees {
  const std::uint64_t* key;
  const std::uint32_t* children;
  const std::uint32_t* particle_offset;
  const std::uint32_t* first;  ///< [receivers + 1]
  const std::uint32_t* first_particle;
  EntryKeys keys;
  TreeView tree;
  int stride;
  const PackedTree* layout;  ///< [receivers]
  std::byte* bytes;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t i) const {
    const std::uint32_t c = keys.cell(key[i]), receiver = keys.receiver(key[i]), sent_children = children[i];
    const CellLinks own = tree.links[c];
    const PackedTree packed = layout[receiver];
    const std::size_t cell = i - first[receiver];
    const std::uint32_t particle = particle_offset[i] - first_particle[receiver];
    if (team.rank() == 0) {
      CellLinks sent;
      if (sent_children != closed_cell) {
        sent.particle_count = own.particle_count;
        sent.child_count = sent_children;
        if (sent_children > 0)
          sent.first_child = lower_bound(key, first[receiver], first[receiver + 1], keys.key(receiver, own.first_child)) - first[receiver];
        else
          sent.first_particle = particle;
      }
      packed.links_in(bytes)[cell] = sent;
      packed.geometry_in(bytes)[cell] = tree.geometry[c];
    }
    const auto lane = static_cast<std::uint32_t>(team.rank());
    float* const multipole = packed.multipole_in(bytes) + cell * static_cast<std::size_t>(stride);
    for (auto k = static_cast<int>(lane); k < stride; k += Team::size) multipole[k] = tree.multipole[std::size_t{c} * stride + k];
    const std::uint32_t count = sent_children == 0 ? own.particle_count : 0;
    Double4* const particles = packed.particles_in(bytes) + particle;
    for (std::uint32_t k = lane; k < count; k += Team::size) particles[k] = tree.particles[own.first_particle + k];
  }
};

}  // namespace

template <class Space>
void EssentialTrees<Space>::select(Space& space, const ScaledLaw& law, const Tree<Space>& tree, const BoxesOfRanks& boxes) {
  const TreeReceivers receivers = begin_selection(tree, boxes);
  const auto receiver_count = static_cast<std::uint32_t>(receivers.trees.size());
  if (receiver_count == 0) return;
  const EntryKeys keys(tree);
  // Unused entries have the key of a receiver that does not exist.
  const int sorted_bits = keys.cell_bits + static_cast<int>(std::bit_width(receiver_count));
  const TreeView own = tree.view(nullptr);
  expected_on_level_.resize(level_count, 0);
  capacity_ = std::max({capacity_, smallest_capacity, std::size_t{2} * receiver_count});

  Scratch<Space, TargetBox> device_box(space, receivers.box.size());
  Scratch<Space, TreeReceiver> device_receivers(space, receivers.trees.size());
  copy_from_host<Space, TargetBox>(space, receivers.box, device_box.view());
  copy_from_host<Space, TreeReceiver>(space, receivers.trees, device_receivers.view());
  const int root_level = class_count > 1 ? 1 : 0;
  tree_begin_.resize_discard(2 * (std::size_t{receiver_count} + 1));

  for (;;) {
    const auto capacity = static_cast<std::uint32_t>(capacity_);
    Scratch<Space, std::uint64_t> key(space, capacity);
    Scratch<Space, std::uint32_t> children(space, capacity), particle_count(space, capacity),
        particle_offset(space, std::size_t{capacity} + 1);
    // For the host: the entries of each level, then the first entry and the first particle of each receiver.
    Scratch<Space, std::uint32_t> report(space, level_count + 1 + tree_begin_.size());
    std::uint32_t* const first = report.data() + level_count + 1;
    {
      Scratch<Space, BoxRange> range(space, capacity);
      const Entries entries{key.data(), range.data(), children.data(), capacity, report.data()};
      space.for_each(capacity, SelectRoots{entries, keys, device_receivers.data(), receiver_count});
      const auto test_levels = [&]<class Opening>(const Opening& opening) {
        // Entries of level l are cells of level l + root_level.
        for (int l = 0; l < static_cast<int>(own.levels) - root_level; ++l) {
          const int cell_level = l + root_level;
          const std::size_t most = std::size_t{receiver_count} * (tree.level_offset[cell_level + 1] - tree.level_offset[cell_level]);
          const std::size_t expected = expected_on_level_[l] + expected_on_level_[l] / 8 + 1024;
          const std::size_t items = std::min(most, expected);
          space.template for_each_by_team<lanes_a_test>(
              items, TestLevel<Opening>{opening, own.links, own.geometry, device_box.data(), device_receivers.data(), entries, keys, l,
                                        items, law.units.per_length, law.support2});
        }
      };
      std::visit(test_levels, law.opening);
    }
    space.sort_pairs(key, children, sorted_bits);
    space.for_each(capacity, CountParticles{key.data(), children.data(), keys, receiver_count, own.links, particle_count.data()});
    space.template exclusive_scan<std::uint32_t>(particle_count.view(), particle_offset.view());
    space.for_each(receiver_count + 1,
                   FindSegments{key.data(), capacity, keys, receiver_count, particle_offset.data(), first, first + receiver_count + 1});
    std::vector<std::uint32_t> seen(report.view().size);
    copy_to_host<Space, std::uint32_t>(space, report.view(), seen);

    std::size_t selected = 0;
    for (int l = 0; l < level_count; ++l) selected += expected_on_level_[l] = seen[l];
    if (selected > capacity_) {
      capacity_ = selected + selected / 4;
      continue;
    }
    lay_out(space, receivers, std::span(seen).subspan(level_count + 1));
    space.copy(tree_begin_.data(), first, tree_begin_.size() * sizeof(std::uint32_t));
    resize_entries(selected);
    space.for_each(
        selected, KeepEntries{key.data(), children.data(), particle_offset.data(), key_.data(), children_.data(), particle_offset_.data()});
    // The first forces of a run use another criterion, which may need several times more room.
    if (capacity_ > 2 * selected) capacity_ = selected + selected / 4;
    return;
  }
}

/// No trees as yet. Returns those to send.
template <class Space>
TreeReceivers EssentialTrees<Space>::begin_selection(const Tree<Space>& tree, const BoxesOfRanks& boxes) {
  form = tree.form;
  class_count = tree.class_count;
  std::vector<std::uint32_t> roots;
  for (int c = 0; c < class_count; ++c) roots.push_back(tree.root_of(c));
  cell_counts.assign(boxes.rank_count() * roots.size(), 0);
  particle_counts.assign(boxes.rank_count() * roots.size(), 0);
  layout.assign(boxes.rank_count() * roots.size(), {});
  resize_entries(0);
  return {boxes, roots};
}

template <class Space>
void EssentialTrees<Space>::resize_entries(std::size_t selected) {
  key_.resize_discard(selected);
  children_.resize_discard(selected);
  particle_offset_.resize_discard(selected);
}

/// `begins`: as tree_begin_.
template <class Space>
void EssentialTrees<Space>::lay_out(Space& space, const TreeReceivers& receivers, std::span<const std::uint32_t> begins) {
  const std::size_t count = receivers.trees.size();
  const auto first_cell = begins.first(count + 1), first_particle = begins.subspan(count + 1);
  std::vector<PackedTree> of_receivers;
  std::uint64_t end = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t place = receivers.place[r];
    cell_counts[place] = first_cell[r + 1] - first_cell[r];
    particle_counts[place] = first_particle[r + 1] - first_particle[r];
    layout[place] = {end, cell_counts[place], particle_counts[place], static_cast<std::uint64_t>(multipole_stride(form))};
    end = layout[place].end;
    of_receivers.push_back(layout[place]);
  }
  device_layout_.resize_discard(count);
  copy_from_host<Space, PackedTree>(space, of_receivers, device_layout_.view());
}

template <class Space>
std::size_t EssentialTrees<Space>::bytes() const {
  std::size_t end = 0;
  for (const PackedTree& packed : layout) end = std::max<std::size_t>(end, packed.end);
  return end;
}

template <class Space>
void EssentialTrees<Space>::write(Space& space, const Tree<Space>& tree, View<const Double4> tree_particles,
                                  View<std::byte> messages) const {
  if (key_.size() == 0) return;
  const std::uint32_t* const first = tree_begin_.data();
  space.for_each_by_team(key_.size(), WriteTrees{key_.data(), children_.data(), particle_offset_.data(), first,
                                                 first + tree_begin_.size() / 2, EntryKeys(tree), tree.view(tree_particles.data),
                                                 multipole_stride(form), device_layout_.data(), messages.data});
}

template <class Space>
std::vector<std::uint64_t> EssentialTrees<Space>::closed_cells(Space& space) const {
  std::vector<std::uint32_t> children(children_.size());
  copy_to_host<Space, std::uint32_t>(space, children_.view(), children);
  std::vector<std::uint64_t> words((children.size() + bits_a_word - 1) / bits_a_word, 0);
  for (std::size_t i = 0; i < children.size(); ++i)
    if (children[i] == closed_cell) words[i / bits_a_word] |= std::uint64_t{1} << i % bits_a_word;
  return words;
}

template <class Space>
void EssentialTrees<Space>::select(Space& space, const Tree<Space>& tree, const BoxesOfRanks& boxes,
                                   const std::vector<std::uint64_t>& closed_cells) {
  const TreeReceivers receivers = begin_selection(tree, boxes);
  std::vector<CellLinks> cells(tree.cell_count());
  copy_to_host<Space, CellLinks>(space, tree.links.view().part(0, tree.cell_count()), cells);
  const EntryKeys keys(tree);
  std::vector<std::uint64_t> key;
  std::vector<std::uint32_t> children, particle_offset, first_cell{0}, first_particle{0};
  std::uint32_t sent = 0;  // particles
  for (std::uint32_t r = 0; r < receivers.trees.size(); ++r) {
    // Cells in the order in which they are found are sorted.
    key.push_back(keys.key(r, receivers.trees[r].root));
    for (std::size_t i = key.size() - 1; i < key.size(); ++i) {
      if (i / bits_a_word >= closed_cells.size()) throw DataError("the essential trees of this state do not belong to its tree");
      const CellLinks& cell = cells[keys.cell(key[i])];
      const bool is_closed = (closed_cells[i / bits_a_word] >> i % bits_a_word & 1) != 0;
      children.push_back(is_closed ? closed_cell : cell.child_count);
      particle_offset.push_back(sent);
      if (is_closed) continue;
      if (cell.child_count == 0) sent += cell.particle_count;
      for (std::uint32_t k = 0; k < cell.child_count; ++k) key.push_back(keys.key(r, cell.first_child + k));
    }
    first_cell.push_back(static_cast<std::uint32_t>(key.size()));
    first_particle.push_back(sent);
  }
  if (closed_cells.size() != (key.size() + bits_a_word - 1) / bits_a_word)
    throw DataError("the essential trees of this state are more than those of its tree");
  resize_entries(key.size());
  copy_from_host<Space, std::uint64_t>(space, key, key_.view());
  copy_from_host<Space, std::uint32_t>(space, children, children_.view());
  copy_from_host<Space, std::uint32_t>(space, particle_offset, particle_offset_.view());
  std::vector<std::uint32_t> begins = first_cell;
  begins.insert(begins.end(), first_particle.begin(), first_particle.end());
  tree_begin_.resize_discard(begins.size());
  copy_from_host<Space, std::uint32_t>(space, begins, tree_begin_.view());
  lay_out(space, receivers, begins);
}

template class EssentialTrees<BackEnd>;

}  // namespace grove
