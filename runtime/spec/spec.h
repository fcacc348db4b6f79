/*
 * spec - the decisions about one run, before anything starts.
 *
 * A spec is plain data: it holds no descriptor and no state, and it does not change once
 * spec_finish() has accepted it. Every face fills one, and the sandbox is made from it. Strings
 * live in the spec's own arena and are freed together by spec_fini(); plans made from a const spec
 * keep their strings there, too.
 *
 * No side effects, except where a flag names a file to be read (--env-file, --security-opt
 * seccomp=FILE, --ca, a preset of --egress), which is read while flags are applied, and
 * spec_finish(), which reads the administrator's files (spec/policy.h).
 */
#ifndef GLOVEBOX_SPEC_SPEC_H
#define GLOVEBOX_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "netpolicy/egress.h"
#include "spec/setting.h"

#define SPEC_UNLIMITED UINT64_MAX

/*
 * RLIMIT_CORE: no core dump. At 0 the kernel still passes a crash to the program that core_pattern
 * may name, on the host and as root; at 1 it does not, and no core fits, since it needs a page
 * (core(5)).
 */
#define SPEC_NO_CORE 1

/* A growing list of strings; the spec owns them. */
struct string_list {
	char **items; /* `count` strings, then NULL */
	size_t count;
};

enum mount_kind {
	MOUNT_BIND,  /* -v, --mount type=bind, --workspace, --code */
	MOUNT_TMPFS, /* --tmpfs, --mount type=tmpfs, and the defaults /tmp, /dev/shm, HOME */
	MOUNT_STAGE, /* --output: a tmpfs whose files the monitor collects into `source` */
	MOUNT_FILES, /* `files`, whose bytes are in our own memory */
};

struct mount_file {
	const char *name; /* in the mount; NULL ends a list */
	const char *bytes;
	size_t length;
};

/* The directories of one file of spec/policy.h: a source lies in one of them. */
struct mount_bound {
	const char *file;          /* that says so; NULL ends a list */
	struct string_list places; /* absolute, as they were written */
};

struct mount_spec {
	enum mount_kind kind;
	char *source;  /* host path, absolute; NULL for tmpfs and files */
	char *volume;  /* its name: `source` is that of a volume (root/volume.h); NULL: none */
	int source_fd; /* borrowed; -1: `source` is still to be opened (binds) */
	const struct mount_bound *bounds; /* of `source`; NULL: none */
	char *target;                     /* absolute and normal inside the sandbox */
	bool read_only;
	bool exec; /* binds are executable unless `read_only`; this allows exec on a tmpfs */
	bool create_source; /* make a missing source directory: `is_docker` */
	bool workspace;     /* of --workspace: `source` must be a directory */
	bool is_place;      /* the program starts there, unless --workdir names another directory */
	uint64_t size_bytes; /* tmpfs only */
	uint64_t inodes;     /* tmpfs only */
	uint32_t mode;       /* tmpfs root directory */
	int64_t uid;         /* tmpfs root's owner inside; -1: the sandbox's user */
	int64_t gid;
	const struct mount_file *files; /* borrowed */
};

struct limits {
	uint64_t memory_bytes; /* SPEC_UNLIMITED: none */
	uint64_t swap_bytes;   /* in addition to memory; 0: no swap at all */
	uint64_t pids;
	uint64_t cpu_quota_us; /* of cpu_period_us; SPEC_UNLIMITED: none */
	uint64_t cpu_period_us;
	char *cpuset;         /* "0-1,3" or NULL */
	uint64_t cpu_time_ms; /* of all processes together */
	uint64_t wall_time_ms;
	uint64_t idle_ms;      /* of a sandbox that stays: without further programs and clients */
	uint64_t log_bytes;    /* of a sandbox that stays: how much output its log keeps */
	uint64_t output_bytes; /* each of stdout and stderr */
	uint64_t shm_bytes;
};

/* The flags given for limits that depend on each other; spec_finish() computes the limits. */
struct limits_asked {
	uint64_t swap_total_bytes; /* --memory-swap: memory and swap together; 0: not given */
	uint64_t cpus_milli;       /* --cpus; not with --cpu-period or --cpu-quota */
};

/* One resource limit per process; `set`: --ulimit or a default names it. */
struct rlimit_spec {
	bool set;
	bool is_default; /* our default: lowered to the caller's hard limit */
	struct rlimit value;
};

enum seccomp_choice {
	SECCOMP_SHIPPED,
	SECCOMP_PROFILE,    /* profile text in seccomp_profile */
	SECCOMP_UNCONFINED, /* the local user asked for it */
};

/* The mounts on the root besides /proc, /sys and /dev. */
enum root_shows {
	ROOT_SHOWS_ALL,
	ROOT_SHOWS_LASTING, /* no directory in memory: what is written there is the root's */
};

enum warm_choice {
	WARM_AUTO, /* a warm cell where possible, otherwise a cold start */
	WARM_NEVER,
	WARM_REQUIRE, /* refuse the run where a warm start is impossible */
};

struct sandbox_spec {
	/* the program */
	char *image;       /* canonical "name:tag", or "host" */
	char *image_named; /* as its caller said it; NULL: nobody did */
	struct string_list command;
	char *entrypoint;            /* NULL: the image's; "": none */
	struct string_list env_file; /* --env-file, KEY=VALUE, later ones win */
	struct string_list env;      /* -e, over env_file */
	char *workdir;               /* NULL after spec_finish(): the image's */
	char *user;                  /* NULL: the image's */
	char *hostname;
	char *name;       /* NULL: none */
	char *code_file;  /* --code: host path or "-" */
	bool interactive; /* -i: our stdin reaches the program */
	bool tty;
	bool stays;   /* --detach: it is left to a monitor, and further programs start in it */
	bool remove;  /* --rm: nothing of it is kept after its end; without `stays` nothing ever is
		       */
	bool is_ours; /* runs our own code only: exempt from ceilings (spec/policy.h) */
	bool is_docker; /* set before the flags: docker's rules, where they differ */
	bool collected; /* another program reads its output: Python does not buffer it */

	/* the end of the program */
	int stop_signal;
	uint64_t stop_timeout_ms;   /* with sig_proxy the default is SPEC_UNLIMITED */
	bool sig_proxy;             /* pass on signals that we receive */
	int deadline_signal;        /* sent to the program's process group when --timeout ends */
	uint64_t deadline_grace_ms; /* between deadline_signal and the kill; set by spec_finish() */

	/* confinement */
	struct limits limits;
	struct rlimit_spec rlimits[RLIM_NLIMITS];
	struct mount_spec *mounts;
	size_t mount_count;
	enum seccomp_choice seccomp;
	char *seccomp_profile;
	enum warm_choice warm;

	/* the root */
	bool writable;           /* keep changes in memory while the sandbox lives */
	uint64_t writable_bytes; /* the most bytes of changes; 0 until spec_finish(): the default */
	enum root_shows shows;
	char *ca; /* --ca: certificates (PEM), trusted in addition to the image's; NULL: none */

	/* the network, in both directions */
	struct egress_spec egress;
	struct string_list allow_private; /* --allow-private; spec_finish() marks their rules */
	bool publish_all;                 /* -P: the ports that the image exposes, too */

	uint64_t most_sandboxes;     /* that stay, of this user, with this one */
	const char *sandboxes_bound; /* the file that says so; NULL: none does */

	struct limits_asked asked;
	uint64_t given[SETTING_GIVEN]; /* bits of the rows of run_settings that were given */

	struct spec_arena *arena; /* grows even when the spec is const */
};

/* Set the hardened defaults. The spec owns its arena: end with spec_fini(). */
void spec_init(struct sandbox_spec *s);
void spec_fini(struct sandbox_spec *s);

/*
 * Copy the limits, the network and the root's settings of another spec, as they were given; @from
 * outlives @s. The agent reads its command line once and gives each execution a spec of its own.
 */
void spec_copy_limits(struct sandbox_spec *s, const struct sandbox_spec *from);

/*
 * spec_finish - hold the limits below the machine's ceilings, cross-check the flags and add the
 * default mounts.
 * Errors: ERR_INPUT, naming the flags that disagree; those of policy_apply_to_spec(). It changes
 * nothing else.
 */
int spec_finish(struct sandbox_spec *s, struct err *e);

/* Copies in the arena. They live until spec_fini(). */
char *spec_strdup(const struct sandbox_spec *s, const char *text);
char *spec_strndup(const struct sandbox_spec *s, const char *text, size_t length);
char *spec_printf(const struct sandbox_spec *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Copy plain data, aligned for pointers. */
void *spec_copy(const struct sandbox_spec *s, const void *bytes, size_t size);
void spec_list_add(const struct sandbox_spec *s, struct string_list *list, const char *text);

/*
 * Append a mount. The returned row is zeroed except for kind and target; valid until the next call.
 */
struct mount_spec *spec_add_mount(struct sandbox_spec *s, enum mount_kind kind, const char *target);

/* Sort a parent before its children: mounted later, it would cover them. */
void spec_sort_mounts(struct mount_spec *mounts, size_t count);

#endif
