/*
 * ps_docker - the rows of `docker ps`, and of templates.
 */
#include "container/ps_docker.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/ago.h"
#include "base/own.h"
#include "base/say.h"
#include "base/utf8.h"
#include "cli/format.h"
#include "client/network.h"
#include "container/ports.h"
#include "loop/clock.h"

#define SHORT_COMMAND 20 /* characters of a command */

/* docker's columns come first in the fields. */
static int ps_docker_fields(const struct ps_docker *p, const struct format_field *f)
{
	if (p->format)
		return format_print(p->format, f);
	say_column(stdout, p->whole ? 64 : PS_SHORT_ID, f[0].value);
	printf("   ");
	say_column(stdout, 20, f[1].value);
	printf("   ");
	say_column(stdout, SHORT_COMMAND + 2, f[2].value);
	printf("   %-16s %-*s %-7s ", f[3].value, p->all ? 28 : 12, f[4].value, f[5].value);
	say_line(stdout, f[6].value);
	putchar('\n');
	return 0;
}

/* How many bytes so many characters are. */
static int ps_docker_bytes_of(const char *text, unsigned characters)
{
	const char *p = text;
	uint32_t code;

	while (*p && characters--)
		p += utf8_decode((const unsigned char *)p, strlen(p), &code);
	return (int)(p - text);
}

/* How it is, in docker's words. */
struct ps_how {
	const char *state;
	char *status;      /* owned */
	struct buf ports;  /* "127.0.0.1:40000->8000/tcp, ..." */
	struct buf mounts; /* names of volumes, and paths */
};

static void ps_docker_add_ports(const struct record *r, struct buf *out)
{
	struct egress_published ports[EGRESS_MAX_PUBLISHED];

	network_write_arrows(ports, ports_bound(r, ports), out);
}

static void ps_docker_add_mounts(const struct record *r, struct buf *out)
{
	const struct json *mounts = json_get(r->what, "mounts");

	for (const struct json *m = mounts ? json_first(mounts) : NULL; m; m = json_next(m)) {
		const char *name = json_string_at(m, "name");
		const char *text = name ? name : json_text_at(m, "source");

		buf_printf(out, "%s%s", out->length ? "," : "", text);
	}
}

/* The length of "5 minutes" in "5 minutes ago". */
static size_t ps_docker_before_ago(const char *ago)
{
	const char *end = strstr(ago, " ago");

	return end ? (size_t)(end - ago) : strlen(ago);
}

/* A run in the foreground has no record. */
static void ps_docker_judge_running(const struct ps_row *r, const char *ago, struct ps_how *out)
{
	auto_record struct record record = {.dir = -1};
	struct err ignored;
	bool paused = false;
	bool hibernated = false;

	if (*r->entry->id && !record_find(r->entry->id, &record, &ignored)) {
		paused = record_stands_still(&record);
		hibernated = record.state == RECORD_HIBERNATED;
		ps_docker_add_ports(&record, &out->ports);
		ps_docker_add_mounts(&record, &out->mounts);
	}
	out->state = paused ? "paused" : "running";
	out->status = own_printf("Up %.*s%s", (int)ps_docker_before_ago(ago), ago,
				 hibernated ? " (Hibernated)"
				 : paused   ? " (Paused)"
					    : "");
}

static void ps_docker_judge_ended(const struct record *r, struct ps_how *out)
{
	const uint64_t now_ms = clock_now_ms();
	const uint64_t at_ms = r->how ? json_uint_at(r->how, "ended_ms", now_ms) : now_ms;
	char when[CLOCK_UTC_SIZE];
	char ago[32];

	ps_docker_add_mounts(r, &out->mounts);
	if (r->state == RECORD_EXITED) {
		clock_utc_at(at_ms < now_ms ? at_ms : now_ms, when);
		out->state = "exited";
		out->status =
			own_printf("Exited (%d) %s", record_exit_code(r), ago_text(when, ago));
		return;
	}
	out->state = r->state == RECORD_CREATED ? "created" : "dead";
	out->status = own_strdup(r->state == RECORD_CREATED ? "Created" : "Dead");
}

/* Cut, and in quotes. Owned. */
static char *ps_docker_command(const struct ps_docker *p, const char *words)
{
	bool cut = !p->whole && words[ps_docker_bytes_of(words, SHORT_COMMAND)];
	int bytes = ps_docker_bytes_of(words, cut ? SHORT_COMMAND - 1 : UINT_MAX);

	return own_printf("\"%.*s%s\"", bytes, words, cut ? "\xe2\x80\xa6" : "");
}

int ps_docker_print(const struct ps_docker *p, const struct ps_row *r)
{
	auto_free char *id = own_strndup(r->entry->id, p->whole ? 64 : PS_SHORT_ID);
	auto_free char *command = ps_docker_command(p, r->entry->command);
	struct ps_how how = {0};
	char created[CLOCK_UTC_SIZE];
	char ago[32];
	int status;

	clock_utc_at(clock_now_ms() - r->age_ms, created);
	ago_text(created, ago);
	if (r->ended)
		ps_docker_judge_ended(r->ended, &how);
	else
		ps_docker_judge_running(r, ago, &how);
	{
		const struct format_field fields[] = {
			{"ID",         id                     },
			{"Image",      r->entry->image        },
			{"Command",    command                },
			{"RunningFor", ago                    },
			{"Status",     how.status             },
			{"Ports",      buf_string(&how.ports) },
			{"Names",      r->name                },
			{"CreatedAt",  created                },
			{"State",      how.state              },
			{"Mounts",     buf_string(&how.mounts)},
			{NULL,         NULL                   },
		};

		status = ps_docker_fields(p, fields);
	}
	own_free(&how.status);
	buf_fini(&how.ports);
	buf_fini(&how.mounts);
	return status;
}

/* clang-format off */
static const struct format_field ps_docker_names[] = {
	{"ID", "CONTAINER ID"}, {"Image", "IMAGE"}, {"Command", "COMMAND"}, {"RunningFor", "CREATED"}, {"Status", "STATUS"},
	{"Ports", "PORTS"}, {"Names", "NAMES"}, {"CreatedAt", "CREATED AT"}, {"State", "STATE"}, {"Mounts", "MOUNTS"}, {NULL, NULL},
};
/* clang-format on */

int ps_docker_heads(const struct ps_docker *p)
{
	return ps_docker_fields(p, ps_docker_names);
}

int ps_docker_check(const struct ps_docker *p)
{
	return format_check(p->format, ps_docker_names);
}
