/*
 * verdict - how a run ended, and what it cost. Plain data.
 *
 * A program that misbehaves is a result; only our own failure is a struct err.
 */
#ifndef GLOVEBOX_SPEC_VERDICT_H
#define GLOVEBOX_SPEC_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/output_files.h"
#include "spec/egress_summary.h"

enum verdict_kind {
	VERDICT_EXITED,
	VERDICT_SIGNALLED,
	VERDICT_WALL_TIME, /* --timeout */
	VERDICT_CPU_TIME,  /* --cpu-time */
	VERDICT_MEMORY,    /* --memory */
	VERDICT_SYSCALL,   /* killed by the system call filter */
	VERDICT_OUTPUT,    /* --output-limit: it exited with 0, and not all that it said is there */
	VERDICT_CANCELLED, /* a signal to the monitor, or its output was closed */
};

enum verdict_network {
	NETWORK_NONE,    /* it was not asked for */
	NETWORK_COUNTED, /* `egress` */
	NETWORK_LOST,    /* the process that served it has ended before the program */
};

#define VERDICT_PLACES 3

/* A directory in memory in which there was no room when the program had ended. */
struct full_place {
	char path[64];
	uint64_t size_bytes;
	uint64_t files; /* as many as there may be; 0: bytes are short */
};

struct verdict {
	bool abandoned; /* a cell that ended without a report: its nursery or supervisor is gone */
	enum verdict_kind kind;
	bool in_sockets; /* VERDICT_MEMORY because of too many sockets (host/socket_count.h) */
	int exit_code;   /* what glovebox exits with: 0..255 */
	int signal;      /* VERDICT_SIGNALLED, _SYSCALL, _CANCELLED; else 0 */
	uint64_t duration_us;
	uint64_t cpu_us;            /* 0: not known */
	uint64_t memory_peak_bytes; /* 0: not known */
	uint64_t oom_kills;
	uint64_t pids_refused;
	bool truncated[2]; /* stdout, stderr */
	int output_error;  /* the errno of a write of these; 0: none */
	struct buf captured[2];
	struct output_files files;
	struct output_files refused;
	bool uncollected; /* of these, some because of an error of this machine */
	bool left_behind; /* a killed process did not end in time: it and its group are still there
			   */
	struct full_place full[VERDICT_PLACES];
	unsigned full_count;
	bool no_network; /* it failed, and it has looked for one that it had not */
	enum verdict_network network;
	struct egress_summary egress;
};

/* The kind as results name it ("wall_time"); verdict_fini() frees the lists. */
const char *verdict_name(enum verdict_kind kind);
void verdict_fini(struct verdict *v);

#endif
