/*
 * container - what surrounds this process, by facts, and which flags would let sandboxes be made
 * here.
 *
 * No name of a file or of an environment says so: what counts is what a runtime has really done to
 * us. Namespaces that are not the machine's first ones; a system call filter; mounts over parts of
 * /proc; a bounding set without CAP_SYS_ADMIN; control groups that cannot be written; a profile of
 * AppArmor's or a domain of SELinux's.
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: /proc.
 */
#ifndef GLOVEBOX_HOST_CONTAINER_H
#define GLOVEBOX_HOST_CONTAINER_H

#include <stdbool.h>

#include "base/buf.h"

struct container {
	bool own_user_ns;
	bool own_pid_ns;
	bool own_cgroup_ns;
	bool is_sandbox; /* one of ours: its mount table is empty */
	bool is_filtered;
	bool lacks_rights; /* CAP_SYS_ADMIN, for good */
	bool groups_are_read_only;
	unsigned covers;   /* mounts over parts of /proc */
	char apparmor[64]; /* the profile that confines us, or empty */
	char selinux[128]; /* the same, a container's domain */
};

/* Never fails: what cannot be read is not seen. */
void container_look(struct container *out);

/* In namespaces that are not the machine's first ones, or confined as only containers are. */
bool container_is_one(const struct container *c);

/* What was seen, in words; empty: nothing. */
void container_describe(const struct container *c, struct buf *out);

/*
 * container_flags - what a runtime has to be told so that sandboxes with limits can be made here.
 * Appends "docker run ...; podman run ...; Kubernetes: ..."; nothing if nothing lacks, or outside
 * of containers.
 */
void container_flags(const struct container *c, struct buf *out);

/*
 * container_advise - the end of an error that says why no sandbox can be made here: Docker's flags
 * for one without limits, or another place.
 */
void container_advise(struct buf *out);

/* The effective set has CAP_SYS_ADMIN; a filter is installed. False where /proc does not say. */
bool container_may_administer(void);
bool container_is_filtered(void);

#endif
