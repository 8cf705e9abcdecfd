#include "src/view/view_server.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <omp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <regex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "io/files/printable.hpp"
#include "kernels/base/parse_number.hpp"
#include "src/run/files/run_file_names.hpp"
#include "src/view/log_part.hpp"
#include "src/view/page.hpp"
#include "src/view/rotation_curve.hpp"
#include "src/view/run_state.hpp"
#include "src/view/sample_cache.hpp"
#include "src/view/thread_per_connection.hpp"

namespace grove {

namespace {

using httplib::Request;
using httplib::Response;

// The character set keeps JSON from being compressed, which takes longer than sending it within the machine.
constexpr const char *json_type = "application/json; charset=utf-8", *text_type = "text/plain; charset=utf-8";
constexpr std::size_t longest_request = 4096;
constexpr std::uint64_t most_rows = 100000, usual_rows = 1000, largest_picture = std::uint64_t{256} << 20;

void answer_in_words(Response& response, int status, const std::string& words) {
  response.status = status;
  response.set_header("Cache-Control", "no-store");
  response.set_content(printable_text(words) + "\n", text_type);
}

void send_json(Response& response, const nlohmann::ordered_json& value) {
  response.set_header("Cache-Control", "no-store");
  response.set_content(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), json_type);
}

/// Sends content that browsers cache; they ask each time whether it has changed, and `content` is made only if it has.
template <class Content>
void send_tagged(const Request& request, Response& response, const std::string& tag, const char* type, Content content) {
  const bool is_known = request.get_header_value("If-None-Match") == tag;
  // An answer that cannot be made gets no headers.
  if (is_known)
    response.status = 304;
  else
    response.set_content(content(), type);
  response.set_header("ETag", tag);
  response.set_header("Cache-Control", "private, no-cache");
}

/// Turns exceptions into answers.
httplib::Server::Handler guarded(const httplib::Server::Handler& handler) {
  return [handler](const Request& request, Response& response) {
    try {
      handler(request, response);
    } catch (const ConfigError& error) {
      answer_in_words(response, 400, error.what());
    } catch (const FileRefused& error) {
      answer_in_words(response, 403, error.what());
    } catch (const FileNotThere& error) {
      answer_in_words(response, 404, error.what());
    } catch (const DataError& error) {
      answer_in_words(response, 422, error.what());
    } catch (const std::exception& error) {
      answer_in_words(response, 500, sentence_of(error));
    }
  };
}

/// 128 bits in hexadecimal.
std::string new_key() {
  std::random_device source;
  std::string key;
  for (int i = 0; i < 4; ++i) key += fmt::format("{:08x}", static_cast<std::uint32_t>(source()));
  return key;
}

/// A whole number in the query of a request.
std::uint64_t number_asked_for(const Request& request, const char* name, std::uint64_t usual, std::uint64_t least, std::uint64_t most) {
  if (!request.has_param(name)) return usual;
  const std::string text = request.get_param_value(name);
  const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(text);
  if (!value || *value < least || *value > most)
    throw ConfigError(fmt::format("{} = {}: must be a whole number >= {} and <= {}", name, text, least, most));
  return *value;
}

/// The paths without the directories that all have in common: "output", or "a/output" and "b/output".
std::vector<std::string> short_names(const std::vector<std::filesystem::path>& paths) {
  const auto holds_all = [&](const std::filesystem::path& place) {
    return std::all_of(paths.begin(), paths.end(), [&](const std::filesystem::path& path) {
      return std::mismatch(place.begin(), place.end(), path.begin(), path.end()).first == place.end();
    });
  };
  std::filesystem::path place = paths.front().parent_path();
  while (!holds_all(place) || (place.has_relative_path() && std::find(paths.begin(), paths.end(), place) != paths.end()))
    place = place.parent_path();
  std::vector<std::string> names;
  for (const std::filesystem::path& path : paths) names.push_back(printable_line(path.lexically_relative(place).string(), 200));
  return names;
}

/// Ends the connections of this process on its `port`: who reads or writes there stops waiting.
void end_connections(int port) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const int socket = std::atoi(entry.path().filename().c_str());
    sockaddr_in own{};
    socklen_t length = sizeof(own);
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0 && own.sin_family == AF_INET && ntohs(own.sin_port) == port)
      ::shutdown(socket, SHUT_RDWR);
  }
}

bool leads_upwards(const std::string& path) {
  return path.find("/..") != std::string::npos || path.find('\\') != std::string::npos || path.find('\0') != std::string::npos;
}

/// Whether the Host of a request is this machine, at any port: that of a tunnel may be another. A page of another site whose name has been
/// made to mean this machine (DNS rebinding) sends its own name.
bool is_this_machine(const std::string& host) {
  static const std::regex form("(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?", std::regex::icase);
  return std::regex_match(host, form);
}

}  // namespace

/// The server of the library and its answers.
class ViewServer::Routes {
 public:
  Routes(const std::vector<std::filesystem::path>& directories, const Communicator& comm) : path_("/" + new_key() + "/"), comm_(comm) {
    std::vector<std::filesystem::path> paths;
    for (const std::filesystem::path& directory : directories)
      paths.push_back(runs_.emplace_back(directory, stop_.get_token()).files.directory());
    names_ = short_names(paths);
    set_up();
    add_page();
    add_data();
  }

  httplib::Server& server() { return server_; }
  const std::string& path() const { return path_; }
  /// The library lets five connections wait; the system lets further ones try again after seconds.
  void let_more_wait() const { ::listen(listening_, SOMAXCONN); }
  void stop() {
    stop_.request_stop();
    server_.stop();
  }

 private:
  struct Run {
    Run(const std::filesystem::path& directory, std::stop_token stop) : files(directory), samples(files, std::move(stop)) {}
    RunFiles files;
    SampleCache samples;
  };

  Run& run_asked_for(const Request& request) { return runs_[number_asked_for(request, "run", 0, 0, runs_.size() - 1)]; }

  void set_up() {
    server_.new_task_queue = [] { return new ThreadPerConnection; };
    // The default without SO_REUSEPORT, with which two servers would share a port and its requests.
    server_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      listening_ = socket;
    });
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_timeout(2);
    server_.set_payload_max_length(longest_request);
    server_.set_default_headers(
        {{"X-Content-Type-Options", "nosniff"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'"}});
    server_.set_pre_routing_handler([this](const Request& request, Response& response) { return admit(request, response); });
    server_.set_error_handler([](const Request&, Response& response) {
      if (response.body.empty() && response.status == 404) answer_in_words(response, 404, "there is nothing under this address");
    });
  }

  /// Answers requests that are refused.
  httplib::Server::HandlerResponse admit(const Request& request, Response& response) const {
    const auto refuse = [&](int status, const std::string& words) {
      answer_in_words(response, status, words);
      return httplib::Server::HandlerResponse::Handled;
    };
    if (request.get_header_value_count("Host") != 1 || !is_this_machine(request.get_header_value("Host")))
      return refuse(403, "only requests to localhost and 127.0.0.1 are answered");
    if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      return refuse(405, "the view is read-only: " + printable_line(request.method, 40) + " is not answered");
    }
    if (request.ranges.size() > 1) return refuse(416, "one range of bytes at a time is answered");
    if (leads_upwards(request.path)) return refuse(403, "only files of the run's directory are shown");
    if (!request.path.starts_with(path_))
      return refuse(403, "open the whole address that 'grove view' has printed: its key changes with each start");
    return httplib::Server::HandlerResponse::Unhandled;
  }

  void add_page() {
    const auto add = [&](const std::string& name, std::string_view text, const char* type) {
      server_.Get(path_ + name, [text, type](const Request&, Response& response) {
        response.set_header("Cache-Control", "no-store");
        response.set_content(text.data(), text.size(), type);
      });
    };
    add("", view_page, "text/html; charset=utf-8");
    add("page\\.css", view_style, "text/css; charset=utf-8");
    const char* const script = "text/javascript; charset=utf-8";
    add("common\\.js", view_common_script, script);
    add("cloud\\.js", view_cloud_script, script);
    add("charts\\.js", view_charts_script, script);
    add("files\\.js", view_files_script, script);
    add("run\\.js", view_run_script, script);
    add("run_charts\\.js", view_run_charts_script, script);
    add("page\\.js", view_page_script, script);
  }

  void add_data() {
    const auto add = [&](const std::string& pattern, auto handler) { server_.Get(path_ + "api/" + pattern, guarded(handler)); };
    add("runs", [this](const Request&, Response& response) { send_json(response, {{"runs", names_}}); });
    add("state", [this](const Request& request, Response& response) { send_json(response, run_state(run_asked_for(request).files)); });
    add("log/(energy|timings|time_bins)", [this](const Request& request, Response& response) { send_log(request, response); });
    add("picture/([^/]+)", [this](const Request& request, Response& response) { send_picture(request, response); });
    add("sample/([^/]+)", [this](const Request& request, Response& response) { send_sample(request, response); });
    add("rotation/([^/]+)", [this](const Request& request, Response& response) { send_rotation(request, response); });
  }

  void send_log(const Request& request, Response& response) {
    const std::uint64_t rows = number_asked_for(request, "rows", usual_rows, 1, most_rows);
    const OpenFile file = run_asked_for(request).files.open(request.matches[1].str() + ".csv");
    const LogPart part = read_log_part(file, request.get_param_value("after"), rows);
    send_json(response, {{"names", part.names},
                         {"rows", part.rows},
                         {"lines", part.lines},
                         {"bad_lines", part.bad_lines},
                         {"cursor", part.cursor},
                         {"is_from_start", part.is_from_start},
                         {"is_last", part.is_last}});
  }

  void send_picture(const Request& request, Response& response) {
    const std::string name = request.matches[1];
    if (!picture_name(name)) throw FileNotThere(name + ": is not the name of a picture of a run");
    const OpenFile file = run_asked_for(request).files.open(name);
    const FileFacts facts = file.facts();
    if (facts.size > largest_picture) throw FileRefused(name + ": is no picture of Grove: it has more than 256 MiB");
    send_tagged(request, response, facts.tag(), "image/png", [&] { return file.read(0, facts.size); });
  }

  void send_sample(const Request& request, Response& response) {
    const std::string name = request.matches[1];
    if (!snapshot_number(name)) throw FileNotThere(name + ": is not the name of a snapshot of a run");
    Run& run = run_asked_for(request);
    const OpenFile file = run.files.open(name);
    const std::string tag = file.facts().tag();
    send_tagged(request, response, tag, "application/octet-stream", [&] { return std::string(sent_part(*run.samples.sample(file, tag))); });
  }

  void send_rotation(const Request& request, Response& response) {
    const std::string name = request.matches[1];
    if (!snapshot_number(name)) throw FileNotThere(name + ": is not the name of a snapshot of a run");
    Run& run = run_asked_for(request);
    const OpenFile file = run.files.open(name);
    const SampleCache::Bytes sample = run.samples.sample(file, file.facts().tag());
    const Config config = config_of(run.files);
    // One thread at a time uses the communicator, and the cores of a login node are left to others.
    const std::lock_guard<std::mutex> one_at_a_time(comm_mutex_);
    omp_set_num_threads(1);
    send_json(response, rotation_curve(*sample, config, comm_));
  }

  std::stop_source stop_;
  std::deque<Run> runs_;  // a deque: its elements stay where they are
  std::vector<std::string> names_;
  std::string path_;
  const Communicator& comm_;
  std::mutex comm_mutex_;
  socket_t listening_ = INVALID_SOCKET;
  httplib::Server server_;
};

ViewServer::ViewServer(const std::vector<std::filesystem::path>& directories, const Communicator& comm)
    : routes_(std::make_unique<Routes>(directories, comm)) {}

ViewServer::~ViewServer() = default;

const std::string& ViewServer::path() const { return routes_->path(); }

int ViewServer::bind(int port) {
  httplib::Server& server = routes_->server();
  const int taken = port == 0 ? server.bind_to_any_port("127.0.0.1") : (server.bind_to_port("127.0.0.1", port) ? port : -1);
  if (taken > 0) {
    routes_->let_more_wait();
    return port_ = taken;
  }
  throw ConfigError(
      fmt::format("--port {}: cannot be taken on 127.0.0.1: another program has it, or it is reserved. Choose another one, or "
                  "let a free one be found with --port 0",
                  port));
}

void ViewServer::serve(const std::function<bool()>& is_over) {
  constexpr std::chrono::milliseconds interval{100};
  std::atomic<bool> has_ended = false;
  std::thread listener([&] {
    routes_->server().listen_after_bind();
    has_ended = true;
  });
  // Before it listens it cannot be stopped.
  while (!has_ended && (!routes_->server().is_running() || !is_over())) std::this_thread::sleep_for(interval);
  const bool has_failed = has_ended;
  routes_->stop();
  for (; !has_ended; std::this_thread::sleep_for(interval)) end_connections(port_);
  listener.join();
  if (has_failed) throw SystemError("the server of the live view no longer gets connections from the system");
}

}  // namespace grove
