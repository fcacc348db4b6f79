/*
 * attach - POST /containers/X/attach, GET /containers/X/logs, and what else a client follows.
 */
#include "engine/routes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "engine/answer.h"
#include "engine/reply.h"
#include "engine/streaming.h"
#include "fs/state_file.h"
#include "web/query.h"

static bool attach_has_tty(const struct record *r)
{
	return json_is_true(json_get(r->what, "tty"));
}

static void attach_add_flag(const struct request *r, const char *name, const char *flag,
			    struct list *words)
{
	auto_free char *value = query_text(request_query(r), name);

	/* Clients send 0 for "no bound". */
	if (value && *value && strcmp(value, "0") != 0)
		list_addf(words, "--%s=%s", flag, value);
}

/* ?tail= counts lines; any other word than a number means all, as with Docker. */
static void attach_add_tail(const struct request *r, struct list *words)
{
	auto_free char *tail = query_text(request_query(r), "tail");

	if (tail && *tail && !tail[strspn(tail, "0123456789")])
		list_addf(words, "--tail=%s", tail);
}

/* @upgrades  of an attach that wants the logs alone. */
static void attach_logs_of(struct request *r, const struct record *found, bool upgrades)
{
	const char *query = request_query(r);
	const struct streaming_wish wish = {.framed = !attach_has_tty(found),
					    .waits = true,
					    .upgrades = upgrades,
					    .out = query_is_true(query, "stdout", false),
					    .errors = query_is_true(query, "stderr", false)};
	auto_list struct list words = {0};

	if (!wish.out && !wish.errors) {
		request_refuse(r, 400, "Bad parameters: you must choose at least one stream");
		return;
	}
	list_add(&words, "logs");
	if (!upgrades && query_is_true(query, "follow", false))
		list_add(&words, "--follow");
	if (query_is_true(query, "timestamps", false))
		list_add(&words, "--timestamps");
	attach_add_tail(r, &words);
	attach_add_flag(r, "since", "since", &words);
	attach_add_flag(r, "until", "until", &words);
	list_add(&words, found->id);
	streaming_run(r, &words, &wish);
}

void attach_logs(struct request *r)
{
	auto_record struct record found = {.dir = -1};

	if (answer_find(r, &found))
		attach_logs_of(r, &found, false);
}

#define ONCE "stdin_once"

void attach_mark_once(const char *id)
{
	auto_record struct record r = {.dir = -1};
	const bool found = record_read_id(id, &r);
	auto_fd int fd = found ? state_file_open(r.dir, ONCE, O_WRONLY | O_CREAT) : -1;

	(void)fd;
}

static bool attach_is_once(const struct record *r)
{
	auto_fd int fd = state_file_open(r->dir, ONCE, O_RDONLY);

	return fd >= 0;
}

void attach_attach(struct request *r)
{
	const char *query = request_query(r);
	auto_record struct record found = {.dir = -1};
	const bool logs = query_is_true(query, "logs", false);
	struct streaming_wish wish;
	auto_list struct list words = {0};

	if (!answer_find(r, &found))
		return;
	if (!query_is_true(query, "stream", false)) {
		attach_logs_of(r, &found, true);
		return;
	}
	if (record_stands_still(&found)) {
		request_refuse(r, 409,
			       "container %s is paused: unpause the container before attach",
			       found.id);
		return;
	}
	wish = (struct streaming_wish){.framed = !attach_has_tty(&found),
				       .out = query_is_true(query, "stdout", false),
				       .errors = query_is_true(query, "stderr", false),
				       .input = query_is_true(query, "stdin", false),
				       .upgrades = true,
				       .waits = true,
				       .terminal = attach_has_tty(&found)};
	memcpy(wish.key, found.id, sizeof(wish.key));
	reply_words(&words, "attach", "--await");
	if (logs)
		list_add(&words, "--logs");
	if (!wish.input)
		list_add(&words, "--no-stdin");
	else if (attach_is_once(&found))
		list_add(&words, "--stdin-once");
	list_add(&words, found.id);
	streaming_run(r, &words, &wish);
}

void attach_resize(struct request *r)
{
	auto_record struct record found = {.dir = -1};

	if (answer_find(r, &found))
		streaming_resize(r, found.id);
}
