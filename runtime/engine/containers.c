/*
 * containers - the routes of /containers that one command answers.
 */
#include "engine/containers.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/attach.h"
#include "engine/create_words.h"
#include "engine/reply.h"
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
	const char *id = buf_string(&result->output[0]);
	auto_free char *first = own_strndup(id, strcspn(id, "\n"));
	struct buf body = {0};

	if (((const struct created *)data)->once)
		attach_mark_once(first);
	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "Id", first);
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
	if (create_words(body, name, platform, &words, &e)) {
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

/* @flag  NULL: none. */
static void containers_do(struct request *r, const struct record *found, const char *verb,
			  const char *flag)
{
	auto_list struct list words = {0};

	list_add(&words, verb);
	if (flag)
		list_add(&words, flag);
	list_add(&words, found->id);
	reply_run(r, &words, -1, NULL, NULL, NULL);
}

/* The container was there: its program is not, or cannot be executed. */
static bool containers_begin_nothing(struct request *r, const struct err *e, void *data)
{
	char text[sizeof(e->text) + 100];

	(void)data;
	if (e->kind != ERR_NOT_FOUND)
		return false;
	request_refuse(r, 400, "%s", err_string(e, text, sizeof(text)));
	return true;
}

void containers_start(struct request *r)
{
	auto_record struct record found = {.dir = -1};

	if (!answer_find(r, &found))
		return;
	if (record_runs(&found) && !record_stands_still(&found)) {
		answer_nothing(r, 304);
		return;
	}
	containers_do(r, &found, "start", NULL);
	reply_refuses(r, containers_begin_nothing);
}

/* ?t= as a flag; owned; NULL: the sandbox's own grace. A negative one waits for ever. */
static char *containers_grace(const struct request *r)
{
	auto_free char *seconds = query_text(request_query(r), "t");

	return !seconds || !*seconds ? NULL
				     : own_printf("--time=%s", *seconds == '-' ? "86400" : seconds);
}

void containers_stop(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_free char *grace = containers_grace(r);
	auto_free char *number = query_text(request_query(r), "signal");
	auto_list struct list words = {0};

	if (!answer_find(r, &found))
		return;
	if (!record_runs(&found)) {
		answer_nothing(r, 304);
		return;
	}
	list_add(&words, "stop");
	if (grace)
		list_add(&words, grace);
	if (number && *number)
		list_addf(&words, "--signal=%s", number);
	list_add(&words, found.id);
	reply_run(r, &words, -1, NULL, NULL, NULL);
}

void containers_restart(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_free char *grace = containers_grace(r);

	if (answer_find(r, &found))
		containers_do(r, &found, "restart", grace);
}

void containers_kill(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_free char *number = query_text(request_query(r), "signal");
	auto_free char *flag = number && *number ? own_printf("--signal=%s", number) : NULL;

	if (!answer_find(r, &found))
		return;
	if (!record_runs(&found))
		request_refuse(r, 409, "Cannot kill container: %s: container %s is not running",
			       r->segments[0], found.id);
	else
		containers_do(r, &found, "kill", flag);
}

static void containers_freeze(struct request *r, bool stands_still, const char *verb)
{
	auto_record struct record found = {.dir = -1};

	if (!answer_find(r, &found))
		return;
	if (!record_runs(&found))
		request_refuse(r, 409, "container %s is not running", found.id);
	else if (record_stands_still(&found) == stands_still)
		request_refuse(r, stands_still ? 409 : 500, "container %s is %s paused",
			       record_name(&found), stands_still ? "already" : "not");
	else
		containers_do(r, &found, verb, NULL);
}

void containers_pause(struct request *r)
{
	containers_freeze(r, true, "pause");
}

void containers_unpause(struct request *r)
{
	containers_freeze(r, false, "unpause");
}

void containers_rename(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_free char *name = query_text(request_query(r), "name");
	auto_list struct list words = {0};

	if (!answer_find(r, &found))
		return;
	if (!name || !*name) {
		request_refuse(r, 400, "name: a name is needed");
		return;
	}
	reply_words(&words, "rename", "--", found.id, *name == '/' ? name + 1 : name);
	reply_run(r, &words, -1, NULL, NULL, NULL);
}

static void containers_updated(struct request *r, const struct verb_result *result, void *data)
{
	struct buf body = {0};

	(void)result;
	(void)data;
	buf_text(&body, "{\"Warnings\":null}");
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

void containers_remove(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	const bool force = query_is_true(request_query(r), "force", false);

	if (!answer_find(r, &found))
		return;
	if (record_runs(&found) && !force)
		request_refuse(r, 409,
			       "cannot remove container \"/%s\": container is running: stop the "
			       "container before removing or force remove",
			       record_name(&found));
	else
		containers_do(r, &found, "rm", force ? "--force" : NULL);
}
