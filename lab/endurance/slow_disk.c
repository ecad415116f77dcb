/* A disk that takes its time: every sync lasts LDP_SYNC_MILLISECONDS. Preloaded into a process. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slowly(long call, int descriptor) {
    const char *text = getenv("LDP_SYNC_MILLISECONDS");
    long milliseconds = text ? atol(text) : 0;
    struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&rest, NULL);
    return (int) syscall(call, descriptor);
}

int fsync(int descriptor) { return slowly(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return slowly(SYS_fdatasync, descriptor); }
