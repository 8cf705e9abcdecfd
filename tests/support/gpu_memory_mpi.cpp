// An MPI that reads and writes the memory of GPUs, where the installed one does not: a library to be loaded before it (LD_PRELOAD). It
// takes such messages by way of the host, without waiting for any work of the program: a program that sends too early sends the wrong
// bytes.
#include <cuda_runtime.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace {

/// A message from or to a GPU, while it is on its way.
struct Message {
  std::unique_ptr<char[]> host;
  void* arrives_at;  ///< null: it leaves
  std::size_t bytes;
};

std::mutex in_use;
std::map<MPI_Request, Message> on_their_way;

bool is_of_gpu(const void* data) {
  cudaPointerAttributes attributes{};
  if (data == nullptr || cudaPointerGetAttributes(&attributes, data) != cudaSuccess) return false;
  return attributes.type == cudaMemoryTypeDevice;
}

void copy(void* to, const void* from, std::size_t bytes) {
  // On a stream of its own, which waits for no other.
  cudaStream_t stream = nullptr;
  const bool is_done = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                       cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream) == cudaSuccess &&
                       cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
  if (is_done) return;
  std::fputs("gpu_memory_mpi: a message cannot be copied\n", stderr);
  std::abort();
}

std::size_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

}  // namespace

extern "C" {

int MPIX_Query_cuda_support() { return 1; }

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_of_gpu(data)) return PMPI_Isend(data, count, type, to, tag, comm, request);
  Message message{std::make_unique<char[]>(bytes_of(count, type)), nullptr, bytes_of(count, type)};
  copy(message.host.get(), data, message.bytes);
  const std::lock_guard lock(in_use);
  const int code = PMPI_Isend(message.host.get(), count, type, to, tag, comm, request);
  on_their_way[*request] = std::move(message);
  return code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!is_of_gpu(data)) return PMPI_Irecv(data, count, type, from, tag, comm, request);
  Message message{std::make_unique<char[]>(bytes_of(count, type)), data, bytes_of(count, type)};
  const std::lock_guard lock(in_use);
  const int code = PMPI_Irecv(message.host.get(), count, type, from, tag, comm, request);
  on_their_way[*request] = std::move(message);
  return code;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  std::vector<Message> ended;
  {
    const std::lock_guard lock(in_use);
    for (int i = 0; i < count; ++i) {
      auto found = on_their_way.extract(requests[i]);
      if (!found.empty()) ended.push_back(std::move(found.mapped()));
    }
  }
  const int code = PMPI_Waitall(count, requests, statuses);
  for (const Message& message : ended)
    if (message.arrives_at) copy(message.arrives_at, message.host.get(), message.bytes);
  return code;
}

}  // extern "C"
