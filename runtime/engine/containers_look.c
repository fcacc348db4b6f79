/*
 * containers_look - the routes of /containers that tell what is in one, and what is kept of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/containers.h"
#include "engine/filters.h"
#include "engine/reply.h"
#include "web/query.h"

/* -- inspect --------------------------------------------------------------------------------- */

static void containers_look_inspected(struct request *r, const struct verb_result *result,
				      void *data)
{
	(void)data;
	answer_only(r, 200, &result->output[0]);
}

void containers_inspect(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_list struct list words = {0};

	if (!answer_find(r, &found))
		return;
	reply_words(&words, "inspect", "--type=container", found.id);
	reply_run(r, &words, -1, containers_look_inspected, NULL, NULL);
}

/* -- what is in one -------------------------------------------------------------------------- */

/* Words of a line, up to `most`: the last one has the rest. */
static void containers_look_put_row(const char *line, size_t length, unsigned most, struct buf *out)
{
	const char *end = line + length;

	json_put_begin(out, NULL, '[');
	for (unsigned i = 0; line < end; i++) {
		const char *from = line + strspn(line, " ");
		size_t n = strcspn(from, " \n");

		if (from >= end)
			break;
		if (i + 1 == most)
			n = (size_t)(end - from);
		while (n && from[n - 1] == ' ')
			n--;
		json_put_bytes(out, NULL, from, n);
		line = from + n;
	}
	json_put_end(out, ']');
}

static unsigned containers_look_count_words(const char *line)
{
	unsigned count = 0;

	while (*(line += strspn(line, " ")) && *line != '\n') {
		line += strcspn(line, " \n");
		count++;
	}
	return count;
}

/* A table: the first line has the titles. */
static void containers_look_topped(struct request *r, const struct verb_result *result, void *data)
{
	const char *at = buf_string(&result->output[0]);
	const unsigned columns = containers_look_count_words(at);
	size_t length = strcspn(at, "\n");
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '{');
	json_put_key(&body, "Titles");
	containers_look_put_row(at, length, columns, &body);
	json_put_begin(&body, "Processes", '[');
	for (at += length + (at[length] == '\n'); *at; at += length + (at[length] == '\n')) {
		length = strcspn(at, "\n");
		containers_look_put_row(at, length, columns, &body);
	}
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	answer_json(r, 200, &body);
}

void containers_top(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_list struct list words = {0};

	if (!answer_find(r, &found))
		return;
	reply_words(&words, "top", found.id);
	reply_run(r, &words, -1, containers_look_topped, NULL, NULL);
}

/* "C /path": changed, added, deleted are 0, 1, 2. */
static void containers_look_changed(struct request *r, const struct verb_result *result, void *data)
{
	auto_list struct list lines = {0};
	struct buf body = {0};

	(void)data;
	list_add_lines(&lines, buf_string(&result->output[0]));
	json_put_begin(&body, NULL, '[');
	for (size_t i = 0; i < lines.count; i++) {
		const char *line = lines.items[i];

		if (strlen(line) < 3)
			continue;
		json_put_begin(&body, NULL, '{');
		json_put_uint(&body, "Kind", *line == 'A' ? 1 : *line == 'D' ? 2 : 0);
		json_put_text(&body, "Path", line + 2);
		json_put_end(&body, '}');
	}
	json_put_end(&body, ']');
	answer_json(r, 200, &body);
}

void containers_changes(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_list struct list words = {0};

	if (!answer_find(r, &found))
		return;
	reply_words(&words, "diff", found.id);
	reply_run(r, &words, -1, containers_look_changed, NULL, NULL);
}

static void containers_look_committed(struct request *r, const struct verb_result *result,
				      void *data)
{
	const char *id = buf_string(&result->output[0]);
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '{');
	json_put_bytes(&body, "Id", id, strcspn(id, "\n"));
	json_put_end(&body, '}');
	answer_json(r, 201, &body);
}

void containers_commit(struct request *r)
{
	const char *query = request_query(r);
	auto_record struct record found = {.dir = -1};
	auto_free char *container = query_text(query, "container");
	auto_free char *repository = query_text(query, "repo");
	auto_free char *tag = query_text(query, "tag");
	auto_list struct list words = {0};
	struct err e;

	if (!repository || !*repository) {
		request_refuse(r, 400, "repo: an image has a name here");
		return;
	}
	if (!container || record_find(container, &found, &e)) {
		request_refuse(r, 404, "No such container: %s", container ? container : "");
		return;
	}
	reply_words(&words, "commit", "--", found.id);
	list_addf(&words, "%s%s%s", repository, tag && *tag ? ":" : "", tag ? tag : "");
	reply_run(r, &words, -1, containers_look_committed, NULL, NULL);
}

/* `container prune` prints the ids. */
static void containers_look_pruned(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '{');
	answer_put_lines("ContainersDeleted", &result->output[0], &body);
	json_put_uint(&body, "SpaceReclaimed", 0);
	json_put_end(&body, '}');
	answer_json(r, 200, &body);
}

void containers_prune(struct request *r)
{
	auto_list struct list words = {0};
	auto_list struct list filters = {0};
	struct err e;

	/* A filter that is not kept to would remove what is to stay. */
	if (filters_words(request_query(r), &filters, &e))
		answer_error(r, &e);
	else if (filters.count)
		request_refuse(r, 400, "invalid filter: container prune has none here");
	else {
		reply_words(&words, "container", "prune", "--force");
		reply_run(r, &words, -1, containers_look_pruned, NULL, NULL);
	}
}
