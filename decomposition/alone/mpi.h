// MPI for one process, in place of a library of MPI: GROVE_MPI=OFF puts this directory on the include path. Only the functions that Grove
// calls, and MPI_Init() for programs that use the library. They do what MPI does in a world of one rank. Types differ from those of all
// libraries: objects compiled for these do not link.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

enum MPI_Comm : int { MPI_COMM_NULL, MPI_COMM_WORLD = 0x47525631, MPI_COMM_SELF };
enum MPI_Request : int { MPI_REQUEST_NULL };
enum MPI_Info : int { MPI_INFO_NULL };
enum MPI_Op : int { MPI_SUM, MPI_MIN, MPI_MAX };
enum MPI_Errhandler : int { MPI_ERRORS_RETURN };
enum MPI_Status : int {};
using MPI_Aint = std::ptrdiff_t;
using MPI_Win = void*;             // the memory
using MPI_Datatype = std::size_t;  // bytes

inline constexpr MPI_Datatype MPI_BYTE = 1, MPI_INT = sizeof(int), MPI_DOUBLE = sizeof(double), MPI_UINT64_T = 8, MPI_INT64_T = 8;
inline constexpr MPI_Win MPI_WIN_NULL = nullptr;
inline constexpr MPI_Status *MPI_STATUSES_IGNORE = nullptr, *MPI_STATUS_IGNORE = nullptr;
inline const void* const MPI_IN_PLACE = &MPI_WIN_NULL;
inline constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED = 1, MPI_THREAD_MULTIPLE = 3, MPI_COMM_TYPE_SHARED = 1;
inline constexpr int MPI_MAX_ERROR_STRING = 256, MPI_MAX_LIBRARY_VERSION_STRING = 256;
inline constexpr int MPI_SUCCESS = 0, MPI_ERR_COMM = 5, MPI_ERR_RANK = 6, MPI_ERR_OTHER = 15;

namespace grove::alone {

inline bool is_started = false, is_over = false;

/// Whether mpirun or srun has started this process together with others. Within a step of srun, a shell and its children run once.
inline bool is_one_of_several() {
  const auto more_than_one = [](const char* name) {
    const char* const value = std::getenv(name);
    return value && std::atoi(value) > 1;
  };
  const char* const task = std::getenv("SLURM_TASK_PID");
  const bool is_task = task && std::atol(task) == static_cast<long>(getpid());
  return more_than_one("OMPI_COMM_WORLD_SIZE") || more_than_one("PMI_SIZE") || (is_task && more_than_one("SLURM_STEP_NUM_TASKS"));
}

template <class T>
int set(T* to, T value) {
  *to = value;
  return MPI_SUCCESS;
}

inline int copy(const void* from, void* to, std::size_t bytes) {
  if (from != MPI_IN_PLACE && bytes > 0) std::memcpy(to, from, bytes);
  return MPI_SUCCESS;
}

inline int write_text(const char* text, char* to, int* length) {
  *length = static_cast<int>(std::strlen(text));
  return copy(text, to, std::strlen(text) + 1);
}

}  // namespace grove::alone

inline int MPI_Init_thread(int*, char***, int wanted, int* provided) {
  if (grove::alone::is_one_of_several()) return MPI_ERR_OTHER;
  grove::alone::is_started = true;
  *provided = wanted;
  return MPI_SUCCESS;
}
inline int MPI_Initialized(int* flag) { return grove::alone::set<int>(flag, grove::alone::is_started); }
inline int MPI_Finalized(int* flag) { return grove::alone::set<int>(flag, grove::alone::is_over); }
inline int MPI_Finalize() { return grove::alone::set(&grove::alone::is_over, true); }
inline int MPI_Query_thread(int* provided) { return grove::alone::set(provided, MPI_THREAD_MULTIPLE); }
[[noreturn]] inline int MPI_Abort(MPI_Comm, int code) { _exit(code); }

inline int MPI_Get_library_version(char* text, int* length) { return grove::alone::write_text("without MPI", text, length); }
inline int MPI_Error_string(int code, char* text, int* length) {
  const char* const sentence = code == MPI_ERR_OTHER
                                   ? "several processes were started together, but this Grove was built without MPI: start one alone"
                               : code == MPI_ERR_COMM ? "this Grove was built without MPI, and takes no communicator"
                                                      : "this Grove was built without MPI, and has no other rank";
  return grove::alone::write_text(sentence, text, length);
}

/// For programs that use the library: an error ends them, as with MPI.
inline int MPI_Init(int*, char***) {
  int provided = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &provided);
  if (code == MPI_SUCCESS) return code;
  MPI_Error_string(code, text, &length);
  std::fprintf(stderr, "MPI_Init: %s\n", text);
  std::exit(code);
}

inline int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  // One of a library of MPI that the caller has, by the C interface.
  if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) return MPI_ERR_COMM;
  return grove::alone::set(copy, comm);
}
inline int MPI_Comm_split_type(MPI_Comm comm, int, int, MPI_Info, MPI_Comm* part) { return grove::alone::set(part, comm); }
inline int MPI_Comm_free(MPI_Comm* comm) { return grove::alone::set(comm, MPI_COMM_NULL); }
inline int MPI_Comm_rank(MPI_Comm, int* rank) { return grove::alone::set(rank, 0); }
inline int MPI_Comm_size(MPI_Comm, int* size) { return grove::alone::set(size, 1); }
inline int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }

inline int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  return grove::alone::copy(from, to, static_cast<std::size_t>(count) * type);
}
inline int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
  return MPI_Allreduce(from, to, count, type, op, comm);
}
/// Undefined on the first rank.
inline int MPI_Exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, MPI_Comm) {
  return grove::alone::copy(from, to, static_cast<std::size_t>(count) * type);
}
inline int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int*, const int* offsets, MPI_Datatype,
                          MPI_Comm) {
  return grove::alone::copy(from, static_cast<char*>(to) + static_cast<std::size_t>(offsets[0]) * type,
                            static_cast<std::size_t>(count) * type);
}
inline int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype, MPI_Comm) {
  return grove::alone::copy(from, to, static_cast<std::size_t>(count) * type);
}

// Grove sends nothing to its own rank.
inline int MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_RANK; }
inline int MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_RANK; }
inline int MPI_Test(MPI_Request*, int* flag, MPI_Status*) { return grove::alone::set(flag, 1); }
inline int MPI_Waitall(int, MPI_Request*, MPI_Status*) { return MPI_SUCCESS; }

inline int MPI_Win_allocate_shared(MPI_Aint bytes, int, MPI_Info, MPI_Comm, void* base, MPI_Win* window) {
  *window = ::operator new(static_cast<std::size_t>(bytes));
  return grove::alone::copy(window, base, sizeof *window);
}
inline int MPI_Win_shared_query(MPI_Win window, int, MPI_Aint*, int*, void* base) {
  return grove::alone::copy(&window, base, sizeof window);
}
inline int MPI_Win_free(MPI_Win* window) {
  ::operator delete(*window);
  return MPI_SUCCESS;
}
