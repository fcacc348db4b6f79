/*
 * ps - list this user's runs, sessions, agents, servers, prompts and MCP connections.
 */
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ago.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/listing.h"
#include "client/client.h"
#include "client/registry.h"
#include "spec/setting_words.h"

#define SHORT_ID      12
#define SHORT_COMMAND 20 /* characters of a command in docker's table */
#define UNKNOWN       UINT64_MAX

struct ps {
	bool quiet;
	bool json;
	bool whole;
	const char *format;
	bool heads;     /* to be printed before the first row */
	struct buf out; /* with json */
	int status;
};

struct row {
	const char *name;
	const char *kind;
	pid_t pid; /* 0: not known */
	const struct registry_entry *entry;
	uint64_t age_ms;
	uint64_t memory_bytes; /* UNKNOWN */
};

/* clang-format off */
const struct setting ps_settings[] = {
	{"quiet", 'q', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, quiet), NULL, .help = "names only; ids under the name docker"},
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, json), NULL, .help = "print JSON, for programs, instead of a table"},
	{"no-trunc", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, whole), NULL, .help = "whole ids and commands"},
	{"format", 0, "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct ps, format), NULL, .help = "json, table, or text with {{.Names}} in it"},
	{"all", 'a', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing of what has ended is kept"},
	{"filter", 'f', "FILTER", GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "ps --format '{{.ID}} {{.Names}}' lists all, for grep"},
	{"last", 'n', "N", GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "only what runs is known, the newest first"},
	{"latest", 'l', NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "only what runs is known, the newest first"},
	{"size", 's', NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "a root is read-only, and what is written is memory"},
	SETTING_END,
};
/* clang-format on */

/* -- figures --------------------------------------------------------------------------------- */

static uint64_t ps_number_in(const char *path, unsigned word)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	/* A sandbox that was given the directory may have written the entry: do not wait for a
	 * FIFO. */
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	char *rest = NULL;
	char *at;

	if (fd < 0 || io_read_fd(fd, path, 4096, &text, &ignored))
		return UNKNOWN;
	at = strtok_r((char *)buf_string(&text), " \n", &rest);
	while (at && word--)
		at = strtok_r(NULL, " \n", &rest);
	return at ? strtoull(at, NULL, 10) : UNKNOWN;
}

/* A run: its sandbox. Any other: the process itself. */
static uint64_t ps_memory(const struct registered *r)
{
	char path[64];
	uint64_t pages;

	if (*r->entry.memory)
		return ps_number_in(r->entry.memory, 0);
	if (!strcmp(r->entry.kind, REGISTRY_RUN) || !r->pid)
		return UNKNOWN;
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)r->pid); /* proc(5): the second */
	pages = ps_number_in(path, 1);
	return pages == UNKNOWN ? UNKNOWN : pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static const char *ps_bytes_text(uint64_t bytes, char out[24])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	double value = (double)bytes;
	int unit = 0;

	for (; value >= 1024 && unit < 3; unit++)
		value /= 1024;
	snprintf(out, 24, value < 10 && unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return bytes == UNKNOWN ? "-" : out;
}

/* -- a row ----------------------------------------------------------------------------------- */

static void ps_add_json(const struct row *r, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "name", r->name);
	json_put_text(out, "kind", r->kind);
	r->pid ? json_put_uint(out, "pid", (uint64_t)r->pid) : json_put_null(out, "pid");
	json_put_text(out, "id", *r->entry->id ? r->entry->id : NULL);
	json_put_text(out, "image", *r->entry->image ? r->entry->image : NULL);
	json_put_text(out, "command", r->entry->command);
	json_put_uint(out, "age_ms", r->age_ms);
	r->memory_bytes == UNKNOWN ? json_put_null(out, "memory_bytes")
				   : json_put_uint(out, "memory_bytes", r->memory_bytes);
	json_put_end(out, '}');
}

static void ps_print_columns(const struct row *r)
{
	char memory[24];

	say_column(stdout, LISTING_NAME_WIDTH, r->name);
	putchar(' ');
	say_column(stdout, 8, r->kind);
	putchar(' ');
	r->pid ? printf("%-8d ", (int)r->pid) : printf("%-8s ", "-");
	say_column(stdout, 20, *r->entry->image ? r->entry->image : "-");
	putchar(' ');
	listing_print_age(r->age_ms, 5);
	printf(" %-9s ", ps_bytes_text(r->memory_bytes, memory));
	say_line(stdout, r->entry->command);
	putchar('\n');
}

static void ps_print_fields(struct ps *p, const struct format_field *f)
{
	if (p->format) {
		p->status = p->status ? p->status : format_print(p->format, f);
		return;
	}
	say_column(stdout, p->whole ? 64 : SHORT_ID, f[0].value);
	printf("   ");
	say_column(stdout, 20, f[1].value);
	printf("   ");
	say_column(stdout, SHORT_COMMAND + 2, f[2].value);
	printf("   %-16s %-12s %-7s ", f[3].value, f[4].value, f[5].value);
	say_line(stdout, f[6].value);
	putchar('\n');
}

/* RFC 3339, for ago_text(). */
static void ps_write_time(uint64_t age_ms, char out[CLOCK_UTC_SIZE])
{
	const time_t began = time(NULL) - (time_t)(age_ms / 1000);
	struct tm tm;

	strftime(out, CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&began, &tm));
}

/* How many bytes so many characters are. */
static int ps_bytes_of(const char *text, unsigned characters)
{
	const char *p = text;
	uint32_t code;

	while (*p && characters--)
		p += utf8_decode((const unsigned char *)p, strlen(p), &code);
	return (int)(p - text);
}

/* docker's columns, which come first in the fields. */
static void ps_print_docker(struct ps *p, const struct row *r)
{
	auto_free char *id = own_strndup(r->entry->id, p->whole ? 64 : SHORT_ID);
	const char *words = r->entry->command;
	bool cut = !p->whole && words[ps_bytes_of(words, SHORT_COMMAND)];
	int bytes = ps_bytes_of(words, cut ? SHORT_COMMAND - 1 : UINT_MAX);
	auto_free char *command = own_printf("\"%.*s%s\"", bytes, words, cut ? "\xe2\x80\xa6" : "");
	char created[CLOCK_UTC_SIZE];
	char ago[32];
	auto_free char *up = NULL;

	ps_write_time(r->age_ms, created);
	ago_text(created, ago);
	up = own_printf("Up %.*s", (int)strcspn(ago, "a"), ago);
	{
		const struct format_field fields[] = {
			{"ID",         id             },
                        {"Image",      r->entry->image},
			{"Command",    command        },
                        {"RunningFor", ago            },
			{"Status",     up             },
                        {"Ports",      ""             },
			{"Names",      r->name        },
                        {"CreatedAt",  created        },
			{"State",      "running"      },
                        {NULL,         NULL           },
		};

		ps_print_fields(p, fields);
	}
}

static void ps_print_heads(struct ps *p)
{
	static const struct format_field heads[] = {
		{"ID",         "CONTAINER ID"},
                {"Image",      "IMAGE"       },
		{"Command",    "COMMAND"     },
                {"RunningFor", "CREATED"     },
		{"Status",     "STATUS"      },
                {"Ports",      "PORTS"       },
		{"Names",      "NAMES"       },
                {"CreatedAt",  "CREATED AT"  },
		{"State",      "STATE"       },
                {NULL,         NULL          },
	};

	if (invoked_as_docker() || p->format)
		ps_print_fields(p, heads);
	else
		printf("%-*s %-8s %-8s %-20s %-5s %-9s %s\n", LISTING_NAME_WIDTH, "NAME", "KIND",
		       "PID", "IMAGE", "AGE", "MEMORY", "COMMAND");
}

static void ps_print(struct ps *p, const struct row *r)
{
	bool run = !strcmp(r->kind, REGISTRY_RUN);

	if (p->heads)
		ps_print_heads(p);
	p->heads = false;
	if (p->json)
		ps_add_json(r, &p->out);
	else if (invoked_as_docker() && !run)
		return; /* to docker nothing else is a container */
	else if (p->quiet && invoked_as_docker())
		say_bytes(stdout, r->entry->id, strnlen(r->entry->id, p->whole ? 64 : SHORT_ID)),
			putchar('\n');
	else if (p->quiet)
		say_line(stdout, r->name), putchar('\n');
	else if (invoked_as_docker() || p->format)
		ps_print_docker(p, r);
	else
		ps_print_columns(r);
}

/* -- all of them ----------------------------------------------------------------------------- */

static void ps_take_process(void *context, const struct registered *r)
{
	uint64_t now = monotonic_us();
	uint64_t began = r->entry.started_us;
	const struct row row = {.name = r->name,
				.kind = *r->entry.kind ? r->entry.kind : REGISTRY_RUN,
				.pid = r->pid,
				.entry = &r->entry,
				.age_ms = began && began < now ? (now - began) / 1000 : 0,
				.memory_bytes = ps_memory(r)};

	ps_print(context, &row);
}

static int ps_take_sessions(struct ps *p, struct err *e)
{
	static const struct registry_entry nothing = {.id = "", .image = "", .command = ""};
	struct sessions_request request = {0};
	struct op_answer answer;

	do {
		const struct session_entry *s;

		/* No supervisor: no sessions. */
		if (client_ask_once(NULL, OP_SESSIONS, &request, &answer, e))
			return e->kind == ERR_NOT_FOUND ? 0 : -1;
		s = answer.sessions.sessions.items;
		for (unsigned i = 0; i < answer.sessions.sessions.count; i++) {
			const struct row row = {.name = s[i].name,
						.kind = "session",
						.entry = &nothing,
						.age_ms = s[i].age_ms,
						.memory_bytes = UNKNOWN};

			ps_print(p, &row);
		}
		request.after = answer.sessions.after;
		op_answer_fini(&answer);
	} while (request.after);
	return 0;
}

static int ps_read_words(int argc, char **argv, struct ps *p, struct err *e)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE | WORDS_BUNDLED,
					  .tables = {{ps_settings, p, NULL}},
					  .hint = ""};
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return err_prefix(e, "ps");
	return used < argc - 1 ? err_input(e, "ps: unknown argument %.100s", argv[used + 1]) : 0;
}

int command_ps(int argc, char **argv)
{
	auto_free char *template = NULL;
	struct ps p = {0};
	struct err e;
	int bad;

	if (ps_read_words(argc, argv, &p, &e))
		return fail_with(&e);
	p.heads = format_of_list(p.format, &template) && !p.quiet && !p.json;
	p.format = template;
	if (p.json) {
		json_put_begin(&p.out, NULL, '{');
		json_put_begin(&p.out, "running", '[');
	}
	bad = registry_each(ps_take_process, &p, &e) ||
	      (!invoked_as_docker() && ps_take_sessions(&p, &e));
	if (p.heads && !bad)
		ps_print_heads(&p);
	if (p.json && !bad) {
		json_put_end(&p.out, ']');
		json_put_end(&p.out, '}');
		puts(buf_string(&p.out));
	}
	buf_fini(&p.out);
	return bad ? fail_with(&e) : p.status;
}
