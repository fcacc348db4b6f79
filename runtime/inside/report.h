/*
 * report - tell the host's side of what happens behind the boundary, on plan->control_fd.
 *
 * Runs: pid 1, the program-to-be. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_REPORT_H
#define GLOVEBOX_INSIDE_REPORT_H

#include "inside/plan.h"

void inside_report(const struct inside_plan *plan, const struct report *r);

/* Report r->error and exit with status 125. */
__attribute__((noreturn)) void inside_give_up(const struct inside_plan *plan, struct report *r);

/* Send one descriptor to the monitor. Returns 0 or a negative errno. */
long inside_send_fd(const struct inside_plan *plan, enum report_kind kind, int fd);

#endif
