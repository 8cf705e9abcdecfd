// The server of the live view: one page, and what it asks for. For one user, on this machine, read-only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// Serves the page and the data of one or several runs, to this machine alone (127.0.0.1). Below /KEY/, where the key is made anew each
/// time, so that other users of the machine see nothing:
///
///   GET /KEY/                     the page, its style and scripts
///   GET /KEY/api/runs             {runs: [names]}: the directories without the part that all have in common
///   GET /KEY/api/state            run_state()
///   GET /KEY/api/log/NAME         NAME = energy, timings or time_bins: read_log_part() as JSON; ?after=CURSOR&rows=MOST
///   GET /KEY/api/picture/FILE     a picture of the run
///   GET /KEY/api/sample/FILE      SampleCache::sample() of a snapshot, the part that is sent
///   GET /KEY/api/rotation/FILE    rotation_curve() of a snapshot
///
/// ?run=N (default 0) chooses the run of the last five.
/// Errors are answers in words: 400 a wrong parameter, 403 what is not shown (links, other directories, another Host than this machine, a
/// wrong key), 404 what is not there or has been replaced meanwhile, 405 other methods than GET and
/// HEAD, 422 damaged files, 500 failures of the machine, such as too little memory.
/// Not collective.
class ViewServer {
 public:
  /// `directories`: the output directories of the runs, at least one. `comm`: of one rank.
  ViewServer(const std::vector<std::filesystem::path>& directories, const Communicator& comm);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  /// Takes the port, or with 0 a free one; returns its number. Throws ConfigError that names --port.
  int bind(int port);
  /// "/KEY/", the path of the page.
  const std::string& path() const;
  /// Answers requests until `is_over` says so; asks ten times a second. Needs bind(). Throws SystemError.
  void serve(const std::function<bool()>& is_over);

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
  int port_ = 0;  ///< as bind() took it
};

}  // namespace grove
