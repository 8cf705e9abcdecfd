// Order conditions of all integrators: every one of them, up to rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "src/integrators/adams_bashforth.hpp"
#include "src/integrators/compositions.hpp"
#include "src/integrators/tableaux.hpp"

namespace grove {

void PrintTo(const Tableau& row, std::ostream* stream) { *stream << row.info.name; }
void PrintTo(const CompositionRow& row, std::ostream* stream) { *stream << row.info.name; }
void PrintTo(const AdamsBashforthRow& row, std::ostream* stream) { *stream << row.info.name; }

}  // namespace grove

namespace grove::tests {
namespace {

constexpr double rounding = 1e-13;

/// A rooted tree: its branches, each not before the next in the list of trees.
struct RootedTree {
  std::vector<std::size_t> branches;
  int order = 1;
  double gamma = 1;  ///< density: the product of the orders of all subtrees
};

/// All rooted trees of up to so many vertices.
std::vector<RootedTree> rooted_trees(int most) {
  std::vector<RootedTree> all{{}};
  const auto extend = [&](const auto& self, const RootedTree& tree, std::size_t first, int order, std::vector<RootedTree>& made) -> void {
    if (tree.order == order) made.push_back(tree);
    for (std::size_t k = first; k < all.size(); ++k) {
      if (tree.order + all[k].order > order) continue;
      RootedTree more = tree;
      more.branches.push_back(k);
      more.order += all[k].order;
      self(self, more, k, order, made);
    }
  };
  for (int order = 2; order <= most; ++order) {
    std::vector<RootedTree> made;
    extend(extend, {}, 0, order, made);
    for (RootedTree& tree : made) {
      tree.gamma = tree.order;
      for (const std::size_t k : tree.branches) tree.gamma *= all[k].gamma;
    }
    all.insert(all.end(), made.begin(), made.end());
  }
  return all;
}

/// The largest |sum_i b_i phi_i(t) - 1 / gamma(t)| over all trees of up to `order` vertices (Butcher 1963).
double largest_defect(const std::vector<std::vector<double>>& a, const std::vector<double>& b, int order) {
  const std::vector<RootedTree> trees = rooted_trees(order);
  std::vector<std::vector<double>> phi;  // [tree][stage]
  double largest = 0;
  for (const RootedTree& tree : trees) {
    std::vector<double> of_stages(b.size(), 1.0);
    for (const std::size_t k : tree.branches)
      for (std::size_t i = 0; i < b.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < a[i].size(); ++j) sum += a[i][j] * phi[k][j];
        of_stages[i] *= sum;
      }
    double sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * of_stages[i];
    largest = std::max(largest, std::abs(sum - 1 / tree.gamma));
    phi.push_back(std::move(of_stages));
  }
  return largest;
}

TEST(RootedTrees, AreAsManyAsThereAre) {
  std::map<int, int> count;
  for (const RootedTree& tree : rooted_trees(8)) ++count[tree.order];
  EXPECT_EQ(count, (std::map<int, int>{{1, 1}, {2, 1}, {3, 2}, {4, 4}, {5, 9}, {6, 20}, {7, 48}, {8, 115}}));
}

class OrderOfTableau : public testing::TestWithParam<Tableau> {};

TEST_P(OrderOfTableau, IsWhatItSays) {
  const Tableau& row = GetParam();
  ASSERT_EQ(row.a.size(), row.b.size());
  EXPECT_LE(largest_defect(row.a, row.b, row.info.order), rounding);
  EXPECT_GE(largest_defect(row.a, row.b, row.info.order + 1), 1e-7) << "it has a higher order";
}

TEST_P(OrderOfTableau, OfTheEmbeddedMethodIsWhatItSays) {
  const Tableau& row = GetParam();
  if (row.b_embedded.empty()) return;
  ASSERT_EQ(row.b_embedded.size(), row.b.size());
  EXPECT_LE(largest_defect(row.a, row.b_embedded, row.order_embedded), rounding);
  EXPECT_GE(largest_defect(row.a, row.b_embedded, row.order_embedded + 1), 1e-7);
}

TEST_P(OrderOfTableau, NystroemsFormIsItsSquare) {
  const Tableau& row = GetParam();
  const NystroemForm form(row);
  ASSERT_EQ(form.stages(), row.b.size());
  double last = 0, velocity = 0;
  for (std::size_t i = 0; i < form.stages(); ++i) {
    double sum = 0, expected = 0;
    for (const double weight : form.position[i]) sum += weight;
    for (std::size_t j = 0; j < row.a[i].size(); ++j) expected += row.a[i][j] * form.c[j];
    EXPECT_NEAR(sum, expected, rounding) << "stage " << i;
    last += form.last_position[i];
    velocity += form.velocity[i];
  }
  EXPECT_NEAR(velocity, 1, rounding);
  EXPECT_NEAR(last, row.info.order > 1 ? 0.5 : 0.0, rounding);
  EXPECT_EQ(form.begins_at_start, row.a.front().empty());
}

template <class Row>
std::string name_of(const testing::TestParamInfo<Row>& test) {
  return test.param.info.name;
}
INSTANTIATE_TEST_SUITE_P(All, OrderOfTableau, testing::ValuesIn(tableaux()), name_of<Tableau>);

/// Sums of words of letters that do not commute, up to a degree: the letter 1 has degree 1, 3 degree 3 and so on. The flow of a method that
/// is reversible in time is the exponential of h Y1 + h^3 Y3 + h^5 Y5 + ... (Hairer, Lubich & Wanner 2006, V.3.2).
using Words = std::map<std::string, double>;

int degree(const std::string& word) {
  int sum = 0;
  for (const char letter : word) sum += letter - '0';
  return sum;
}

Words product(const Words& a, const Words& b, int most) {
  Words all;
  for (const auto& [left, x] : a)
    for (const auto& [right, y] : b)
      if (degree(left) + degree(right) <= most) all[left + right] += x * y;
  return all;
}

/// exp(h Y1 + h^3 Y3 + ...)
Words step_of_leapfrog(double h, int most) {
  Words generator, power{{"", 1.0}}, all = power;
  for (int letter = 1; letter <= most; letter += 2) generator[std::to_string(letter)] = std::pow(h, letter);
  for (int n = 1; n <= most; ++n) {
    power = product(power, generator, most);
    for (auto& [word, value] : power) {
      value /= n;
      all[word] += value;
    }
  }
  return all;
}

/// The largest coefficient in which the composition differs from exp(Y1), the exact flow, among words of up to this degree.
double largest_defect(const std::vector<double>& weights, int order) {
  Words all{{"", 1.0}};
  for (const double weight : weights) all = product(all, step_of_leapfrog(weight, order), order);
  double largest = 0;
  for (const auto& [word, value] : all) {
    const bool is_power = word.find_first_not_of('1') == std::string::npos;
    largest = std::max(largest, std::abs(value - (is_power ? 1 / std::tgamma(static_cast<double>(word.size()) + 1) : 0)));
  }
  return largest;
}

class OrderOfComposition : public testing::TestWithParam<CompositionRow> {};

TEST_P(OrderOfComposition, IsWhatItSays) {
  const CompositionRow& row = GetParam();
  EXPECT_LE(largest_defect(row.weights, row.info.order), rounding);
  EXPECT_GE(largest_defect(row.weights, row.info.order + 1), 1e-5) << "it has a higher order";
}

TEST_P(OrderOfComposition, ItIsTheSameFromBothEnds) {
  const std::vector<double>& weights = GetParam().weights;
  EXPECT_EQ(std::vector<double>(weights.rbegin(), weights.rend()), weights);
}

INSTANTIATE_TEST_SUITE_P(All, OrderOfComposition, testing::ValuesIn(compositions()), name_of<CompositionRow>);

class OrderOfMultistep : public testing::TestWithParam<AdamsBashforthRow> {};

// Polynomials of degree < k are integrated exactly: sum_j weights[j] (-j)^n = 1 / (n + 1).
TEST_P(OrderOfMultistep, IsWhatItSays) {
  const AdamsBashforthRow& row = GetParam();
  for (int n = 0; n <= row.info.order; ++n) {
    double sum = 0;
    for (std::size_t j = 0; j < row.weights.size(); ++j) sum += row.weights[j] * std::pow(-static_cast<double>(j), n);
    if (n < row.info.order)
      EXPECT_NEAR(sum, 1.0 / (n + 1), 100 * rounding) << n;  // terms of up to 251 / 720 * 4^4
    else
      EXPECT_GT(std::abs(sum - 1.0 / (n + 1)), 0.1);
  }
  EXPECT_GE(find_tableau(row.starter)->info.order, row.info.order);
}

INSTANTIATE_TEST_SUITE_P(All, OrderOfMultistep, testing::ValuesIn(adams_bashforth_methods()), name_of<AdamsBashforthRow>);

}  // namespace
}  // namespace grove::tests
