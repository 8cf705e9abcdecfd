// What all ranks of a test see alike.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"

namespace grove {

/// Whether the file is there. No rank continues, and removes it, before all have looked. Collective.
inline bool is_there(const std::string& path, const Communicator& comm) {
  comm.barrier();
  return comm.min(std::filesystem::exists(path) ? 1 : 0) == 1;
}

/// The message of the AgreedError that `work` must throw on every rank with `exit_code`, the same on all of them. Collective.
inline std::string agreed_error_of(const std::function<void()>& work, int exit_code, const Communicator& comm) {
  std::string message = "no AgreedError";
  int code = 0;
  try {
    work();
  } catch (const AgreedError& error) {
    message = error.what();
    code = error.exit_code();
  }
  EXPECT_EQ(code, exit_code) << message;
  std::string of_root = message;
  comm.broadcast(of_root);
  EXPECT_EQ(message, of_root);
  return message;
}

/// The message of the AgreedError that `work` must throw with the exit code of a DataError; "no error" otherwise.
inline std::string data_error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const AgreedError& error) {
    EXPECT_EQ(error.exit_code(), 3) << error.what();
    return error.what();
  }
  return "no error";
}

}  // namespace grove
