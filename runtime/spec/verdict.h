/*
 * verdict - how a run ended, and what it used. Plain data.
 *
 * A program that misbehaves is a result; a struct err is only for failures of glovebox.
 */
#ifndef GLOVEBOX_SPEC_VERDICT_H
#define GLOVEBOX_SPEC_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "fs/output_files.h"
#include "netpolicy/egress_summary.h"

enum verdict_kind {
	VERDICT_EXITED,
	VERDICT_SIGNALLED,
	VERDICT_WALL_TIME, /* --timeout */
	VERDICT_CPU_TIME,  /* --cpu-time */
	VERDICT_MEMORY,    /* --memory */
	VERDICT_SYSCALL,   /* the system call filter killed it */
	VERDICT_OUTPUT,    /* --output-limit: exited with 0, but its output was truncated */
	VERDICT_CANCELLED, /* a signal to the monitor, or the reader closed the output */
	VERDICT_IDLE,      /* --idle-timeout */
};

enum verdict_network {
	NETWORK_NONE,    /* the run has no network */
	NETWORK_COUNTED, /* `egress` */
	NETWORK_LOST,    /* glovebox-egress ended before the program */
};

#define VERDICT_PLACES 4

/* A directory in memory that was full when the program ended. */
struct full_place {
	char path[64];
	uint64_t size_bytes;
	uint64_t files; /* the most files that it may hold; 0: it ran out of bytes */
};

struct verdict {
	bool abandoned; /* the nursery or supervisor ended before the cell reported */
	enum verdict_kind kind;
	bool in_sockets; /* VERDICT_MEMORY because of too many sockets (sandbox/socket_count.h) */
	int exit_code;   /* the exit code of glovebox: 0 to 255 */
	int signal;      /* VERDICT_SIGNALLED, _SYSCALL, _CANCELLED; else 0 */
	uint64_t duration_us;
	uint64_t cpu_us;            /* 0: unknown */
	uint64_t memory_peak_bytes; /* 0: unknown */
	uint64_t oom_kills;
	uint64_t pids_refused;
	bool truncated[2]; /* stdout, stderr */
	int output_error;  /* errno of a failed write to stdout or stderr; 0: none */
	struct buf captured[2];
	struct output_files files;
	struct output_files refused;
	bool uncollected; /* some output files were refused because of an error of this machine */
	bool left_behind; /* a killed process did not end in time: its cgroup still exists */
	struct full_place full[VERDICT_PLACES];
	unsigned full_count;
	bool no_network; /* the program failed, and had looked for a network, which it lacked */
	enum verdict_network network;
	struct egress_summary egress;
};

/* The kind as results name it ("wall_time"); verdict_fini() frees the lists. */
const char *verdict_name(enum verdict_kind kind);
void verdict_fini(struct verdict *v);

#endif
