#include "src/view/sample_cache.hpp"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "io/hdf5/hdf5_apart.hpp"
#include "io/snapshots/particle_sample.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

/// About so many particles in a sample.
constexpr std::uint64_t most_particles = 50000;
constexpr std::size_t most_entries = 8;
constexpr std::size_t bytes_of_point = 13, bytes_of_mass = 8;
static_assert(std::endian::native == std::endian::little, "numbers are sent as they are in memory");

template <class T>
void append(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

std::string header_of(const std::string& name, const ParticleSample& sample) {
  Json header = {{"snapshot", name}};
  if (sample.time) header["time"] = *sample.time;
  header["particles"] = sample.particles();
  header["shown"] = sample.types.size();
  header["not_finite"] = sample.not_finite;
  header["centre"] = sample.centre;
  header["radius"] = sample.radius;
  header["components"] = Json::array();
  for (std::size_t type = 0; type < sample.components.size(); ++type)
    if (sample.count_of_type[type] > 0)
      header["components"].push_back({{"type", type}, {"name", sample.components[type]}, {"particles", sample.count_of_type[type]}});
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  return text;
}

std::string bytes_of(const std::string& name, const ParticleSample& sample) {
  const std::string header = header_of(name, sample);
  const auto length = static_cast<std::uint32_t>(header.size());
  std::string bytes;
  append(bytes, std::span(&length, 1));
  bytes += header;
  append(bytes, std::span(sample.positions));
  append(bytes, std::span(sample.types));
  append(bytes, std::span(sample.masses));
  return bytes;
}

/// Replaces the path of the open file by its name.
std::string named(const OpenFile& file, std::string words) {
  const std::string way = file.way();
  for (std::size_t at = 0; (at = words.find(way, at)) != std::string::npos; at += file.name().size())
    words.replace(at, way.size(), file.name());
  return words;
}

}  // namespace

std::string make_sample(const std::filesystem::path& path, const std::string& name) {
  return bytes_of(name, read_particle_sample(path, most_particles));
}

std::string_view sent_part(std::string_view sample) {
  std::uint32_t length = 0;
  std::memcpy(&length, sample.data(), sizeof(length));
  const std::size_t begin = sizeof(length) + length, shown = (sample.size() - begin) / (bytes_of_point + bytes_of_mass);
  return sample.substr(0, begin + bytes_of_point * shown);
}

bool SampleCache::is_what_it_was(const OpenFile& snapshot, const std::string& tag) const {
  return snapshot.facts().tag() == tag && files_.open(snapshot.name()).facts().tag() == tag;
}

std::string SampleCache::read(const OpenFile& snapshot, const std::string& tag) const {
  try {
    auto bytes = in_own_process(sample_task, snapshot.way(), snapshot.name(), stop_);
    return bytes ? std::move(*bytes) : bytes_of(snapshot.name(), read_particle_sample(snapshot.way(), most_particles, stop_));
  } catch (const DataError& error) {
    // HDF5 does not open a file that has been removed.
    if (!is_what_it_was(snapshot, tag)) throw FileNotThere(snapshot.name() + ": has been replaced while it was read");
    throw DataError(named(snapshot, error.what()));
  } catch (const SystemError& error) {
    throw SystemError(named(snapshot, error.what()));
  }
}

SampleCache::Bytes SampleCache::sample(const OpenFile& snapshot, const std::string& tag) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->name != snapshot.name() || entry->tag != tag) continue;
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->bytes;
  }
  auto bytes = std::make_shared<const std::string>(read(snapshot, tag));
  if (!is_what_it_was(snapshot, tag)) throw FileNotThere(snapshot.name() + ": has been replaced while it was read");
  entries_.push_front({snapshot.name(), tag, std::move(bytes)});
  if (entries_.size() > most_entries) entries_.pop_back();
  return entries_.front().bytes;
}

}  // namespace grove
