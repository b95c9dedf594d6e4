// Limits `swift test` to a few concurrent tests per processor, instead of all 2,600.
//
// So each test gets enough processor time to finish within its time limits, even on a slow machine. Swift Testing reads
// the number from the environment before any Swift code of the tests runs, so a constructor sets it. A value that is
// already set is kept.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void limitTestWidth(void) {
    // Most tests spend most of their time waiting for sockets.
    enum { testsForEachProcessor = 4 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char width[32];
    snprintf(width, sizeof width, "%ld", (processors > 0 ? processors : 1) * testsForEachProcessor);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
