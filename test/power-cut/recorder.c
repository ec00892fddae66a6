// Loaded into the real service with LD_PRELOAD: does what the C library does, and writes down every change of a file
// under RECORD_FOLDER, every sync, and every answer 200 or 202 on a socket, in the order in which they happened.
// One lock is held over a call and its record, and a record is one append to RECORD_LOG: so the order of the log is
// the order of the calls, in all threads, and in processes that run one after the other. A sync, which takes long, has
// two records and does not hold the lock: it is good for what came before the first, from the second on. An answer is
// recorded before it is sent, so nobody can have seen it earlier. With RECORD_KILL_AT_SYNC=n the process dies (SIGKILL)
// at the n-th sync of RECORD_KILL_FILE after its first answer, before that sync: its last writes are in the files, and
// not durable. Other files do not count: the service has one for its operators, which it makes meanwhile.
//
// Left out: the -shm files, which live in memory and are recreated after a power cut; and calls that the service does
// not use. record-run.ts compares the files that the log makes with the real ones, so a gap does not go unnoticed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { CREATE = 1, WRITE, TRUNCATE, SYNCING, SYNC, UNLINK, LINK, MKDIR, ANSWER };
struct header { uint32_t kind, path_bytes, data_bytes, reserved; uint64_t offset; };

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static const char *folder, *kill_file;
static long log_fd = -1, answers, syncs, kill_at_sync;

__attribute__((constructor)) static void start(void) {
  const char *log = getenv("RECORD_LOG"), *at = getenv("RECORD_KILL_AT_SYNC");
  folder = getenv("RECORD_FOLDER");
  kill_file = getenv("RECORD_KILL_FILE");
  if (at != NULL) kill_at_sync = atol(at);
  if (log != NULL && folder != NULL)
    log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void record(enum kind kind, const char *path, uint64_t offset, const void *data, size_t bytes) {
  struct header header = {kind, strlen(path), bytes, 0, offset};
  struct iovec parts[] = {{&header, sizeof header}, {(void *)path, header.path_bytes}, {(void *)data, bytes}};
  size_t whole = sizeof header + header.path_bytes + bytes;
  pthread_mutex_lock(&lock);
  if (writev(log_fd, parts, 3) != (ssize_t)whole) abort(); // a log with a gap would prove nothing
  if (kind == ANSWER) answers++;
  if (kind == SYNCING && answers > 0 && kill_file != NULL && strcmp(path, kill_file) == 0 && ++syncs == kill_at_sync)
    kill(getpid(), SIGKILL);
  pthread_mutex_unlock(&lock);
}

static int is_watched(const char *path) {
  size_t length = strlen(path), prefix = log_fd < 0 ? 0 : strlen(folder);
  if (prefix == 0 || strncmp(path, folder, prefix) != 0 || (path[prefix] != '/' && path[prefix] != 0)) return 0;
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

// The kernel knows which file is behind a number; a deleted one is not watched any more.
static int is_watched_fd(int fd, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = log_fd < 0 ? -1 : syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  if (length >= 0) path[length] = 0;
  return length >= 0 && is_watched(path) && strstr(path, " (deleted)") == NULL;
}

// Does a call and records it, where it is about a watched file; a call that failed changed nothing.
#define RECORDED(watched, call, ...) \
  if (!(watched)) return call; \
  pthread_mutex_lock(&lock); \
  long result = call; \
  if (result >= 0) record(__VA_ARGS__); \
  pthread_mutex_unlock(&lock); \
  return result

ssize_t write(int fd, const void *data, size_t bytes) {
  char path[PATH_MAX];
  if (log_fd >= 0 && bytes > 11 && memcmp(data, "HTTP/1.1 20", 11) == 0) record(ANSWER, "", 0, data, bytes);
  int watched = is_watched_fd(fd, path);
  RECORDED(watched, syscall(SYS_write, fd, data, bytes), WRITE, path, lseek(fd, 0, SEEK_CUR) - result, data, result);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) {
  char path[PATH_MAX];
  RECORDED(is_watched_fd(fd, path), syscall(SYS_pwrite64, fd, data, bytes, offset), WRITE, path, offset, data, result);
}
int ftruncate64(int fd, off64_t bytes) {
  char path[PATH_MAX];
  RECORDED(is_watched_fd(fd, path), syscall(SYS_ftruncate, fd, bytes), TRUNCATE, path, bytes, "", 0);
}
static int synced(long call, int fd) {
  char path[PATH_MAX];
  int watched = is_watched_fd(fd, path);
  if (watched) record(SYNCING, path, gettid(), "", 0);
  int result = syscall(call, fd);
  if (watched && result == 0) record(SYNC, path, gettid(), "", 0);
  return result;
}
int fsync(int fd) { return synced(SYS_fsync, fd); }
int fdatasync(int fd) { return synced(SYS_fdatasync, fd); }
int unlink(const char *path) {
  RECORDED(is_watched(path), syscall(SYS_unlinkat, AT_FDCWD, path, 0), UNLINK, path, 0, "", 0);
}
int remove(const char *path) { return unlink(path) == 0 ? 0 : errno == EISDIR ? rmdir(path) : -1; }
int link(const char *path, const char *to) {
  RECORDED(is_watched(path), syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, to, 0), LINK, path, 0, to, strlen(to));
}
int mkdir(const char *path, mode_t mode) {
  RECORDED(is_watched(path), syscall(SYS_mkdirat, AT_FDCWD, path, mode), MKDIR, path, 0, "", 0);
}
int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int is_new = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
  int changes = is_watched(path) && (flags & O_TRUNC || (flags & O_CREAT && is_new));
  RECORDED(changes, syscall(SYS_openat, AT_FDCWD, path, flags, mode), is_new ? CREATE : TRUNCATE, path, 0, "", 0);
}
int open(const char *path, int flags, ...) __attribute__((alias("open64"))); // the same on 64 bits
