/*
 * volumes - the routes of /volumes.
 */
#include "engine/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/filters.h"
#include "engine/reply.h"
#include "web/query.h"

/* A command's text without the end of its last line. */
static void volumes_put_text(const struct verb_result *result, struct buf *out)
{
	const char *text = buf_string(&result->output[0]);

	buf_add(out, text, strcspn(text, "\n"));
}

static void volumes_listed(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '{');
	json_put_key(&body, "Volumes");
	volumes_put_text(result, &body);
	json_put_null(&body, "Warnings");
	json_put_end(&body, '}');
	answer_json(r, 200, &body);
}

void volumes_list(struct request *r)
{
	auto_list struct list words = {0};
	struct err e;

	reply_words(&words, "volume", "ls", "--json");
	if (filters_words(request_query(r), &words, &e))
		answer_error(r, &e);
	else
		reply_run(r, &words, -1, volumes_listed, NULL, NULL);
}

/* -- one ------------------------------------------------------------------------------------- */

static void volumes_inspected(struct request *r, const struct verb_result *result, void *data)
{
	(void)data;
	answer_only(r, 200, &result->output[0]);
}

static void volumes_found(struct request *r, const struct verb_result *result, void *data)
{
	(void)data;
	answer_only(r, 201, &result->output[0]);
}

/* A name that begins with a dash would be a flag. */
static bool volumes_is_name(struct request *r, const char *name)
{
	if (*name && *name != '-')
		return true;
	request_refuse(r, 404, "get %s: no such volume", name);
	return false;
}

void volumes_inspect(struct request *r)
{
	auto_list struct list words = {0};

	if (!volumes_is_name(r, r->segments[0]))
		return;
	reply_words(&words, "volume", "inspect", r->segments[0]);
	reply_run(r, &words, -1, volumes_inspected, NULL, NULL);
}

/* It prints the name: what the volume is, `inspect` says. */
static void volumes_created(struct request *r, const struct verb_result *result, void *data)
{
	auto_buf struct buf name = {0};
	auto_list struct list words = {0};

	(void)data;
	volumes_put_text(result, &name);
	reply_words(&words, "volume", "inspect", buf_string(&name));
	reply_run(r, &words, -1, volumes_found, NULL, NULL);
}

/* An object of texts as --FLAG=KEY=VALUE for each. */
static bool volumes_add_pairs(struct request *r, const struct json *object, const char *flag,
			      struct list *words)
{
	for (const struct json *m = object ? json_first(object) : NULL; m; m = json_next(m)) {
		if (!json_key(m) || !json_string(m)) {
			request_refuse(r, 400, "%s: an object of texts is needed", flag);
			return false;
		}
		list_addf(words, "--%s=%s=%s", flag, json_key(m), json_string(m));
	}
	return true;
}

void volumes_create(struct request *r)
{
	auto_json struct json *body = answer_body(r);
	const char *name = body ? answer_member_text(body, "Name") : "";
	const char *driver = body ? answer_member_text(body, "Driver") : "";
	auto_list struct list words = {0};

	if (!body)
		return;
	if (answer_member(body, "ClusterVolumeSpec")) {
		request_refuse(r, 400, "ClusterVolumeSpec: there is one machine here");
		return;
	}
	reply_words(&words, "volume", "create");
	if (*driver)
		list_addf(&words, "--driver=%s", driver);
	if (!volumes_add_pairs(r, answer_member(body, "Labels"), "label", &words) ||
	    !volumes_add_pairs(r, answer_member(body, "DriverOpts"), "opt", &words))
		return;
	if (*name == '-') {
		request_refuse(r, 400, "create %s: a name begins with a letter or a digit", name);
		return;
	}
	if (*name)
		list_add(&words, name);
	reply_run(r, &words, -1, volumes_created, NULL, NULL);
}

/* -- removal --------------------------------------------------------------------------------- */

void volumes_remove(struct request *r)
{
	auto_list struct list words = {0};

	if (!volumes_is_name(r, r->segments[0]))
		return;
	reply_words(&words, "volume", "rm");
	if (query_is_true(request_query(r), "force", false))
		list_add(&words, "--force");
	list_add(&words, r->segments[0]);
	reply_run(r, &words, -1, NULL, NULL, NULL);
}

/* `volume prune` prints a heading and the names. */
static void volumes_pruned(struct request *r, const struct verb_result *result, void *data)
{
	auto_list struct list lines = {0};
	struct buf body = {0};

	(void)data;
	list_add_lines(&lines, buf_string(&result->output[0]));
	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "VolumesDeleted", '[');
	for (size_t i = 0; i < lines.count; i++) {
		const char *line = lines.items[i];

		if (*line && line[strlen(line) - 1] != ':')
			json_put_text(&body, NULL, line);
	}
	json_put_end(&body, ']');
	json_put_uint(&body, "SpaceReclaimed", 0);
	json_put_end(&body, '}');
	answer_json(r, 200, &body);
}

void volumes_prune(struct request *r)
{
	static const char all[] = "--filter=all=";
	auto_list struct list filters = {0};
	auto_list struct list words = {0};
	struct err e;

	if (filters_words(request_query(r), &filters, &e)) {
		answer_error(r, &e);
		return;
	}
	reply_words(&words, "volume", "prune", "--force");
	for (size_t i = 0; i < filters.count; i++) {
		const char *filter = filters.items[i];

		if (strncmp(filter, all, sizeof(all) - 1) != 0)
			list_add(&words, filter);
		else
			list_addf(&words, "--all=%s", filter + sizeof(all) - 1);
	}
	reply_run(r, &words, -1, volumes_pruned, NULL, NULL);
}
