/*
 * spec - what was decided about one run, before anything is done.
 *
 * A spec is plain data: it holds no descriptor and no state, and once
 * spec_finish() has accepted it nobody changes it. Every face fills one, the
 * sandbox is made from one. Strings and arrays live in the spec's own arena
 * and are freed together by spec_fini().
 *
 * No side effects, except where a flag names a file to be read (--env-file,
 * --security-opt seccomp=FILE), which happens while flags are applied.
 */
#ifndef GLOVEBOX_SPEC_SPEC_H
#define GLOVEBOX_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

#define SPEC_UNLIMITED UINT64_MAX

/* RLIMIT_CORE: no core dump. At 0 the kernel still hands a crash to the program that core_pattern
 * may name, on the host and as root; at 1 it does not, and a file needs a page (core(5)). */
#define SPEC_NO_CORE 1

/* A growing list of strings, all owned by the spec. */
struct string_list {
	char **items; /* `count` strings, then NULL */
	size_t count;
};

enum mount_kind {
	MOUNT_BIND,  /* -v, --mount type=bind, --workspace, --code */
	MOUNT_TMPFS, /* --tmpfs, --mount type=tmpfs, and the defaults /tmp, /dev/shm, HOME */
	MOUNT_STAGE, /* --output: a tmpfs whose content the supervisor collects into `source` */
};

struct mount_spec {
	enum mount_kind kind;
	char *source;  /* host path, absolute; NULL for tmpfs */
	int source_fd; /* what is there, opened already, borrowed; -1: `source` is opened (binds) */
	char *target;  /* absolute and normal inside the sandbox */
	bool read_only;
	bool exec;           /* noexec unless set (tmpfs only; binds follow `read_only`) */
	bool create_source;  /* -v makes a missing source directory, as Docker does */
	uint64_t size_bytes; /* tmpfs only */
	uint64_t inodes;     /* tmpfs only */
	uint32_t mode;       /* tmpfs root directory */
	int64_t uid;         /* tmpfs root's owner inside; -1: the sandbox's user */
	int64_t gid;
};

struct limits {
	uint64_t memory_bytes;     /* SPEC_UNLIMITED: none */
	uint64_t swap_bytes;       /* beyond memory; 0: no swap at all */
	uint64_t swap_total_bytes; /* --memory-swap as given: memory and swap together */
	bool swap_total_given;
	uint64_t pids;
	uint64_t cpu_quota_us; /* of cpu_period_us; SPEC_UNLIMITED: none */
	uint64_t cpu_period_us;
	bool cpus_given; /* --cpus */
	uint64_t cpus_milli;
	bool quota_given;     /* --cpu-quota */
	bool period_given;    /* --cpu-period */
	char *cpuset;         /* "0-1,3" or NULL */
	uint64_t cpu_time_ms; /* of all processes together */
	uint64_t wall_time_ms;
	uint64_t output_bytes; /* each of stdout and stderr */
	uint64_t shm_bytes;
};

/* One resource limit per process; `set` marks those that --ulimit or a default names. */
struct rlimit_spec {
	bool set;
	bool is_default; /* ours: lowered to what the caller may set */
	struct rlimit value;
};

enum seccomp_choice {
	SECCOMP_SHIPPED,
	SECCOMP_PROFILE,    /* profile text in seccomp_profile */
	SECCOMP_UNCONFINED, /* the local user said so */
};

enum warm_choice {
	WARM_AUTO, /* from a warm cell where that is possible, cold otherwise */
	WARM_NEVER,
	WARM_REQUIRE, /* refused where it is not possible */
};

enum pull_policy { PULL_MISSING, PULL_NEVER, PULL_ALWAYS };

struct sandbox_spec {
	/* what runs */
	char *image; /* canonical "name:tag", or "host" */
	struct string_list command;
	char *entrypoint;            /* NULL: the image's; "": none */
	struct string_list env_file; /* --env-file, KEY=VALUE, later ones win */
	struct string_list env;      /* -e, over env_file */
	char *workdir;               /* NULL: the image's */
	char *user;                  /* NULL: the image's */
	char *hostname;
	char *name; /* NULL: none */
	char *cidfile;
	struct string_list labels;
	char *code_file; /* --code: host path or "-" */

	/* how it is seen */
	bool interactive; /* -i: our stdin reaches the program */
	bool tty;
	bool json;
	char *result_file;
	bool explain;
	bool quiet;
	bool remove; /* --rm and --init: always in effect, recorded only */
	bool init;

	/* how it ends */
	int stop_signal;
	uint64_t stop_timeout_ms;

	/* what confines it */
	struct limits limits;
	struct rlimit_spec rlimits[RLIM_NLIMITS];
	struct mount_spec *mounts;
	size_t mount_count;
	enum seccomp_choice seccomp;
	char *seccomp_profile;
	bool no_new_privileges; /* always true: a flag that asks otherwise is refused */
	enum warm_choice warm;
	enum pull_policy pull;
	char *platform;

	struct spec_arena *arena;
};

/* The hardened defaults. Owns its arena: end with spec_fini(). */
void spec_init(struct sandbox_spec *s);
void spec_fini(struct sandbox_spec *s);

/*
 * spec_finish - cross-check what the flags said and add the default mounts.
 * Errors: ERR_INPUT, naming the flags that disagree. Nothing else is touched.
 */
int spec_finish(struct sandbox_spec *s, struct err *e);

/* Strings into the arena. The results live until spec_fini(). */
char *spec_strdup(struct sandbox_spec *s, const char *text);
char *spec_strndup(struct sandbox_spec *s, const char *text, size_t length);
char *spec_printf(struct sandbox_spec *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void spec_list_add(struct sandbox_spec *s, struct string_list *list, const char *text);

/* Append a mount; the returned row is zeroed but for kind and target, and valid until the next. */
struct mount_spec *spec_add_mount(struct sandbox_spec *s, enum mount_kind kind, const char *target);

#endif
