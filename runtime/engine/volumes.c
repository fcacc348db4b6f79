/*
 * volumes - the routes of /volumes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/routes.h"

void volumes_listed(struct request *r, const struct verb_result *result, void *data)
{
	auto_free char *list = answer_line(result);
	struct buf body = {0};

	(void)data;
	buf_printf(&body, "{\"Volumes\":%s,\"Warnings\":null}", list);
	answer_json(r, 200, &body);
}

/* `volume prune` prints a heading and the names. */
void volumes_pruned(struct request *r, const struct verb_result *result, void *data)
{
	auto_list struct list lines = {0};
	struct buf body = {0};

	(void)data;
	list_add_lines(&lines, buf_string(&result->output[0]));
	json_put(&body, "{VolumesDeleted:[");
	for (size_t i = 1; i < lines.count; i++)
		json_put_text(&body, NULL, lines.items[i]);
	json_put(&body, "], SpaceReclaimed:0}");
	answer_json(r, 200, &body);
}

/* -- create ---------------------------------------------------------------------------------- */

static void volumes_found(struct request *r, const struct verb_result *result, void *data)
{
	(void)data;
	answer_only(r, 201, &result->output[0]);
}

/* It prints the name: what the volume is, `inspect` says. */
static void volumes_created(struct request *r, const struct verb_result *result, void *data)
{
	auto_free char *name = answer_line(result);
	auto_list struct list words = {0};

	(void)data;
	reply_words(&words, "volume", "inspect", name);
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
