/* A disk that is watched, and that fails when told to: preloaded into a process, between it and the C library.

   Every change to the files right in LDP_DISK_FOLDER is told to the file LDP_DISK_LOG, in the order in which it
   happened, and so is every sync, and what the process itself says through watched_mark(). The file LDP_DISK_FAULTS
   says which writes and which syncs fail. `watched_disk.py` writes the latter, reads the former, explains its letters.

   Rules
   - A change and its record are one step: threads take turns.
   - What has failed is not done at all, and has a record. But a full disk takes half of the first write that it has no
     room for, if that is longer than a sector; and cutting a file, or leaving a hole in it, takes no room.
   - Paths are compared as they are given: the folder is to be named in the same way everywhere, without links.
   - SQLite's shared memory (-shm) is no data: it is built anew after a crash.
   - What a store does not call (rename, writev and others) is missing; a test does all that was recorded again, and
     would find other files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct record { uint32_t kind, file; uint64_t offset, length; };
/* Operations number `from` up to `until` fail, counted from 0; with error 0, writes are cut short. */
struct fault { uint64_t seen, from, until, error; };
struct faults { struct fault writes, syncs; };

enum { MOST_FILES = 1 << 16, SECTOR = 512 };
static struct faults none, *faults = &none;
static const char *folder;
static int logged = -1;
static uint32_t files[MOST_FILES], openings; /* by descriptor; 0 is not watched */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void)
{
    const char *log = getenv("LDP_DISK_LOG"), *told = getenv("LDP_DISK_FAULTS");
    if (!log || !told) return;
    folder = getenv("LDP_DISK_FOLDER");
    logged = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int file = syscall(SYS_openat, AT_FDCWD, told, O_RDWR | O_CLOEXEC, 0);
    void *shared = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!folder || logged < 0 || shared == MAP_FAILED) abort();
    syscall(SYS_close, file);
    faults = shared;
}

static void tell(char kind, uint32_t file, uint64_t offset, const void *content, size_t length)
{
    struct record record = {kind, file, offset, length};
    struct iovec parts[] = {{&record, sizeof record}, {(void *)content, length}};
    if (syscall(SYS_writev, logged, parts, 2) != (long)(sizeof record + length)) abort();
}

static int is_watched(const char *path)
{
    size_t length = folder ? strlen(folder) : 0, whole = strlen(path);
    if (!length || strncmp(path, folder, length)) return 0;
    if (whole > 4 && !strcmp(path + whole - 4, "-shm")) return 0;
    return !path[length] || (path[length] == '/' && !strchr(path + length + 1, '/'));
}

static uint32_t file_of(int descriptor)
{
    return descriptor >= 0 && descriptor < MOST_FILES ? files[descriptor] : 0;
}

/* Whether the next operation of a kind fails; how much of `length` it is to do otherwise. */
static int fails(struct fault *fault, size_t *length)
{
    uint64_t number = fault->seen++;
    if (number < fault->from || number >= fault->until) return 0;
    if (*length > SECTOR && (!fault->error || (fault->error == ENOSPC && number == fault->from))) {
        *length /= 2;
        return 0;
    }
    errno = fault->error;
    return errno != 0;
}

/* With offset -1, where the descriptor stands. */
static ssize_t put(int descriptor, const void *content, size_t length, off_t offset)
{
    uint32_t file = file_of(descriptor);
    ssize_t done = -1;
    if (file) pthread_mutex_lock(&turn);
    if (!file || !fails(&faults->writes, &length))
        done = offset < 0 ? syscall(SYS_write, descriptor, content, length)
                          : syscall(SYS_pwrite64, descriptor, content, length, offset);
    if (file && done < 0) tell('E', file, 0, NULL, 0);
    if (file && done > 0) tell('W', file, offset < 0 ? lseek(descriptor, 0, SEEK_CUR) - done : offset, content, done);
    if (file) pthread_mutex_unlock(&turn);
    return done;
}

ssize_t write(int descriptor, const void *content, size_t length) { return put(descriptor, content, length, -1); }

ssize_t pwrite(int descriptor, const void *content, size_t length, off_t offset)
{
    if (offset < 0) { errno = EINVAL; return -1; }
    return put(descriptor, content, length, offset);
}

ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));

int ftruncate(int descriptor, off_t size)
{
    uint32_t file = file_of(descriptor);
    size_t whole = 1;
    int done = -1;
    if (file) pthread_mutex_lock(&turn);
    if (!file || !fails(&faults->writes, &whole) || errno == ENOSPC) done = syscall(SYS_ftruncate, descriptor, size);
    if (file) tell(done ? 'E' : 'T', file, done ? 0 : size, NULL, 0);
    if (file) pthread_mutex_unlock(&turn);
    return done;
}

int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));

static int settle(long call, int descriptor)
{
    uint32_t file = file_of(descriptor);
    if (!file) return syscall(call, descriptor);
    size_t whole = 1;
    pthread_mutex_lock(&turn);
    int done = fails(&faults->syncs, &whole) ? -1 : syscall(call, descriptor);
    tell(done ? 'F' : 'S', file, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    return done;
}

int fsync(int descriptor) { return settle(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return settle(SYS_fdatasync, descriptor); }

static int enter(int base, const char *path, int flags, mode_t mode)
{
    if (!is_watched(path)) return syscall(SYS_openat, base, path, flags, mode);
    pthread_mutex_lock(&turn);
    int descriptor = syscall(SYS_openat, base, path, flags, mode);
    if (descriptor >= MOST_FILES) abort();
    if (descriptor >= 0) {
        tell('O', files[descriptor] = ++openings, 0, path, strlen(path));
        if (flags & O_TRUNC) tell('T', openings, 0, NULL, 0);
    }
    pthread_mutex_unlock(&turn);
    return descriptor;
}

#define ENTER(base)                                            \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;  \
    va_end(rest);                                              \
    return enter(base, path, flags, mode)

int open(const char *path, int flags, ...) { ENTER(AT_FDCWD); }
int open64(const char *path, int flags, ...) { ENTER(AT_FDCWD); }
int openat(int base, const char *path, int flags, ...) { ENTER(base); }
int openat64(int base, const char *path, int flags, ...) { ENTER(base); }

int close(int descriptor)
{
    if (file_of(descriptor)) files[descriptor] = 0;
    return syscall(SYS_close, descriptor);
}

int unlink(const char *path)
{
    if (!is_watched(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&turn);
    int done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (!done) tell('U', 0, 0, path, strlen(path));
    pthread_mutex_unlock(&turn);
    return done;
}

void watched_mark(const char *content, size_t length)
{
    pthread_mutex_lock(&turn);
    tell('M', 0, 0, content, length);
    pthread_mutex_unlock(&turn);
}
