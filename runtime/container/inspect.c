/*
 * inspect - a sandbox that stays in docker's fields.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "base/list.h"
#include "base/own.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/format.h"
#include "cli/inspected.h"
#include "cli/run.h"
#include "cli/words.h"
#include "container/ports.h"
#include "loop/clock.h"
#include "monitor/messages.h"
#include "monitor/program_ask.h"
#include "record/record.h"
#include "record/record_put.h"
#include "spec/egress_finish.h"
#include "spec/limits_check.h"

/* -- inspect --------------------------------------------------------------------------------- */

static uint64_t inspect_ms(const struct json *of, const char *key)
{
	return of ? json_uint_at(of, key, 0) : 0;
}

/* RFC 3339; a moment that has not been is docker's year 1. */
static const char *inspect_time(uint64_t ms, char out[CLOCK_UTC_SIZE])
{
	if (!ms)
		return "0001-01-01T00:00:00Z";
	clock_utc_ms_at(ms, out);
	return out;
}

/* docker's words: a sandbox that was lost is dead. */
static const char *inspect_status(const struct record *r)
{
	switch (r->state) {
	case RECORD_CREATED:
	case RECORD_STARTING:
		return "created";
	case RECORD_RUNNING:
		return "running";
	case RECORD_PAUSED:
	case RECORD_HIBERNATED:
		return "paused";
	case RECORD_EXITED:
		return "exited";
	case RECORD_LOST:
		return "dead";
	}
	return "";
}

static bool inspect_oom_killed(const struct record *r)
{
	const struct json *result = r->how ? json_get(r->how, "result") : NULL;

	return result && json_is_true(json_get(result, "oom_killed"));
}

/* docker's: that of a lost one is a kill's. */
static int inspect_exit_code(const struct record *r)
{
	return r->state == RECORD_LOST ? 137 : r->state == RECORD_EXITED ? record_exit_code(r) : 0;
}

static void inspect_add_state(const struct record *r, struct buf *out)
{
	char began[CLOCK_UTC_SIZE];
	char ended[CLOCK_UTC_SIZE];
	char hibernated[CLOCK_UTC_SIZE];

	json_put_begin(out, "State", '{');
	json_put_text(out, "Status", inspect_status(r));
	json_put_bool(out, "Running", record_runs(r));
	json_put_bool(out, "Paused", record_stands_still(r));
	json_put_bool(out, "Hibernated", r->state == RECORD_HIBERNATED);
	json_put_bool(out, "Restarting", false);
	json_put_bool(out, "OOMKilled", inspect_oom_killed(r));
	json_put_bool(out, "Dead", r->state == RECORD_LOST);
	json_put_uint(out, "Pid", record_runs(r) && r->how ? json_uint_at(r->how, "pid", 0) : 0);
	json_put_int(out, "ExitCode", inspect_exit_code(r));
	json_put_text(out, "Error", json_text_at(r->how, "error"));
	json_put_text(out, "StartedAt", inspect_time(inspect_ms(r->how, "started_ms"), began));
	json_put_text(out, "FinishedAt", inspect_time(inspect_ms(r->how, "ended_ms"), ended));
	json_put_text(out, "HibernatedAt",
		      inspect_time(inspect_ms(r->how, "hibernated_ms"), hibernated));
	json_put_end(out, '}');
}

static void inspect_add_command(const struct record *r, struct buf *out)
{
	const struct json *words = json_get(r->what, "command");
	const struct json *first = words ? json_first(words) : NULL;

	json_put_text(out, "Path", first ? json_string(first) : "");
	json_put_begin(out, "Args", '[');
	for (const struct json *w = first ? json_next(first) : NULL; w; w = json_next(w))
		json_put_text(out, NULL, json_string(w));
	json_put_end(out, ']');
}

static uint64_t inspect_limit(uint64_t limit)
{
	return limit == SPEC_UNLIMITED ? 0 : limit;
}

/* A record of an earlier version has none, and one that somebody has changed may have any. */
static struct limits inspect_limits(const struct record *r)
{
	const struct limits none = {.memory_bytes = SPEC_UNLIMITED, .cpu_quota_us = SPEC_UNLIMITED};
	auto_json struct json *update = record_update(r);
	const struct json *document = json_get(update ? update : r->what, "limits");
	struct limits out;
	struct err ignored;

	return document && !form_read(&limits_form, document, NULL, &out, &ignored) &&
			       !limits_check(&out, &ignored)
		       ? out
		       : none;
}

static int64_t inspect_swap(const struct limits *l)
{
	if (l->memory_bytes == SPEC_UNLIMITED)
		return 0;
	return l->swap_bytes == SPEC_UNLIMITED ? -1 : (int64_t)(l->memory_bytes + l->swap_bytes);
}

static void inspect_add_binds(const struct record *r, struct buf *out)
{
	const struct json *mounts = json_get(r->what, "mounts");

	json_put_begin(out, "Binds", '[');
	for (const struct json *m = mounts ? json_first(mounts) : NULL; m; m = json_next(m)) {
		const char *name = json_string_at(m, "name");
		auto_free char *bind =
			own_printf("%s:%s:%s", name ? name : json_text_at(m, "source"),
				   json_text_at(m, "target"),
				   json_is_true(json_get(m, "read_only")) ? "ro" : "rw");

		json_put_text(out, NULL, bind);
	}
	json_put_end(out, ']');
}

/* Members that are the same for every sandbox, or follow from its command line. */
static void inspect_add_host(const struct record *r, struct buf *out)
{
	inspect_add_binds(r, out);
	json_put_bool(out, "AutoRemove", json_is_true(json_get(r->what, "remove")));
	json_put_bool(out, "ReadonlyRootfs", !json_get(r->what, "writable"));
	json_put_bool(out, "Privileged", false);
	json_put_text(out, "NetworkMode", json_get(r->what, "egress") ? "default" : "none");
	json_put_text(out, "CpusetCpus", json_text_at(r->what, "cpuset"));
	json_put_uint(out, "ShmSize", json_uint_at(r->what, "shm_bytes", 0));
	json_put_bool(out, "Init", true);
	json_put(out,
		 "CgroupnsMode:'private', Isolation:'', LogConfig:{Type:'json-file', Config:{}}, "
		 "RestartPolicy:{Name:'no', MaximumRetryCount:0}");
}

/* In docker's names and units; 0: none. */
static void inspect_add_limits(const struct record *r, struct buf *out)
{
	const struct limits l = inspect_limits(r);
	const uint64_t quota_us = inspect_limit(l.cpu_quota_us);

	json_put_begin(out, "HostConfig", '{');
	json_put_uint(out, "Memory", inspect_limit(l.memory_bytes));
	json_put_int(out, "MemorySwap", inspect_swap(&l));
	json_put_uint(out, "NanoCpus", quota_us ? quota_us * 1000000 / l.cpu_period_us * 1000 : 0);
	json_put_uint(out, "CpuPeriod", l.cpu_period_us);
	json_put_uint(out, "CpuQuota", quota_us);
	json_put_uint(out, "PidsLimit", inspect_limit(l.pids));
	json_put_uint(out, "TimeoutMs", inspect_limit(l.wall_time_ms));
	json_put_uint(out, "IdleTimeoutMs", inspect_limit(l.idle_ms));
	ports_put_bindings(r, out);
	inspect_add_host(r, out);
	json_put_end(out, '}');
}

static bool inspect_has_list(const struct list *flags)
{
	for (size_t i = 0; i < flags->count; i++) {
		if (!strncmp(flags->items[i], "--egress=", 9))
			return true;
	}
	return false;
}

/* The list of hosts: of an update, or that of its start; null: it has none, or is an old record. */
static void inspect_add_list(const struct record *r, struct buf *out)
{
	const struct json *first = json_get(r->what, "egress");
	auto_list struct list flags = {0};
	struct sandbox_spec spec;
	struct err ignored;

	spec_init(&spec);
	if (!update_flags(r, &flags, &ignored) && inspect_has_list(&flags) &&
	    !update_apply(&flags, &spec, &ignored) && !egress_finish(&spec, &ignored)) {
		egress_put_list(&spec.egress, "Egress", out);
	} else {
		json_put(out, "Egress:%p", (const void *)first);
	}
	spec_fini(&spec);
}

struct inspect_programs {
	const char *name; /* of the sandbox */
	struct buf ids;
	struct buf programs;
};

static void inspect_add_program(void *context, const struct program_entry *p)
{
	struct inspect_programs *all = context;
	auto_free char *id = own_printf("%s/%llu", all->name, (unsigned long long)p->exec);
	struct buf *out = &all->programs;
	char began[CLOCK_UTC_SIZE];
	char ended[CLOCK_UTC_SIZE];

	json_put_text(&all->ids, NULL, id);
	json_put_begin(out, NULL, '{');
	json_put_uint(out, "Number", p->exec);
	json_put_text(out, "Command", p->command);
	json_put_bool(out, "Kept", p->kept);
	json_put_bool(out, "Tty", p->tty);
	json_put_text(out, "Status", p->ended ? "exited" : "running");
	json_put_int(out, "ExitCode", p->ended ? process_exit_code((int)p->status) : 0);
	json_put_text(out, "StartedAt", inspect_time(p->started_ms, began));
	json_put_text(out, "FinishedAt", inspect_time(p->ended_ms, ended));
	json_put_end(out, '}');
}

/* The monitor knows them; null: it does not answer. docker has null for no list as well. */
static void inspect_add_programs(const struct record *r, struct buf *out)
{
	struct inspect_programs all = {.name = record_name(r)};
	struct err ignored;
	bool known = true;

	json_put_begin(&all.ids, NULL, '[');
	json_put_begin(&all.programs, NULL, '[');
	if (record_runs(r))
		known = !program_each(r, inspect_add_program, &all, &ignored);
	json_put_end(&all.ids, ']');
	json_put_end(&all.programs, ']');
	json_put_key(out, "ExecIDs");
	buf_text(out, known && all.ids.length > 2 ? buf_string(&all.ids) : "null");
	json_put_key(out, "Programs");
	buf_text(out, known ? buf_string(&all.programs) : "null");
	buf_fini(&all.ids);
	buf_fini(&all.programs);
}

static void inspect_add_kept(const struct record *r, const char *key, const char *member,
			     struct buf *out)
{
	const struct json *value = json_get(r->what, member);

	json_put_key(out, key);
	if (value)
		json_write(value, out);
	else
		buf_text(out, "[]");
}

/* The program as it was made. A record of an earlier version lacks some of it. */
static void inspect_add_config(const struct record *r, struct buf *out)
{
	const bool interactive = json_is_true(json_get(r->what, "interactive"));

	json_put_begin(out, "Config", '{');
	json_put_text(out, "Hostname", json_text_at(r->what, "hostname"));
	json_put_text(out, "User", json_text_at(r->what, "user"));
	json_put_bool(out, "AttachStdin", interactive);
	json_put_bool(out, "AttachStdout", true);
	json_put_bool(out, "AttachStderr", true);
	json_put_bool(out, "Tty", json_is_true(json_get(r->what, "tty")));
	json_put_bool(out, "OpenStdin", interactive);
	json_put_bool(out, "StdinOnce", false);
	inspect_add_kept(r, "Env", "variables", out);
	inspect_add_kept(r, "Cmd", "command", out);
	json_put_text(out, "Image", record_image(r));
	if (json_get(r->what, "stop_timeout_ms"))
		json_put_uint(out, "StopTimeout",
			      json_uint_at(r->what, "stop_timeout_ms", 0) / 1000);
	json_put_text(out, "WorkingDir", json_text_at(r->what, "workdir"));
	json_put_null(out, "Entrypoint"); /* its words are those of Cmd */
	record_put_labels(r, out);
	json_put_end(out, '}');
}

static void inspect_add(const struct record *r, struct buf *out)
{
	auto_free char *name = own_printf("/%s", record_name(r));
	const struct json *result = r->how ? json_get(r->how, "result") : NULL;
	char created[CLOCK_UTC_SIZE];

	json_put_begin(out, NULL, '{');
	json_put_text(out, "Id", r->id);
	json_put_text(out, "Created", inspect_time(inspect_ms(r->what, "created_ms"), created));
	inspect_add_command(r, out);
	inspect_add_state(r, out);
	json_put_text(out, "Image",
		      *json_text_at(r->what, "image_id") ? json_text_at(r->what, "image_id")
							 : json_text_at(r->what, "image"));
	inspect_add_config(r, out);
	json_put_text(out, "Name", name);
	json_put_uint(out, "RestartCount", 0);
	json_put_text(out, "Driver", "glovebox");
	json_put_text(out, "Platform", "linux");
	inspect_add_limits(r, out);
	record_put_mounts(r, out);
	ports_put_network(r, out);
	inspect_add_list(r, out);
	inspect_add_programs(r, out);
	json_put(out, "Result:%p}", (const void *)result); /* what run --json prints */
}

int inspect_sandbox(const char *word, const char *template, struct buf *out, struct err *e)
{
	auto_record struct record r = {.dir = -1};
	auto_buf struct buf text = {0};

	if (record_find(word, &r, e))
		return -1;
	inspect_add(&r, template ? &text : out);
	return template ? format_print_document(template, &text, e) : 0;
}
