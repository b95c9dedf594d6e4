// Lets `swift test` run a few tests for each processor at once, not all 2,600.
//
// Each test has the processor then as if it were nearly alone, and what it expects to happen within its time limits
// does, on a slow machine as well. Swift Testing reads the number from its environment before any Swift of ours runs,
// so it is a constructor that writes it there. Who has set a number keeps it.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void limitTestWidth(void) {
    // Most tests wait for a socket most of the time.
    enum { testsForEachProcessor = 4 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char width[32];
    snprintf(width, sizeof width, "%ld", (processors > 0 ? processors : 1) * testsForEachProcessor);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
