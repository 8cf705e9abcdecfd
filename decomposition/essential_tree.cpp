#include "decomposition/essential_tree.hpp"

namespace grove {

namespace {

constexpr std::uint32_t closed_cell = ~0U;  ///< in place of a number of children

/// Decides for a selected cell whether it is sent closed or how many children go along.
template <class Opening>
struct Classify {
  Opening opening;
  const CellLinks* links;
  const CellGeometry* geometry;
  const DomainBoxes* boxes;
  const std::uint32_t* rank;
  const std::uint32_t* cell;
  std::uint32_t* child_count;
  double per_length;
  float support2;

  GROVE_HD void operator()(std::size_t e) const {
    const DomainBoxes& receiver = boxes[rank[e]];
    bool closed = true;
    for (int b = 0; b < receiver.count && closed; ++b) closed = accept(opening, geometry[cell[e]], receiver.box[b], per_length, support2);
    child_count[e] = closed ? closed_cell : links[cell[e]].child_count;
  }
};

struct CountChildren {
  const std::uint32_t* child_count;
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t i) const { out[i] = child_count[i] == closed_cell ? 0 : child_count[i]; }
};

/// Makes the next level's entries: the children of all open cells, in order.
struct Descend {
  const CellLinks* links;
  std::uint32_t* rank;
  std::uint32_t* cell;
  const std::uint32_t* child_count;
  std::uint32_t* child_begin;
  const std::uint32_t* offset;
  std::uint32_t level_begin, next_begin;

  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t e = level_begin + i;
    child_begin[e] = next_begin + offset[i];
    if (child_count[e] == closed_cell) return;
    const std::uint32_t first = links[cell[e]].first_child;
    for (std::uint32_t k = 0; k < child_count[e]; ++k) {
      rank[child_begin[e] + k] = rank[e];
      cell[child_begin[e] + k] = first + k;
    }
  }
};

/// Finds the first entry of the level i / (ranks + 1) for the receiver i % (ranks + 1).
struct FindSegments {
  const std::uint32_t* rank;
  const std::uint32_t* level_begin;
  std::uint32_t stride;
  std::uint32_t* begin;

  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t level = i / stride;
    std::uint32_t first = level_begin[level], last = level_begin[level + 1];
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (rank[middle] < i % stride)
        first = middle + 1;
      else
        last = middle;
    }
    begin[i] = first;
  }
};

/// Where the entries of all levels go: receiver by receiver, level by level within a receiver.
struct OutputIndex {
  const std::uint32_t* rank;
  const std::uint32_t* level_begin;
  const std::uint32_t* segment_begin;
  const std::uint32_t* output_begin;  ///< as segment_begin, in the output
  std::uint32_t levels, stride;

  GROVE_HD std::uint32_t slot(std::uint32_t e) const {
    std::uint32_t level = 0;
    while (level + 1 < levels && e >= level_begin[level + 1]) ++level;
    return level * stride + rank[e];
  }
  GROVE_HD std::uint32_t operator()(std::uint32_t e) const {
    const std::uint32_t s = slot(e);
    return output_begin[s] + (e - segment_begin[s]);
  }
  /// First cell of the receiver's tree.
  GROVE_HD std::uint32_t tree_begin(std::uint32_t e) const { return output_begin[rank[e]]; }
};

struct WriteCells {
  OutputIndex index;
  const std::uint32_t* cell;
  const std::uint32_t* child_count;
  const std::uint32_t* child_begin;
  const CellLinks* links;
  const CellGeometry* geometry;
  const float* multipole;
  int stride;
  CellLinks* out_links;
  CellGeometry* out_geometry;
  float* out_multipole;
  std::uint32_t* out_particle_count;  ///< particles that go along with each cell
  std::uint32_t* source_particle;

  GROVE_HD void operator()(std::size_t i) const {
    const auto e = static_cast<std::uint32_t>(i);
    const std::uint32_t at = index(e), children = child_count[e];
    const CellLinks own = links[cell[e]];
    CellLinks sent;
    if (children != closed_cell && children > 0) {
      sent.first_child = index(child_begin[e]) - index.tree_begin(e);
      sent.child_count = children;
    }
    if (children != closed_cell) sent.particle_count = own.particle_count;
    out_links[at] = sent;
    out_geometry[at] = geometry[cell[e]];
    for (int k = 0; k < stride; ++k) out_multipole[std::size_t{at} * stride + k] = multipole[std::size_t{cell[e]} * stride + k];
    out_particle_count[at] = children == 0 ? own.particle_count : 0;
    source_particle[at] = own.first_particle;
  }
};

struct WriteParticles {
  const std::uint32_t* particle_count;
  const std::uint32_t* offset;  ///< in the output, over all receivers
  const std::uint32_t* source_particle;
  const std::uint32_t* tree_begin;  ///< [ranks + 1] first cell of each receiver's tree
  std::uint32_t ranks;
  const Double4* particles;
  CellLinks* links;
  Double4* out;

  GROVE_HD void operator()(std::size_t c) const {
    const std::uint32_t count = particle_count[c];
    if (count == 0) return;
    std::uint32_t first = 0, last = ranks;  // the last receiver whose tree begins at or before c
    while (first < last) {
      const std::uint32_t middle = first + (last - first) / 2;
      if (tree_begin[middle + 1] <= c)
        first = middle + 1;
      else
        last = middle;
    }
    links[c].first_particle = offset[c] - offset[tree_begin[first]];
    for (std::uint32_t k = 0; k < count; ++k) out[offset[c] + k] = particles[source_particle[c] + k];
  }
};

/// Replaces every index by the entry of `from` at that index.
struct GatherAt {
  const std::uint32_t* from;
  std::uint32_t* at;
  GROVE_HD void operator()(std::size_t i) const { at[i] = from[at[i]]; }
};

template <class Space, class T>
T read_one(Space& space, const T* from) {
  T value;
  space.copy_to_host(&value, from, sizeof(T));
  return value;
}

}  // namespace

template <class Space>
void EssentialTrees<Space>::select_cells(Space& space, const ScaledLaw& law, const Tree<Space>& tree, View<const DomainBoxes> boxes,
                                         std::span<const std::uint32_t> receivers) {
  const auto resize = [this](std::size_t n) {
    for (auto* b : {&rank_, &cell_, &child_count_, &child_begin_}) b->resize_keep(n);
  };
  resize(receivers.size());
  copy_from_host(space, receivers, rank_.view());
  space.fill_bytes(cell_.data(), 0, receivers.size() * sizeof(std::uint32_t));
  level_begin_.assign(1, 0);
  auto end = static_cast<std::uint32_t>(receivers.size());
  while (end > level_begin_.back()) {
    const std::uint32_t begin = level_begin_.back(), count = end - begin;
    level_begin_.push_back(end);
    const auto classify = [&]<class Opening>(const Opening& opening) {
      space.for_each(count, Classify<Opening>{opening, tree.links.data(), tree.geometry.data(), boxes.data, rank_.data() + begin,
                                              cell_.data() + begin, child_count_.data() + begin, law.units.per_length, law.support2});
    };
    std::visit(classify, law.opening);
    Scratch<Space, std::uint32_t> children(space, count);
    Scratch<Space, std::uint32_t> offset(space, count + 1);
    space.for_each(count, CountChildren{child_count_.data() + begin, children.data()});
    space.template exclusive_scan<std::uint32_t>(children.view(), offset.view());
    const std::uint32_t made = read_one(space, offset.data() + count);
    resize(end + made);
    space.for_each(
        count, Descend{tree.links.data(), rank_.data(), cell_.data(), child_count_.data(), child_begin_.data(), offset.data(), begin, end});
    end += made;
  }
}

template <class Space>
void EssentialTrees<Space>::count_by_rank(Space& space, std::size_t ranks) {
  const std::size_t levels = level_begin_.size() - 1, stride = ranks + 1;
  segment_begin_.resize(levels * stride);
  Scratch<Space, std::uint32_t> begins(space, level_begin_.size());
  Scratch<Space, std::uint32_t> segments(space, segment_begin_.size());
  copy_from_host<Space, std::uint32_t>(space, level_begin_, begins.view());
  space.for_each(segment_begin_.size(), FindSegments{rank_.data(), begins.data(), static_cast<std::uint32_t>(stride), segments.data()});
  copy_to_host<Space, std::uint32_t>(space, segments.view(), segment_begin_);
  cell_counts.assign(ranks, 0);
  for (std::size_t l = 0; l < levels; ++l)
    for (std::size_t r = 0; r < ranks; ++r) cell_counts[r] += segment_begin_[l * stride + r + 1] - segment_begin_[l * stride + r];
}

template <class Space>
void EssentialTrees<Space>::write_trees(Space& space, const Tree<Space>& tree, View<const Double4> tree_particles) {
  const std::size_t ranks = cell_counts.size(), levels = level_begin_.size() - 1, stride = ranks + 1, total = level_begin_.back();
  // Output position of each level of each receiver, and of each receiver's tree as a whole.
  std::vector<std::uint32_t> output_begin(segment_begin_.size()), tree_begin(ranks + 1, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::uint32_t at = tree_begin[r];
    for (std::size_t l = 0; l < levels; ++l) {
      output_begin[l * stride + r] = at;
      at += segment_begin_[l * stride + r + 1] - segment_begin_[l * stride + r];
    }
    tree_begin[r + 1] = at;
  }
  links.resize_discard(total);
  geometry.resize_discard(total);
  form = tree.form;
  multipole.resize_discard(total * multipole_stride(form));
  Scratch<Space, std::uint32_t> d_level(space, level_begin_.size()), d_segment(space, segment_begin_.size()),
      d_output(space, output_begin.size()), d_tree(space, tree_begin.size()), particle_count(space, total), source(space, total),
      offset(space, total + 1);
  copy_from_host<Space, std::uint32_t>(space, level_begin_, d_level.view());
  copy_from_host<Space, std::uint32_t>(space, segment_begin_, d_segment.view());
  copy_from_host<Space, std::uint32_t>(space, output_begin, d_output.view());
  copy_from_host<Space, std::uint32_t>(space, tree_begin, d_tree.view());

  const OutputIndex index{rank_.data(),
                          d_level.data(),
                          d_segment.data(),
                          d_output.data(),
                          static_cast<std::uint32_t>(levels),
                          static_cast<std::uint32_t>(stride)};
  space.for_each(total, WriteCells{index, cell_.data(), child_count_.data(), child_begin_.data(), tree.links.data(), tree.geometry.data(),
                                   tree.multipole.data(), multipole_stride(form), links.data(), geometry.data(), multipole.data(),
                                   particle_count.data(), source.data()});
  space.template exclusive_scan<std::uint32_t>(particle_count.view(), offset.view());
  particles.resize_discard(read_one(space, offset.data() + total));
  space.for_each(total, WriteParticles{particle_count.data(), offset.data(), source.data(), d_tree.data(),
                                       static_cast<std::uint32_t>(ranks), tree_particles.data, links.data(), particles.data()});

  std::vector<std::uint32_t> particle_begin(ranks + 1);
  space.for_each(ranks + 1, GatherAt{offset.data(), d_tree.data()});
  copy_to_host<Space, std::uint32_t>(space, d_tree.view(), particle_begin);
  particle_counts.assign(ranks, 0);
  for (std::size_t r = 0; r < ranks; ++r) particle_counts[r] = particle_begin[r + 1] - particle_begin[r];
}

template <class Space>
void EssentialTrees<Space>::select(Space& space, const ScaledLaw& law, const Tree<Space>& tree, View<const Double4> tree_particles,
                                   std::span<const DomainBoxes> boxes, int own_rank) {
  std::vector<std::uint32_t> receivers;
  for (std::size_t r = 0; r < boxes.size(); ++r)
    if (tree.cell_count() > 0 && boxes[r].count > 0 && static_cast<int>(r) != own_rank) receivers.push_back(static_cast<std::uint32_t>(r));
  Scratch<Space, DomainBoxes> device_boxes(space, boxes.size());
  copy_from_host(space, boxes, device_boxes.view());
  select_cells(space, law, tree, device_boxes, receivers);
  count_by_rank(space, boxes.size());
  write_trees(space, tree, tree_particles);
}

template class EssentialTrees<BackEnd>;

}  // namespace grove
