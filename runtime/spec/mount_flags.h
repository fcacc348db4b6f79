/*
 * mount_flags - -v, --mount, --tmpfs, --workspace and --output into mount rows.
 *
 * Targets are checked here, and only here: absolute, normal, not over a path that the sandbox
 * itself provides. Sources are made absolute and normal; whether they exist is checked when the
 * mounts are planned.
 *
 * No side effects (getcwd to resolve "./x").
 */
#ifndef GLOVEBOX_SPEC_MOUNT_FLAGS_H
#define GLOVEBOX_SPEC_MOUNT_FLAGS_H

#include "base/err.h"
#include "spec/spec.h"

#define DEFAULT_TMPFS_BYTES  (256ull * 1024 * 1024)
#define DEFAULT_TMPFS_INODES 16384

/* Targets of the default --tmpfs and --output. */
#define DEFAULT_TMP_TARGET "/tmp"
#define DEFAULT_TMP        DEFAULT_TMP_TARGET ":size=half of --memory"
#define DEFAULT_OUTPUT     "size=256m,files=1000"

/* The size of /tmp, which counts as memory. */
static inline uint64_t mount_default_bytes(const struct limits *l)
{
	return l->memory_bytes == SPEC_UNLIMITED ? DEFAULT_TMPFS_BYTES : l->memory_bytes / 2;
}

/* Parsers of rows. @spec: a struct sandbox_spec. */
int mount_flag_volume(void *spec, const char *value, struct err *e);
int mount_flag_mount(void *spec, const char *value, struct err *e);
int mount_flag_tmpfs(void *spec, const char *value, struct err *e);
int mount_flag_workspace(void *spec, const char *value, struct err *e);
int mount_flag_output(void *spec, const char *value, struct err *e);

/*
 * mount_target - check and normalise a path inside the sandbox.
 * *out lives in the spec. Errors: ERR_INPUT for relative paths, "..", "/", and anything at or below
 * /proc, /sys and /dev (except /dev/shm).
 */
int mount_target(const struct sandbox_spec *s, const char *text, char **out, struct err *e);

#endif
