/*
 * ps - list this user's runs, sessions, agents, servers, prompts and MCP connections.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/listing.h"
#include "cli/words.h"
#include "client/client.h"
#include "container/ps_docker.h"
#include "container/ps_filter.h"
#include "loop/clock.h"

#define UNKNOWN    UINT64_MAX
#define PAGES_MOST 1000 /* of the sessions of one supervisor */

struct ps {
	bool quiet;
	bool json;
	bool engine; /* the list of the Engine's API: of what stays, the newest first */
	struct ps_docker docker;
	bool heads;              /* to be printed before the first row */
	struct list seen;        /* ids that the registry has */
	struct list supervisors; /* of faces: WHERE, NAME, ... */
	struct list filters;
	struct buf out; /* with json, engine */
	uint64_t most;
	uint64_t count;
	int status;
};

/* clang-format off */
const struct setting ps_settings[] = {
	{"quiet", 'q', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, quiet), NULL, .help = "names only; ids under the name docker"},
	{"json", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, json), NULL, .help = "print JSON, for programs, instead of a table"},
	{"no-trunc", 0, NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, docker.whole), NULL, .help = "whole ids and commands"},
	{"format", 0, "TEMPLATE", GROUP_RESULT, FACE_RUN, SETTING_TEXT, offsetof(struct ps, docker.format), NULL, .help = "json, table, text with {{.Names}} in it, or engine: one list of what stays, as the Engine's API has it"},
	{"all", 'a', NULL, GROUP_RESULT, FACE_RUN, SETTING_FLAG, offsetof(struct ps, docker.all), NULL, .help = "also sandboxes that stayed and have ended"},
	{"filter", 'f', "KEY=VALUE", GROUP_RESULT, FACE_RUN, SETTING_LIST, offsetof(struct ps, filters), NULL, .choices = "name=|id=|ancestor=|status=|exited=|label=", .repeated = true, .help = "only those; of one key any, of several keys all"},
	{"last", 'n', "N", GROUP_RESULT, FACE_RUN, SETTING_COUNT, offsetof(struct ps, most), NULL, .max = INT64_MAX, .none = "0|-1", .words = "all", .help = "only so many sandboxes that stay, the newest, ended ones too"},
	{"latest", 'l', NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "ps --last 1 lists it"},
	{"size", 's', NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "glovebox usage NAME tells how much its files take"},
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

/* -- a row ----------------------------------------------------------------------------------- */

static void ps_add_json(const struct ps_row *r, struct buf *out)
{
	const bool exited = r->record && r->record->state == RECORD_EXITED;
	const enum record_state state =
		r->record && (ps_row_has_ended(r) || record_stands_still(r->record))
			? r->record->state
			: RECORD_RUNNING;

	json_put(out, "{name:%s, kind:%s", r->name, r->kind);
	r->pid ? json_put_uint(out, "pid", (uint64_t)r->pid) : json_put_null(out, "pid");
	json_put(out, "id:%s, image:%s, command:%s, state:%s", *r->entry->id ? r->entry->id : NULL,
		 *r->entry->image ? r->entry->image : NULL, r->entry->command,
		 record_state_name(state));
	exited ? json_put_int(out, "exit_code", record_exit_code(r->record))
	       : json_put_null(out, "exit_code");
	json_put_uint(out, "age_ms", r->age_ms);
	r->memory_bytes == UNKNOWN ? json_put_null(out, "memory_bytes")
				   : json_put_uint(out, "memory_bytes", r->memory_bytes);
	json_put_end(out, '}');
}

/* The number of the process, or how it ended. */
static void ps_print_pid(const struct ps_row *r)
{
	if (r->record && r->record->state == RECORD_EXITED)
		printf("exit %-3d ", record_exit_code(r->record));
	else if (r->pid)
		printf("%-8d ", (int)r->pid);
	else
		printf("%-8s ", r->record && ps_row_has_ended(r)
					? record_state_name(r->record->state)
					: "-");
}

static void ps_print_columns(const struct ps_row *r)
{
	char memory[LISTING_BYTES];

	say_column(stdout, LISTING_NAME_WIDTH, r->name);
	putchar(' ');
	say_column(stdout, 8, r->kind);
	putchar(' ');
	ps_print_pid(r);
	say_column(stdout, 20, *r->entry->image ? r->entry->image : "-");
	putchar(' ');
	listing_print_age(r->age_ms, 5);
	printf(" %-9s ", listing_bytes(r->memory_bytes, memory));
	say_line(stdout, r->entry->command);
	putchar('\n');
}

static void ps_print_heads(struct ps *p)
{
	if (invoked_as_docker() || p->docker.format)
		p->status |= ps_docker_heads(&p->docker);
	else
		printf("%-*s %-8s %-8s %-20s %-5s %-9s %s\n", LISTING_NAME_WIDTH, "NAME", "KIND",
		       "PID", "IMAGE", "AGE", "MEMORY", "COMMAND");
}

static void ps_print(struct ps *p, const struct ps_row *r)
{
	bool run = !strcmp(r->kind, REGISTRY_RUN);

	if (!ps_filter_passes(&p->filters, r) || p->count++ >= p->most)
		return;
	if (p->heads)
		ps_print_heads(p);
	p->heads = false;
	if (p->engine)
		ps_docker_put(r, &p->out);
	else if (p->json)
		ps_add_json(r, &p->out);
	else if (invoked_as_docker() && !run)
		return; /* to docker nothing else is a container */
	else if (p->quiet && invoked_as_docker())
		say_bytes(stdout, r->entry->id,
			  strnlen(r->entry->id, p->docker.whole ? 64 : PS_SHORT_ID)),
			putchar('\n');
	else if (p->quiet)
		say_line(stdout, r->name), putchar('\n');
	else if (invoked_as_docker() || p->docker.format)
		p->status |= ps_docker_print(&p->docker, r);
	else
		ps_print_columns(r);
}

/* -- all of them ----------------------------------------------------------------------------- */

/* A table of ours shows nothing of the record of what runs. */
static bool ps_looks_at_records(const struct ps *p)
{
	return p->json || p->filters.count || p->docker.format || invoked_as_docker();
}

static void ps_take_process(void *context, const struct registered *r)
{
	struct ps *p = context;
	uint64_t now = monotonic_us();
	uint64_t began = r->entry.started_us;
	auto_record struct record record = {.dir = -1};
	const struct ps_row row = {
		.name = r->name,
		.kind = *r->entry.kind ? r->entry.kind : REGISTRY_RUN,
		.pid = r->pid,
		.entry = &r->entry,
		.age_ms = began && began < now ? (now - began) / 1000 : 0,
		.memory_bytes = ps_memory(r),
		.record = ps_looks_at_records(p) && record_read_id(r->entry.id, &record) ? &record
											 : NULL};

	list_add(&p->seen, r->entry.id);
	if (*r->entry.supervisor) {
		list_add(&p->supervisors, r->entry.supervisor);
		list_add(&p->supervisors, r->name);
	}
	ps_print(p, &row);
}

/* The words of a command, as the registry joins them. Owned. */
static char *ps_join(const struct json *words)
{
	auto_buf struct buf text = {0};

	for (const struct json *w = words ? json_first(words) : NULL; w; w = json_next(w)) {
		buf_text(&text, text.length ? " " : "");
		buf_text(&text, json_string(w) ? json_string(w) : "");
	}
	return own_strdup(buf_string(&text));
}

static void ps_take_kept(void *context, const struct record *r)
{
	const uint64_t now_ms = clock_now_ms();
	const uint64_t made_ms = json_uint_at(r->what, "created_ms", now_ms);
	const char *image = json_string_at(r->what, "image");
	auto_free char *command = ps_join(json_get(r->what, "command"));
	const struct registry_entry entry = {
		.id = r->id, .image = image ? image : "", .command = command};
	const bool runs = record_runs(r);
	struct ps *p = context;
	const struct ps_row row = {.name = record_name(r),
				   .kind = REGISTRY_RUN,
				   .pid = runs && r->how ? (pid_t)json_uint_at(r->how, "pid", 0)
							 : 0,
				   .entry = &entry,
				   .age_ms = made_ms < now_ms ? now_ms - made_ms : 0,
				   .memory_bytes = UNKNOWN,
				   .record = r};

	/* A sandbox that runs and is not in our registry is of another login, or of none. */
	if (runs || p->docker.all)
		ps_print(p, &row);
}

static void ps_print_sessions(struct ps *p, const struct form_list *page, const char *face)
{
	const struct registry_entry entry = {.id = "", .image = "", .command = face ? face : ""};
	const struct session_entry *s = page->items;

	for (unsigned i = 0; i < page->count; i++) {
		const struct ps_row row = {.name = s[i].name,
					   .kind = "session",
					   .entry = &entry,
					   .age_ms = s[i].age_ms,
					   .memory_bytes =
						   s[i].memory_bytes ? s[i].memory_bytes : UNKNOWN};

		ps_print(p, &row);
	}
}

/* @where, @face  NULL: of the user's own supervisor. */
static int ps_take_sessions_of(struct ps *p, const char *where, const char *face, struct err *e)
{
	struct sessions_request request = {.name = "", .usage = true};
	struct op_answer answer;
	uint64_t before;
	unsigned pages = 0;

	do {
		if (client_ask_once(where, OP_SESSIONS, &request, &answer, e))
			return e->kind == ERR_NOT_FOUND ? 0 : -1; /* no supervisor, no sessions */
		ps_print_sessions(p, &answer.sessions.sessions, face);
		before = request.after;
		request.after = answer.sessions.after;
		op_answer_fini(&answer);
	} while (request.after > before && ++pages < PAGES_MOST);
	return 0;
}

/* A supervisor of a face may have just ended, or hang: the others are listed all the same. */
static int ps_take_sessions(struct ps *p, struct err *e)
{
	const struct list *l = &p->supervisors;
	struct err ignored;

	for (size_t i = 0; i + 1 < l->count; i += 2)
		(void)ps_take_sessions_of(p, l->items[i], l->items[i + 1], &ignored);
	return ps_take_sessions_of(p, NULL, NULL, e);
}

/* The Engine, and a number of the newest: what stays, whatever else runs. */
static int ps_take_all(struct ps *p, struct err *e)
{
	const bool kept_only = p->engine || p->most != SPEC_UNLIMITED;

	return (!kept_only && registry_each(ps_take_process, p, e)) ||
			       (!kept_only && !invoked_as_docker() && ps_take_sessions(p, e)) ||
			       record_each_but(&p->seen, ps_take_kept, p, e)
		       ? -1
		       : 0;
}

/* @template: of --format; owned; NULL: none. Returns the exit status. */
static int ps_prepare(struct ps *p, char **template)
{
	p->engine = p->docker.format && !strcmp(p->docker.format, "engine");
	p->docker.all |= ps_filter_wants_ended(&p->filters) || p->most != SPEC_UNLIMITED;
	p->heads = format_of_list(p->engine ? NULL : p->docker.format, template) && !p->quiet &&
		   !p->json && !p->engine;
	p->docker.format = *template;
	if (p->engine)
		json_put_begin(&p->out, NULL, '[');
	else if (p->json)
		json_put(&p->out, "{running:[");
	return ps_docker_check(&p->docker);
}

static int ps_run(struct ps *p, int argc, char **argv)
{
	auto_free char *template = NULL;
	struct err e;

	if (words_read(argc, argv, ps_settings, p, 0, 0, &e) < 0 ||
	    ps_filter_check(&p->filters, &e))
		return fail_with_help(&e, "ps");
	p->status = ps_prepare(p, &template);
	if (p->status)
		return p->status;
	if (ps_take_all(p, &e))
		return fail_with(&e);
	if (p->heads)
		ps_print_heads(p);
	if (p->engine || p->json)
		printf("%s]%s\n", buf_string(&p->out), p->engine ? "" : "}");
	return p->status;
}

int command_ps(int argc, char **argv)
{
	struct ps p = {.most = SPEC_UNLIMITED};
	const int status = ps_run(&p, argc, argv);

	buf_fini(&p.out);
	list_fini(&p.seen);
	list_fini(&p.supervisors);
	list_fini(&p.filters);
	return status;
}
