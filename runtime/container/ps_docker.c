/*
 * ps_docker - the rows of `docker ps`, and of templates.
 */
#include "container/ps_docker.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/ago.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "base/utf8.h"
#include "cli/format.h"
#include "client/network.h"
#include "container/ports.h"
#include "loop/clock.h"
#include "record/record_put.h"

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

static void ps_docker_add_ports(const struct record *r, struct buf *out)
{
	struct egress_published ports[EGRESS_MAX_PUBLISHED];

	network_write_arrows(ports, ports_bound(r, ports), out);
}

/* Names of volumes, and paths. */
static void ps_docker_add_mounts(const struct record *r, struct buf *out)
{
	const struct json *mounts = json_get(r->what, "mounts");

	for (const struct json *m = mounts ? json_first(mounts) : NULL; m; m = json_next(m)) {
		const char *name = json_string_at(m, "name");
		const char *text = name ? name : json_text_at(m, "source");

		buf_printf(out, "%s%s", out->length ? "," : "", text);
	}
}

/* docker's word. */
static const char *ps_docker_state(const struct ps_row *r)
{
	const enum record_state state = r->record ? r->record->state : RECORD_RUNNING;

	return state == RECORD_LOST         ? "dead"
	       : state == RECORD_HIBERNATED ? "paused"
	       : state == RECORD_STARTING   ? "running"
					    : record_state_name(state);
}

/* docker's words for how it is. Owned. */
static char *ps_docker_status(const struct ps_row *r, const char *ago)
{
	const enum record_state state = r->record ? r->record->state : RECORD_RUNNING;
	const char *end = strstr(ago, " ago"); /* "5 minutes" of "5 minutes ago" */
	const uint64_t now_ms = clock_now_ms();
	uint64_t at_ms;
	char when[CLOCK_UTC_SIZE];
	char before[32];

	if (state == RECORD_CREATED || state == RECORD_LOST)
		return own_strdup(state == RECORD_CREATED ? "Created" : "Dead");
	if (state != RECORD_EXITED)
		return own_printf("Up %.*s%s", end ? (int)(end - ago) : (int)strlen(ago), ago,
				  state == RECORD_HIBERNATED ? " (Hibernated)"
				  : state == RECORD_PAUSED   ? " (Paused)"
							     : "");
	at_ms = json_uint_at(r->record->how, "ended_ms", now_ms);
	clock_utc_at(at_ms < now_ms ? at_ms : now_ms, when);
	return own_printf("Exited (%d) %s", record_exit_code(r->record), ago_text(when, before));
}

static void ps_docker_ages(const struct ps_row *r, char created[CLOCK_UTC_SIZE], char ago[32])
{
	clock_utc_at(clock_now_ms() - r->age_ms, created);
	ago_text(created, ago);
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
	auto_free char *status = NULL;
	auto_buf struct buf ports = {0};
	auto_buf struct buf mounts = {0};
	const char *image = r->entry->image;
	char created[CLOCK_UTC_SIZE];
	char ago[32];

	ps_docker_ages(r, created, ago);
	status = ps_docker_status(r, ago);
	if (r->record) {
		image = record_image(r->record);
		ps_docker_add_ports(r->record, &ports);
		ps_docker_add_mounts(r->record, &mounts);
	}
	return ps_docker_fields(p, (const struct format_field[]){
					   {"ID",         id                 },
					   {"Image",      image              },
					   {"Command",    command            },
					   {"RunningFor", ago                },
					   {"Status",     status             },
					   {"Ports",      buf_string(&ports) },
					   {"Names",      r->name            },
					   {"CreatedAt",  created            },
					   {"State",      ps_docker_state(r) },
					   {"Mounts",     buf_string(&mounts)},
					   {NULL,         NULL               },
        });
}

static void ps_docker_put_ports(const struct record *r, struct buf *out)
{
	struct egress_published ports[EGRESS_MAX_PUBLISHED];
	const size_t count = ports_bound(r, ports);
	char address[ADDRESS_TEXT_SIZE];

	json_put_begin(out, "Ports", '[');
	for (size_t i = 0; i < count; i++) {
		address_text(&ports[i].address, address);
		json_put(out, "{IP:%s, PrivatePort:%u, PublicPort:%u, Type:'tcp'}", address,
			 (unsigned)ports[i].port, (unsigned)ports[i].host_port);
	}
	json_put_end(out, ']');
}

void ps_docker_put(const struct ps_row *r, struct buf *out)
{
	const struct record *record = r->record;
	auto_free char *name = own_printf("/%s", r->name);
	auto_free char *status = NULL;
	char created[CLOCK_UTC_SIZE];
	char ago[32];

	ps_docker_ages(r, created, ago);
	status = ps_docker_status(r, ago);
	json_put(out, "{Id:%s, Names:[%s], Image:%s, ImageID:%s, Command:%s, Created:%lu",
		 r->entry->id, name, record_image(record), json_text_at(record->what, "image_id"),
		 r->entry->command, json_uint_at(record->what, "created_ms", 0) / 1000);
	ps_docker_put_ports(record, out);
	record_put_labels(record, out);
	json_put(out,
		 "State:%s, Status:%s, HostConfig:{NetworkMode:'default'}, "
		 "NetworkSettings:{Networks:{}}",
		 ps_docker_state(r), status);
	record_put_mounts(record, out);
	json_put_end(out, '}');
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
