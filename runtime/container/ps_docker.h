/*
 * ps_docker - the rows of `docker ps`, and of templates.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_PS_DOCKER_H
#define GLOVEBOX_CONTAINER_PS_DOCKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "client/registry.h"
#include "record/record.h"

#define PS_SHORT_ID 12

/* One process of ours, or a sandbox that stays. */
struct ps_row {
	const char *name;
	const char *kind;
	pid_t pid; /* 0: not known */
	const struct registry_entry *entry;
	uint64_t age_ms;
	uint64_t memory_bytes;       /* UINT64_MAX: not known */
	const struct record *record; /* NULL: it does not stay */
};

static inline bool ps_row_has_ended(const struct ps_row *r)
{
	return r->record && !record_runs(r->record);
}

struct ps_docker {
	const char *format; /* a template; NULL: docker's columns */
	bool whole;         /* ids and commands are not cut */
	bool all;           /* room for how something has ended */
};

/* Print a row, or the headings. Returns the exit status: 125 if the template is not supported. */
int ps_docker_print(const struct ps_docker *p, const struct ps_row *r);
int ps_docker_heads(const struct ps_docker *p);

/* Append one that stays as the list of the Engine's API has it. */
void ps_docker_put(const struct ps_row *r, struct buf *out);

/* Refuse the template, if a part of it is not understood. Returns the exit status. */
int ps_docker_check(const struct ps_docker *p);

#endif
