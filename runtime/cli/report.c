/*
 * report - print a verdict as lines for people.
 */
#include "cli/report.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/say.h"
#include "netpolicy/egress_refusals.h"

#define MAX_REFUSED_LINES 10

static void report_say_memory(const struct limits *l, const struct verdict *v)
{
	char limit[24];

	fprintf(stderr, "[MEMORY] Program exceeded %s memory limit%s (peak %.1f MiB)\n",
		format_size(l->memory_bytes, limit), v->in_sockets ? ", in sockets" : "",
		(double)v->memory_peak_bytes / (1 << 20));
}

static void report_say_ending(const struct limits *l, const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_WALL_TIME:
		fprintf(stderr, "[TIMEOUT] Script exceeded %g second execution limit\n",
			(double)l->wall_time_ms / 1000);
		break;
	case VERDICT_CPU_TIME:
		fprintf(stderr, "[CPU] Program exceeded its cpu time limit (used %.2f seconds",
			(double)v->cpu_us / 1e6);
		if (l->cpu_time_ms != SPEC_UNLIMITED)
			fprintf(stderr, " of %g", (double)l->cpu_time_ms / 1000);
		fputs(")\n", stderr);
		break;
	case VERDICT_MEMORY:
		report_say_memory(l, v);
		break;
	case VERDICT_SYSCALL:
		fputs("[SYSCALL] Program was killed by the system call filter\n", stderr);
		break;
	case VERDICT_EXITED:
	case VERDICT_SIGNALLED:
	case VERDICT_OUTPUT:
	case VERDICT_CANCELLED:
	case VERDICT_IDLE: /* nobody watches it */
		break;
	}
}

void report_cut(const bool truncated[2], uint64_t limit_bytes, bool late)
{
	static const char *const names[2] = {"stdout", "stderr"};
	char limit[24];

	for (int i = 0; i < 2; i++) {
		if (truncated[i] && limit_bytes == SPEC_UNLIMITED)
			fprintf(stderr, "[OUTPUT] %s was cut where its reader stopped\n", names[i]);
		else if (truncated[i])
			fprintf(stderr, "[OUTPUT] %s was cut at %s%s\n", names[i],
				format_size(limit_bytes, limit),
				late ? ", or earlier, where its reader stopped" : "");
	}
}

/* Counted only for programs that failed (sandbox/run.h). */
static void report_say_pids(const struct limits *l, const struct verdict *v)
{
	if (v->pids_refused && l->pids != SPEC_UNLIMITED)
		fprintf(stderr, "[PIDS] %llu processes or threads refused at %llu\n",
			(unsigned long long)v->pids_refused, (unsigned long long)l->pids);
}

void report_refusals(const struct egress_summary *before, const struct egress_summary *now)
{
	auto_buf struct buf line = {0};

	egress_refusals_line(before, now, &line);
	fputs(buf_string(&line), stderr);
}

/* Print "[SPACE] /tmp is full (256m): --tmpfs /tmp:size=SIZE" for a program that failed. */
static void report_say_space(const struct verdict *v)
{
	static const struct {
		const char *path;
		const char *bytes;
		const char *files;
		unsigned more; /* more than the flag's number: the directory itself counts */
	} remedies[] = {
		{"/",        "--writable=SIZE",        "--writable takes no more files", 0},
		{"/tmp",     "--tmpfs /tmp:size=SIZE", "--tmpfs /tmp:nr_inodes=N",       0},
		{"/dev/shm", "--shm-size SIZE",        "--tmpfs /dev/shm:nr_inodes=N",   0},
		{"/output",  "--output DIR,size=SIZE", "--output DIR,files=N",           1},
	};

	for (unsigned i = 0; i < v->full_count && v->exit_code; i++) {
		const struct full_place *place = &v->full[i];
		const char *remedy = "";
		unsigned more = 0;
		char size[24];

		for (size_t k = 0; k < sizeof(remedies) / sizeof(remedies[0]); k++) {
			if (strcmp(place->path, remedies[k].path) != 0)
				continue;
			remedy = place->files ? remedies[k].files : remedies[k].bytes;
			more = remedies[k].more;
		}
		if (place->files)
			snprintf(size, sizeof(size), "%llu files",
				 (unsigned long long)place->files - more);
		else
			(void)format_size(place->size_bytes, size);
		fprintf(stderr, "[SPACE] %s is full (%s): %s\n", place->path, size, remedy);
	}
}

static void report_say_network(const struct verdict *v)
{
	if (v->network == NETWORK_LOST)
		fputs("[NETWORK] glovebox-egress has ended before the program, and its connections "
		      "with it\n",
		      stderr);
	if (v->network == NETWORK_COUNTED)
		report_refusals(&(struct egress_summary){0}, &v->egress);
	if (v->no_network)
		fputs("[NETWORK] there is none here: --egress HOST opens it\n", stderr);
}

void report_messages(const struct limits *l, const struct verdict *v)
{
	report_say_ending(l, v);
	report_say_pids(l, v);
	report_say_space(v);
	if (v->left_behind)
		fputs("[STUCK] the sandbox was killed and does not end: a process in it is stuck "
		      "in the kernel (a network file system that is gone?)\n",
		      stderr);
	if (v->abandoned)
		fputs("[WARM] the warm supervisor or its nursery has ended, and the program with "
		      "it\n",
		      stderr);
	report_say_network(v);
	report_cut(v->truncated, l->output_bytes, v->kind == VERDICT_WALL_TIME);
	for (size_t i = 0; i < v->refused.count && i < MAX_REFUSED_LINES; i++) {
		fputs("[OUTPUT] not collected: ", stderr);
		say_line(stderr, v->refused.items[i].path);
		fprintf(stderr, " (%s)\n", v->refused.items[i].change);
	}
	if (v->refused.count > MAX_REFUSED_LINES)
		fprintf(stderr, "[OUTPUT] ... and %zu more\n",
			v->refused.count + v->refused.dropped - MAX_REFUSED_LINES);
}
