/*
 * containers - the routes of /containers that one command answers.
 */
#include "engine/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/create.h"
#include "engine/errand.h"
#include "engine/reply.h"
#include "engine/server.h"
#include "image/image.h"
#include "image/image_reference.h"
#include "web/query.h"

/* -- create ---------------------------------------------------------------------------------- */

struct created {
	char *image; /* owned */
	bool once;   /* its input ends with the client that is attached first */
};

static void containers_forget(void *data)
{
	free(((struct created *)data)->image);
	free(data);
}

/* It has printed the id, and on standard error what it wants to say. */
static void containers_created(struct request *r, const struct verb_result *result, void *data)
{
	auto_free char *id = answer_line(result);
	struct buf body = {0};

	if (((const struct created *)data)->once)
		attach_mark_once(id);
	json_put(&body, "{Id:%s", id);
	answer_put_lines("Warnings", &result->output[1], &body);
	json_put_end(&body, '}');
	answer_json(r, 201, &body);
}

/* Clients fetch an image by these words. */
static bool containers_lack_image(struct request *r, const struct err *e, void *data)
{
	const struct created *c = data;
	auto_free char *reference = NULL;
	struct image image;
	struct err missing = {.kind = ERR_NONE};
	char text[sizeof(e->text) + 100];

	if (e->kind == ERR_NOT_FOUND && !image_reference(c->image, &reference, &missing) &&
	    !image_open(reference, &image, &missing))
		image_close(&image);
	if (missing.kind != ERR_NOT_FOUND)
		return false;
	request_refuse(r, 404, "No such image: %s: %s", c->image,
		       err_string(e, text, sizeof(text)));
	return true;
}

void containers_create(struct request *r)
{
	auto_json struct json *body = answer_body(r);
	auto_free char *name = query_text(request_query(r), "name");
	auto_free char *platform = query_text(request_query(r), "platform");
	auto_list struct list words = {0};
	struct created *created;
	struct err e = {0};

	if (!body)
		return;
	if (create_words(body, name, platform, &r->server->network, &words, &e)) {
		answer_error(r, &e);
		return;
	}
	created = own_zeroed(1, sizeof(*created));
	created->image = own_strdup(answer_member_text(body, "Image"));
	created->once = answer_member_is_true(body, "StdinOnce");
	reply_run(r, &words, -1, containers_created, created, containers_forget);
	reply_refuses(r, containers_lack_image);
}

/* -- life ------------------------------------------------------------------------------------ */

bool containers_run(struct request *r, const struct record *found)
{
	const bool runs = record_runs(found) && !record_stands_still(found);

	if (runs)
		answer_nothing(r, 304);
	return runs;
}

bool containers_have_ended(struct request *r, const struct record *found)
{
	const bool ended = !record_runs(found);

	if (ended)
		answer_nothing(r, 304);
	return ended;
}

static bool containers_freeze(struct request *r, const struct record *found, bool stands_still)
{
	if (!record_runs(found))
		request_refuse(r, 409, "container %s is not running", found->id);
	else if (record_stands_still(found) == stands_still)
		request_refuse(r, stands_still ? 409 : 500, "container %s is %s paused",
			       record_name(found), stands_still ? "already" : "not");
	else
		return false;
	return true;
}

bool containers_pause(struct request *r, const struct record *found)
{
	return containers_freeze(r, found, true);
}

bool containers_unpause(struct request *r, const struct record *found)
{
	return containers_freeze(r, found, false);
}

static void containers_updated(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)result;
	(void)data;
	json_put(&body, "{Warnings:null}");
	answer_json(r, 200, &body);
}

void containers_update(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_json struct json *body = answer_body(r);
	auto_list struct list words = {0};
	struct err e = {0};

	if (!body || !answer_find(r, &found))
		return;
	if (create_words_of_update(body, &words, &e)) {
		answer_error(r, &e);
		return;
	}
	if (words.count == 1) {
		containers_updated(r, NULL, NULL);
		return;
	}
	list_add(&words, found.id);
	reply_run(r, &words, -1, containers_updated, NULL, NULL);
}

/* -- what is kept ---------------------------------------------------------------------------- */

void containers_commit(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_free char *container = query_text(request_query(r), "container");
	auto_free char *reference = errand_reference(r);
	auto_list struct list words = {0};
	struct err e;

	if (!*reference || *reference == ':') {
		request_refuse(r, 400, "repo: an image has a name here");
		return;
	}
	if (!container || record_find(container, &found, &e)) {
		request_refuse(r, 404, "No such container: %s", container ? container : "");
		return;
	}
	reply_words(&words, "commit", "--", found.id, reference);
	reply_run(r, &words, -1, answer_id, NULL, NULL);
}

/* A filter that is not kept to would remove what is to stay. */
bool containers_filtered(struct request *r, const struct record *found)
{
	auto_free char *filters = query_text(request_query(r), "filters");

	(void)found;
	if (!filters || !*filters || !strcmp(filters, "{}"))
		return false;
	request_refuse(r, 400, "invalid filter: container prune has none here");
	return true;
}

/* `container prune` prints the ids. */
void containers_pruned(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)data;
	json_put_begin(&body, NULL, '{');
	answer_put_lines("ContainersDeleted", &result->output[0], &body);
	json_put(&body, "SpaceReclaimed:0}");
	answer_json(r, 200, &body);
}
