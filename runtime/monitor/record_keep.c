/*
 * record_keep - the record of a sandbox, as its monitor writes it.
 */
#include "monitor/record_keep.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "client/network.h"
#include "fs/state_dir.h"
#include "fs/state_file.h"
#include "loop/clock.h"
#include "monitor/messages.h"
#include "monitor/record_count.h"
#include "record/event.h"
#include "record/log.h"
#include "record/record_names.h"
#include "record/record_remove.h"
#include "spec/run_settings.h"

#define SHORT_ID 12

static void record_keep_put_words(const char *key, char *const *words, size_t count,
				  struct buf *out)
{
	json_put_begin(out, key, '[');
	for (size_t i = 0; i < count; i++)
		json_put_text(out, NULL, words[i]);
	json_put_end(out, ']');
}

/* The directories and volumes of the host that it shows. */
static void record_keep_put_mounts(const struct sandbox_spec *spec, struct buf *out)
{
	json_put_begin(out, "mounts", '[');
	for (size_t i = 0; i < spec->mount_count; i++) {
		const struct mount_spec *m = &spec->mounts[i];

		if (m->kind != MOUNT_BIND)
			continue;
		json_put_begin(out, NULL, '{');
		json_put_text(out, "name", m->volume);
		json_put_text(out, "source", m->source);
		json_put_text(out, "target", m->target);
		json_put_bool(out, "read_only", m->read_only);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

/* The members that only `inspect` reads. */
static void record_keep_put_program(const struct sandbox *s, struct buf *out)
{
	const struct sandbox_spec *spec = s->spec;
	auto_free char *user = own_printf("%u:%u", s->program.uid, s->program.gid);

	json_put_text(out, "image_id", s->image.config.id);
	json_put_text(out, "image_named", spec->image_named);
	json_put_text(out, "cpuset", spec->limits.cpuset);
	if (setting_given(run_settings, spec->given, "stop-timeout"))
		json_put_uint(out, "stop_timeout_ms", spec->stop_timeout_ms);
	json_put_text(out, "hostname", spec->hostname);
	json_put_text(out, "user", user);
	json_put_text(out, "workdir", s->program.workdir);
	json_put_bool(out, "interactive", spec->interactive);
	json_put_uint(out, "shm_bytes", spec->limits.shm_bytes);
	record_keep_put_words("variables", s->program.env.items, s->program.env.count, out);
}

static void record_keep_describe(const struct sandbox *s, const char *name,
				 const struct record_origin *origin, struct buf *out)
{
	const struct sandbox_spec *spec = s->spec;

	json_put_begin(out, NULL, '{');
	json_put_text(out, "id", s->id);
	json_put_text(out, "name", name);
	json_put_text(out, "image", spec->image);
	record_keep_put_words("command", s->program.argv.items, s->program.argv.count, out);
	json_put_uint(out, "created_ms", clock_now_ms());
	json_put_bool(out, "remove", spec->remove);
	json_put_bool(out, "tty", spec->tty);
	record_keep_put_program(s, out);
	form_write(&limits_form, "limits", &spec->limits, out);
	egress_put_list(&spec->egress, "egress", out);
	if (spec->writable)
		json_put_uint(out, "writable", spec->writable_bytes);
	record_keep_put_words("words", origin->words, (size_t)origin->count, out);
	json_put_text(out, "directory", origin->directory);
	json_put_bool(out, "docker", origin->docker);
	if (origin->labels)
		record_keep_put_words("labels", origin->labels->items, origin->labels->count, out);
	record_keep_put_mounts(spec, out);
	network_put_ports(spec->egress.published, spec->egress.published_count, "published", out);
	/* As they were: -e KEY copies a variable of that moment. */
	json_put_begin(out, "env", '[');
	for (size_t i = 0; i < spec->env_file.count; i++)
		json_put_text(out, NULL, spec->env_file.items[i]);
	for (size_t i = 0; i < spec->env.count; i++)
		json_put_text(out, NULL, spec->env.items[i]);
	json_put_end(out, ']');
	json_put_end(out, '}');
}

static int record_keep_replace_state(const struct record_kept *k, const struct buf *text,
				     struct err *e)
{
	return state_file_replace(k->dir, RECORD_HOW, text->data, text->length)
		       ? err_sys(e, "write the state of the sandbox")
		       : 0;
}

int record_put_update(int dir, const struct list *flags, const struct limits *limits, struct err *e)
{
	auto_buf struct buf text = {0};

	json_put_begin(&text, NULL, '{');
	list_put(flags, &text, "words");
	form_write(&limits_form, "limits", limits, &text);
	json_put_end(&text, '}');
	return state_file_replace(dir, RECORD_UPDATE, text.data, text.length)
		       ? err_sys(e, "write what is updated to the record of the sandbox")
		       : 0;
}

static void record_keep_begin_state(const struct record_kept *k, enum record_state state,
				    struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "state", record_state_name(state));
	json_put_int(out, "pid", getpid());
	json_put_uint(out, "started_ms", k->started_ms);
}

static int record_keep_mark(const struct record_kept *k, enum record_state state, struct err *e)
{
	auto_buf struct buf text = {0};

	json_put_begin(&text, NULL, '{');
	json_put_text(&text, "state", record_state_name(state));
	json_put_end(&text, '}');
	return record_keep_replace_state(k, &text, e);
}

/* The record does not change: each event of a program would read and parse it again. */
void record_tell(struct record_kept *k, const struct event *what)
{
	struct record r = {.dir = -1};

	if (!k->what)
		k->what = record_read_what(k->dir);
	if (!k->what)
		return;
	r.what = k->what;
	memcpy(r.id, k->id, sizeof(r.id));
	memcpy(r.name, k->name, sizeof(r.name));
	event_write(&r, what);
}

/* Its log is there from now on: a client that awaits the start may read on behind its removal. */
int record_created(const struct record_kept *k, struct err *e)
{
	struct log log;

	if (log_begin(&log, k->dir, UINT64_MAX, e))
		return -1;
	log_end(&log);
	return record_keep_mark(k, RECORD_CREATED, e);
}

static const char *record_keep_action(const struct record_kept *k, enum record_state state)
{
	if (!k->started_ms)
		return "start";
	if (state == k->state)
		return NULL;
	return state == RECORD_PAUSED       ? "pause"
	       : state == RECORD_HIBERNATED ? "hibernate"
					    : "unpause";
}

int record_running(struct record_kept *k, const struct sandbox *s, enum record_state state,
		   struct err *e)
{
	const struct event event = {.action = record_keep_action(k, state)};
	const uint64_t now_ms = clock_now_ms();
	auto_buf struct buf text = {0};
	int bad;

	if (!k->started_ms)
		k->started_ms = now_ms;
	if (event.action && state == RECORD_HIBERNATED)
		k->hibernated_ms = now_ms;
	k->state = state;
	record_keep_begin_state(k, state, &text);
	if (k->hibernated_ms)
		json_put_uint(&text, "hibernated_ms", k->hibernated_ms);
	network_put_ports(s->egress.published, s->egress.published_count, "ports", &text);
	json_put_end(&text, '}');
	bad = record_keep_replace_state(k, &text, e);
	if (event.action)
		record_tell(k, &event);
	return bad;
}

int record_ended(const struct record_kept *k, int exit_code, const struct buf *result,
		 const struct err *error, struct err *e)
{
	auto_buf struct buf text = {0};
	char why[sizeof(e->text)];
	struct err large;

	/* A list of files with long names: everybody who lists sandboxes reads it. */
	if (result && result->length > RECORD_BYTES) {
		err_set(&large, ERR_LIMIT, "its result is larger than %u KiB, and not kept",
			RECORD_BYTES >> 10);
		result = NULL;
		error = error ? error : &large;
	}
	record_keep_begin_state(k, RECORD_EXITED, &text);
	json_put_uint(&text, "ended_ms", clock_now_ms());
	json_put_int(&text, "exit_code", exit_code);
	json_put_text(&text, "error", error ? err_string(error, why, sizeof(why)) : NULL);
	json_put_key(&text, "result");
	if (result)
		buf_add(&text, result->data, result->length);
	else
		buf_text(&text, "null");
	json_put_end(&text, '}');
	return record_keep_replace_state(k, &text, e);
}

static int record_keep_fill(const struct sandbox *s, const struct record_origin *origin,
			    struct record_kept *k, struct err *e)
{
	auto_buf struct buf text = {0};

	if (record_check_words(origin->words, (size_t)origin->count, e))
		return -1;
	record_keep_describe(s, k->name, origin, &text);
	if (text.length > RECORD_BYTES)
		return err_input(e, "the command line and its variables are larger than %u KiB",
				 RECORD_BYTES >> 10);
	k->lock = state_file_open(k->dir, RECORD_WHAT, O_RDWR | O_CREAT | O_EXCL);
	if (k->lock < 0 || flock(k->lock, LOCK_EX | LOCK_NB) ||
	    io_write_all(k->lock, text.data, text.length))
		return err_sys(e, "write the record of the sandbox");
	return 0;
}

int record_keep(const struct sandbox *s, const struct record_origin *origin,
		struct record_kept *out, struct err *e)
{
	auto_fd int folder = state_dir_open(RECORD_FOLDER, true, e);
	struct err ignored;

	*out = record_kept_none();
	if (folder < 0)
		return -1;
	snprintf(out->id, sizeof(out->id), "%s", s->id);
	if (s->spec->name)
		snprintf(out->name, sizeof(out->name), "%s", s->spec->name);
	else
		snprintf(out->name, sizeof(out->name), "%.*s", SHORT_ID, s->id);
	if (record_count_check(folder, s->spec, e))
		return -1;
	if (mkdirat(folder, out->id, 0700))
		return err_sys(e, "make the directory of the sandbox");
	out->dir = openat(folder, out->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (out->dir < 0)
		(void)err_sys(e, "open the directory of the sandbox");
	/* The name comes last: a monitor that is killed here leaves nothing that takes it. */
	else if (!record_keep_fill(s, origin, out, e) &&
		 !record_names_take(out->name, out->id, e)) {
		record_tell(out, &(struct event){.action = "create"});
		return 0;
	}
	record_erase(out->id, out->name, &ignored);
	record_end_keeping(out);
	return -1;
}

int record_keep_again(const char *id, struct record_kept *out, struct err *e)
{
	auto_record struct record r = {.dir = -1};

	*out = record_kept_none();
	if (record_find(id, &r, e))
		return -1;
	out->again = true;
	out->lock = record_lock(&r);
	if (out->lock < 0 && errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "No such container: %.100s", record_name(&r));
	if (out->lock < 0)
		return errno == EWOULDBLOCK
			       ? err_set(e, ERR_BUSY, "%.100s runs already", record_name(&r))
			       : err_sys(e, "lock the record of %.100s", record_name(&r));
	record_read_name(&r); /* another process may have renamed it before the lock was taken */
	snprintf(out->id, sizeof(out->id), "%s", r.id);
	snprintf(out->name, sizeof(out->name), "%s", record_name(&r));
	/* A monitor that was killed has left them. */
	(void)unlinkat(r.dir, RECORD_SOCKET, 0);
	(void)unlinkat(r.dir, RECORD_NEW_LAYER, 0);
	out->dir = take_fd(&r.dir);
	return record_keep_mark(out, RECORD_STARTING, e);
}

void record_failed(struct record_kept *k, int exit_code, const struct err *error)
{
	struct err ignored;

	if (!k->what)
		k->what = record_read_what(k->dir);
	if (k->again && !(k->what && json_is_true(json_get(k->what, "remove"))))
		(void)record_ended(k, exit_code, NULL, error, &ignored);
	else
		record_discard(k);
}

void record_end_keeping(struct record_kept *k)
{
	json_free(k->what);
	k->what = NULL;
	own_close(&k->lock);
	own_close(&k->dir);
}

void record_discard(struct record_kept *k)
{
	auto_record struct record r = {.dir = -1};
	bool whole = record_read_id(k->id, &r);
	struct err ignored;

	record_erase(k->id, k->name, &ignored);
	record_end_keeping(k);
	if (whole)
		event_write(&r, &(struct event){.action = "destroy"});
}
