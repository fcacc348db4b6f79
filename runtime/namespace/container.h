/*
 * container - detect what confines this process, and name the flags with which sandboxes work here.
 *
 * Names of files or variables do not count, only what a runtime has really done to us: namespaces
 * that are not the machine's first ones; a system call filter; mounts over parts of /proc; a
 * bounding set without CAP_SYS_ADMIN; control groups that cannot be written; an AppArmor profile or
 * an SELinux domain.
 *
 * Runs: monitor, supervisor, glovebox-image. Needs: /proc.
 */
#ifndef GLOVEBOX_NAMESPACE_CONTAINER_H
#define GLOVEBOX_NAMESPACE_CONTAINER_H

#include <stdbool.h>

#include "base/buf.h"

struct container {
	bool own_user_ns;
	bool own_pid_ns;
	bool own_cgroup_ns;
	bool is_sandbox; /* a sandbox of glovebox: its mount table is empty */
	bool is_filtered;
	bool lacks_rights; /* CAP_SYS_ADMIN has left the bounding set */
	bool groups_are_read_only;
	unsigned covers;   /* number of mounts over parts of /proc */
	char apparmor[64]; /* the profile that confines us; or empty */
	char selinux[128]; /* the container's domain; or empty */
};

/* Look at this process. Never fails: facts that cannot be read count as absent. */
void container_look(struct container *out);

/*
 * Whether we are in namespaces that are not the machine's first ones, or confined as only
 * containers are.
 */
bool container_is_one(const struct container *c);

/* Describe the findings; empty: none. */
void container_describe(const struct container *c, struct buf *out);

/*
 * container_flags - append the runtime's flags with which sandboxes with limits work here: "docker
 * run ...; podman run ...; Kubernetes: ...". Appends nothing if nothing is missing, or outside of
 * containers.
 */
void container_flags(const struct container *c, struct buf *out);

/*
 * container_advise - append the end of an error that says why sandboxes cannot be made here:
 * Docker's flags for one without limits, or another place to run.
 */
void container_advise(struct buf *out);

/*
 * Whether the effective set has CAP_SYS_ADMIN; whether a filter is installed. False if /proc does
 * not tell.
 */
bool container_may_administer(void);
bool container_is_filtered(void);

#endif
