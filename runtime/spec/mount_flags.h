/*
 * mount_flags - -v, --mount, --tmpfs, --workspace and --output into mount rows.
 *
 * Targets are checked here once for all: absolute, normal, not over what the
 * sandbox itself provides. Sources are made absolute and normal; whether they
 * exist is found out when the mounts are planned.
 *
 * No side effects (getcwd to resolve "./x").
 */
#ifndef GLOVEBOX_SPEC_MOUNT_FLAGS_H
#define GLOVEBOX_SPEC_MOUNT_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

#define DEFAULT_TMPFS_BYTES  (256ull * 1024 * 1024)
#define DEFAULT_TMPFS_INODES 16384

int mount_flag_volume(struct sandbox_spec *s, const char *value, struct err *e);
int mount_flag_mount(struct sandbox_spec *s, const char *value, struct err *e);
int mount_flag_tmpfs(struct sandbox_spec *s, const char *value, struct err *e);
int mount_flag_workspace(struct sandbox_spec *s, const char *value, struct err *e);
int mount_flag_output(struct sandbox_spec *s, const char *value, struct err *e);

/*
 * mount_target - check and normalise a path inside the sandbox.
 * *out lives in the spec. Errors: ERR_INPUT for relative paths, "..", "/", and
 * anything at or below /proc, /sys and /dev (but /dev/shm).
 */
int mount_target(struct sandbox_spec *s, const char *text, char **out, struct err *e);

#endif
