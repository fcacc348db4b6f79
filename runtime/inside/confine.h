/*
 * confine - the ordered lists of steps that confine a sandbox.
 *
 * Two processes apply it, both cloned from the monitor and never returning to its code:
 *
 *   pid 1 (init)   born in new user, pid, mount, net, ipc and uts namespaces
 *                  with all capabilities over them and none outside; builds the
 *                  root, forks the program, gives everything up, reaps.
 *   the program    forked by pid 1; gives everything up, then execve.
 *
 * Each step either succeeds or ends the run with its name and errno on the control socket. A
 * failing step is never skipped.
 *
 * Runs: pid 1, the program; for warm starts also the nursery and the processes of a cell. Needs:
 * the column of each row.
 */
#ifndef GLOVEBOX_INSIDE_CONFINE_H
#define GLOVEBOX_INSIDE_CONFINE_H

#include "inside/plan.h"

struct step {
	const char *name;
	int (*apply)(const struct inside_plan *plan, struct err *e);
	const char *needs;  /* capabilities over the new user namespace */
	const char *leaves; /* the guarantee from here on; printed by --explain */
};

extern const struct step
	init_steps[]; /* pid 1, before the program is forked; ends with a null name */
extern const struct step program_steps[]; /* the program, before execve */
extern const struct step reaper_steps[];  /* pid 1, after the fork */

/* A sandbox that stays (door.h): pid 1 is confined before there is any program. */
extern const struct step door_steps[]; /* pid 1, behind init_steps */
extern const struct step exec_steps[]; /* each program, before execve */

/* A warm start applies the same steps in other processes (inside/cell.h). */
extern const struct step nursery_steps[]; /* the nursery, before execve: its program_steps */
extern const struct step
	intermediate_steps[]; /* the intermediate process, which makes a cell's namespaces */
extern const struct step cell_init_steps[]; /* pid 1 of a cell, before the program is forked */
extern const struct step waiting_steps[];   /* after its execve; then reaper_steps, or */
extern const struct step cell_door_steps[]; /* these and door_steps */
extern const struct step cell_steps[];      /* its program, followed by program_steps */

#define CHANNEL_FD 3 /* of a nursery or session: its channel to the supervisor or client */

/*
 * confine_run - apply a list in order.
 * Runs: pid 1 or the program-to-be. Returns 0, or -1 with the failing step's name in *e.
 */
int confine_run(const struct step *steps, const struct inside_plan *plan, struct err *e);

#ifdef GLOVEBOX_TESTING
int confine_omitted(const struct inside_plan *plan, const char *name);
#else
#define confine_omitted(plan, name) 0
#endif

/* The steps; related ones share a file. */
int confine_net_ns(const struct inside_plan *plan, struct err *e);
int confine_admission(const struct inside_plan *plan, struct err *e);
int confine_cgroup_ns(const struct inside_plan *plan, struct err *e);
int confine_ids(const struct inside_plan *plan, struct err *e);
int confine_init_dumpable(const struct inside_plan *plan, struct err *e);
int confine_session(const struct inside_plan *plan, struct err *e);
int confine_keyring(const struct inside_plan *plan, struct err *e);
int confine_hostname(const struct inside_plan *plan, struct err *e);
int confine_loopback(const struct inside_plan *plan, struct err *e);
int confine_priority(const struct inside_plan *plan, struct err *e);
int confine_umask(const struct inside_plan *plan, struct err *e);
int confine_root(const struct inside_plan *plan, struct err *e);
int confine_hide_mounts(const struct inside_plan *plan, struct err *e);
int confine_terminal(const struct inside_plan *plan, struct err *e);
int confine_egress(const struct inside_plan *plan, struct err *e);
int confine_stdio(const struct inside_plan *plan, struct err *e);
int confine_close_fds(const struct inside_plan *plan, struct err *e);
int confine_init_close_fds(const struct inside_plan *plan, struct err *e);
int confine_signals(const struct inside_plan *plan, struct err *e);
int confine_rlimits(const struct inside_plan *plan, struct err *e);
int confine_core_limit(const struct inside_plan *plan, struct err *e);
int confine_door_cap(const struct inside_plan *plan, struct err *e);
int confine_door_root(const struct inside_plan *plan, struct err *e);
int confine_bounding(const struct inside_plan *plan, struct err *e);
int confine_caps(const struct inside_plan *plan, struct err *e);
int confine_nursery_caps(const struct inside_plan *plan, struct err *e);
int confine_no_new_privs(const struct inside_plan *plan, struct err *e);
int confine_landlock(const struct inside_plan *plan, struct err *e);
int confine_workdir(const struct inside_plan *plan, struct err *e);
int confine_seccomp(const struct inside_plan *plan, struct err *e);
int confine_init_seccomp(const struct inside_plan *plan, struct err *e);
int confine_parent_death(const struct inside_plan *plan, struct err *e);

/* Enter the v1 cgroups of the order. 0 or a negative errno. */
long inside_join_cgroups(const struct order *go);

/* For steps: fill *e ("verb object", errno from a negative result) and return -1. */
int inside_fail(struct err *e, long result, const char *verb, const char *object)
	__attribute__((nonnull(1, 3)));

/* The same for namespaces: only the host's side can tell why the kernel refused them. */
int inside_fail_namespaces(struct err *e, long result, unsigned long wanted, const char *text);

#endif
