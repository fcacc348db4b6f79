/*
 * plan - the input of the code behind the boundary, prepared outside.
 *
 * The monitor fills a plan (it may allocate, read files, look names up) and the child, which is a
 * copy of the monitor's memory, only applies it. All pointers and descriptors are borrowed from
 * that copy; they are never freed. A cell gets its plan in a memfd instead (plan_map.h).
 *
 * Plain data. Runs: filled by the monitor, a client or the supervisor; read by pid 1 and the
 * program. Needs: nothing.
 */
#ifndef GLOVEBOX_INSIDE_PLAN_H
#define GLOVEBOX_INSIDE_PLAN_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/err.h"

/* How the root is built, in order. Paths are relative to the new root ("usr/lib"). */
enum root_op_kind {
	ROOT_BASE,    /* optional, first: a bind as the root itself, instead of an empty tmpfs */
	ROOT_OVERLAY, /* optional, behind it: changes to it go to a tmpfs (overlay.h); its options
		       */
	ROOT_DIR,     /* mkdir path, mode */
	ROOT_FILE,    /* create path with bytes */
	ROOT_LINK,    /* symlink path > source */
	ROOT_BIND,    /* tree_fd, or source opened here, onto path */
	ROOT_TMPFS,   /* options are the mount's data string */
	ROOT_PROC,    /* the whole /proc, so that ROOT_PROC_TEXT can cover files of it */
	ROOT_PROC_CLOSE, /* from here on it shows only processes and covered files */
	ROOT_DEVPTS,
	ROOT_TEXT,      /* cover the file at path by bytes; made at source first */
	ROOT_PROC_TEXT, /* the same in /proc; without bytes the file at source exists */
	ROOT_OWN,       /* bind source: in a cell, of its nursery; otherwise of the new root */
	ROOT_SEAL,      /* make the filled mount at path read-only */
};

struct root_op {
	enum root_op_kind kind;
	const char *path;
	const char *source; /* link target, bind source, or tmpfs options */
	const char *bytes;  /* ROOT_FILE, ROOT_TEXT */
	size_t length;
	uint64_t device;     /* ROOT_BIND by path: the file that was judged outside; */
	uint64_t inode;      /* others are refused */
	uint64_t attributes; /* MOUNT_ATTR_*: set over the whole subtree of a bind */
	int tree_fd;         /* ROOT_BIND: a detached tree made outside, or -1 */
	uint32_t mode;
	bool landlock_write; /* the program may write to it or below */
	bool is_file;        /* ROOT_BIND of a single file */
	bool named;          /* ROOT_BIND of a path that the caller named: cloned by path alone, */
	bool nested;         /* or, with mounts below it, only as a judged tree */
	bool in_image;       /* ROOT_BIND: every root of this image has the source at its path */
	bool own_dirs;       /* ROOT_OVERLAY: another user owns the image's directories */
	bool alone;          /* in a tmpfs without files of the image or a caller: no links */
	bool seal;           /* ROOT_TMPFS: made read-only at the end */
	bool is_stage;       /* tmpfs: send its root to the monitor before the program starts; */
	bool is_space;       /* the same, to measure its free space: for a run, not a session */
};

/* Messages over the control socket (SOCK_SEQPACKET), one struct each way. */
enum report_kind {
	REPORT_ERROR,    /* confinement or exec failed: `error` */
	REPORT_PARTED,   /* our descriptor table is our own; may carry one (admission.c) */
	REPORT_LOCKED,   /* pid 1 of a session is its door, and confined */
	REPORT_FD_STAGE, /* carries one descriptor: the /output tmpfs */
	REPORT_FD_SPACE, /* the same for other tmpfs, in the order of their operations; of a root
			    that can be changed, and stays, its layers (overlay.h) */
	REPORT_FD_PTY,   /* carries one descriptor: the pty's master */
	REPORT_FD_ROOT,  /* carries one descriptor, to be closed when idle: see hide-mounts */
	REPORT_EXIT,     /* the program ended: value is its wait status, usage its rusage */
	REPORT_ENDED,    /* the same of a further program, `exec`: the sandbox goes on */
};

struct report {
	enum report_kind kind;
	int value;
	uint32_t exec; /* REPORT_ENDED: which program (door.h) */
	struct rusage usage;
	struct err error;
};

enum order_kind {
	ORDER_GO,     /* the id maps are written, the cgroups exist; to a cell: it is for one run */
	ORDER_SIGNAL, /* value: send this signal to the program */
	ORDER_GROUP,  /* value: send it to the program's process group, like Ctrl-C of a terminal */
	ORDER_PROGRAM, /* value: the program's pid from now on (a session's checkpoint) */
	ORDER_EXEC,    /* start a program (door.h); descriptors: enum door_fd */
	ORDER_DOOR,    /* to a cell: it is a session, and pid 1 its door; descriptors: a plan, and
			  the program's root */
};

#define ORDER_MAX_CGROUPS 5
#define SANDBOX_OOM_SCORE 900 /* the kernel kills sandboxes first when memory is short */

struct order {
	enum order_kind kind;
	int value;
	uint32_t exec;          /* ORDER_EXEC, ORDER_SIGNAL, ORDER_GROUP: which program */
	uint64_t plan_bytes;    /* ORDER_EXEC, ORDER_DOOR */
	uint32_t stdio_count;   /* ORDER_EXEC: 0: a pty is made inside; 2: no stdin; 3: all */
	uint32_t program_count; /* ORDER_EXEC: 1: a descriptor of the program itself */
	uint32_t end_count;     /* ORDER_EXEC: 1: a socket for the report of its end */
	/* ORDER_GO: descriptors of `tasks` files to join (v1); none on v2. */
	int cgroup_fds[ORDER_MAX_CGROUPS];
	unsigned cgroup_count;
};

struct inside_plan {
	uint32_t layout; /* of the build that wrote it: plan_image_number() */

	/* identity, inside */
	uint32_t uid;
	uint32_t gid;
	bool may_set_groups; /* false in rootless maps, where setgroups is denied */
	const char *hostname;

	/* descriptors, by number */
	int outer_fd;   /* the monitor's end of the control socket: closed at admission */
	int control_fd; /* our end */
	int parent_fd;  /* pidfd of the process that starts it, until admission */
	int stdio[3];   /* -1: /dev/null for stdin; all -1 with a pty */
	int channel_fd; /* the program's descriptor 3: of a cell its channel, behind the door the
			   program itself, if it lies nowhere in the root; -1: none */
	bool tty;
	uint16_t tty_rows;
	uint16_t tty_columns;

	/* the network (egress.h) */
	int egress_fd;                /* to glovebox-egress; -1: only loopback */
	const uint16_t *egress_ports; /* `egress_port_count` ports to listen on */
	uint32_t egress_port_count;
	uint32_t egress_pool_count;
	bool egress_has_stub;

	/* the root */
	int root_fd; /* of a session's program: its door enters it; else unused */
	const struct root_op *ops;
	size_t op_count;
	const char *workdir;

	/* the program */
	char *const *argv;
	char *const *envp;
	const char *search_path; /* PATH of envp */

	/* confinement */
	bool is_nursery;              /* program_steps are nursery_steps */
	bool is_cell;                 /* forked by a nursery */
	bool stays;                   /* pid 1 is the door: it starts programs (door.h) */
	bool may_end_early;           /* memory_holder.h may keep its memory */
	int oom_score_adj;            /* 0 to 999: the higher, the earlier the kernel kills it */
	const struct rlimit *rlimits; /* RLIM_NLIMITS of them */
	const bool *rlimits_set;
	int landlock_abi;         /* 0: this kernel has no Landlock */
	struct sock_fprog filter; /* empty: --security-opt seccomp=unconfined */

	const char
		*omit; /* layers that the testing build omits (confine_omitted); others ignore it */
};

#endif
