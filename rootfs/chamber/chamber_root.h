/*
 * chamber_root - build the root of a chamber: parts of the host, and its working directory.
 *
 *   /usr /etc /bin ... read-only: the host's apt, dpkg and mmdebstrap, and their settings
 *   /inputs            copies of the step's inputs: hooks, wheels, certificates, constraints
 *   /build             the one directory of the host that it may write to
 *   /dev /proc /tmp    its own; the host's /run, /home, /root and /var are absent
 *   other directories of the request: a mirror, at its own path, read-only
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_ROOT_H
#define GLOVEBOX_ROOTFS_CHAMBER_CHAMBER_ROOT_H

#include "base/err.h"
#include "base/list.h"

#define CHAMBER_TREES_MAX 32
#define CHAMBER_BUILD     "/build"
#define CHAMBER_INPUTS    "/inputs"

struct chamber_inputs {
	const char *build;       /* directory of the host, writable by the ids of the build */
	struct list shown;       /* directories of the host, to read, at the same path */
	struct list directories; /* copies of their plain files go to /inputs/<name below> */
	struct list names;       /* as many as directories; "" for /inputs itself */
	struct list files;       /* copies go to /inputs/<name below> */
	struct list file_names;  /* as many */
};

struct chamber_tree {
	const char *target; /* below the new root, without the leading slash */
	int fd;             /* a detached tree */
};

/* A file to write, and a descriptor with its content, opened with other rights. */
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

/* Runs in a new mount namespace, still with the caller's ids, whose rights apply. */
int chamber_root_open(struct chamber_root *out, const struct chamber_inputs *inputs, struct err *e);

/*
 * Runs as root of the new user namespace: make the root and enter it; the old one is unreachable
 * then.
 */
int chamber_root_make(const struct chamber_root *root, struct err *e);

#endif
