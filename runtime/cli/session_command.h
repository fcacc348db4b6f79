/*
 * session_command - shared by the commands of `glovebox session`: each gets its own name as argv[0]
 * and returns the exit status.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_SESSION_COMMAND_H
#define GLOVEBOX_CLI_SESSION_COMMAND_H

#include "base/err.h"
#include "spec/setting.h"

struct cgroup_memory;

#define DURATION_MAX (INT64_MAX / 1000) /* in ms, for durations without a bound */

extern const struct setting session_exec_settings[];
extern const struct setting session_checkpoint_settings[];
extern const struct setting session_rollback_settings[];
extern const struct setting session_egress_settings[];

int session_ls(int argc, char **argv);
int session_exec(int argc, char **argv);
int session_checkpoint_command(int argc, char **argv);
int session_rollback_command(int argc, char **argv);
int session_freeze_command(int argc, char **argv);
int session_thaw_command(int argc, char **argv);
int session_egress(int argc, char **argv);
int session_files(int argc, char **argv);
int session_put(int argc, char **argv);
int session_get(int argc, char **argv);
int session_delete(int argc, char **argv);

/* Say that a session is waited for (service/notebook_wait.h). */
void session_say_waits(const char *name);

/* Let a session go on that is frozen; one that is not stays as it is. */
int session_thaw(const char *name, struct err *e);

/* Print where the memory of what stands still is, behind `what`. */
void session_freeze_print(const char *what, const struct cgroup_memory *memory);

#endif
