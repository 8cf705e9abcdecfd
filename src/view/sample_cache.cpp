#include "src/view/sample_cache.hpp"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "io/particle_sample.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_entries = 8;
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
  return bytes;
}

}  // namespace

SampleCache::Bytes SampleCache::sample(const std::string& snapshot) {
  const std::lock_guard<std::mutex> one_at_a_time(mutex_);
  const std::string tag = files_.open(snapshot).facts().tag();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->name != snapshot || entry->tag != tag) continue;
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->bytes;
  }
  const auto path = files_.directory() / snapshot;
  entries_.push_front(
      {snapshot, tag, std::make_shared<const std::string>(bytes_of(snapshot, read_particle_sample(path, most_particles, stop_)))});
  if (entries_.size() > most_entries) entries_.pop_back();
  return entries_.front().bytes;
}

}  // namespace grove
