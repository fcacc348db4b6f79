/*
 * chamber_root - what a chamber sees of the host, and where it works.
 *
 *   /usr /etc /bin ... read-only: the host's apt, dpkg and mmdebstrap, and their settings
 *   /inputs            copies of what the step needs: hooks, wheels, certificates, constraints
 *   /build             the one directory of the host that it may write to
 *   /dev /proc /tmp    its own; there is no /run, /home, /root, /var of the host
 *   what else the request names: a mirror in a directory, at its own path, read-only
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_ROOT_H
#define GLOVEBOX_ROOTFS_CHAMBER_ROOT_H

#include "base/err.h"
#include "base/list.h"

#define CHAMBER_TREES_MAX 32
#define CHAMBER_BUILD     "/build"
#define CHAMBER_INPUTS    "/inputs"

struct chamber_inputs {
	const char *build;       /* directory of the host, writable by the ids of the build */
	struct list shown;       /* directories of the host, to read, at the same path */
	struct list directories; /* their plain files are copied to /inputs/<name below> */
	struct list names;       /* as many as directories; "" for /inputs itself */
	struct list files;       /* copied to /inputs/<name below> */
	struct list file_names;  /* as many */
};

struct chamber_tree {
	const char *target; /* below the new root, without its slash */
	int fd;             /* a detached tree */
};

/* A file to be written, and a descriptor with its content, opened with other rights. */
struct chamber_copy {
	const char *target;
	int fd;
};

struct chamber_root {
	struct chamber_tree trees[CHAMBER_TREES_MAX];
	size_t tree_count;
	struct chamber_copy *copies;
	size_t copy_count;
};

/* Runs in a new mount namespace, still with the caller's ids, which decide what may be opened. */
int chamber_root_open(struct chamber_root *out, const struct chamber_inputs *inputs, struct err *e);

/* Runs as root of the new user namespace: make the root and enter it; the old one is gone then. */
int chamber_root_make(const struct chamber_root *root, struct err *e);

#endif
