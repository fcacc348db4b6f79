/*
 * create - the body of a create as words of `docker create`.
 */
#include "engine/create.h"

#include <string.h>

#include "base/own.h"
#include "engine/answer.h"

int create_wrong(const struct create_words *w, const struct create_field *f, const char *type)
{
	return err_input(w->e, "%s must be %s", f->member, type);
}

int create_each(const struct create_words *w, const struct create_field *f,
		const struct json *value, const char *type,
		int (*one)(const struct create_words *w, const struct create_field *f,
			   const struct json *item))
{
	if (!json_is_array(value))
		return create_wrong(w, f, type);
	for (const struct json *item = json_first(value); item; item = json_next(item)) {
		if (one(w, f, item))
			return -1;
	}
	return 0;
}

bool create_is_relative(const char *source)
{
	const size_t length = strcspn(source, ":");

	return *source == '.' || *source == '~' ||
	       (*source != '/' && memchr(source, '/', length) != NULL);
}

static int create_read(const struct create_words *w, const struct create_field *rows,
		       const struct json *object, bool update)
{
	for (const struct create_field *f = rows; f->member; f++) {
		const struct json *value =
			update && !f->updates ? NULL : answer_member(object, f->member);

		if (value && f->write(w, f, value))
			return -1;
	}
	return 0;
}

/* -- the program ----------------------------------------------------------------------------- */

/* A list of words, or one. Returns how many; -1 with *e. */
static int create_command(const struct create_words *w, const struct json *body, const char *member,
			  struct list *out)
{
	const struct create_field f = {.member = member};
	const struct json *value = answer_member(body, member);

	if (!value)
		return 0;
	if (json_string(value)) {
		list_add(out, json_string(value));
		return 1;
	}
	if (!json_is_array(value))
		return create_wrong(w, &f, "a list of strings");
	for (const struct json *item = json_first(value); item; item = json_next(item)) {
		if (!json_string(item))
			return create_wrong(w, &f, "a list of strings");
		list_add(out, json_string(item));
	}
	return (int)out->count;
}

/* --entrypoint takes one word: the others come before those of Cmd. */
static int create_program(const struct create_words *w, const struct json *body)
{
	const char *image = answer_member_text(body, "Image");
	auto_list struct list entry = {0};
	auto_list struct list command = {0};
	const bool entered = answer_member(body, "Entrypoint");

	if (create_command(w, body, "Entrypoint", &entry) < 0 ||
	    create_command(w, body, "Cmd", &command) < 0)
		return -1;
	if (!*image)
		return err_input(w->e, "Image: the name of an image is needed");
	if (entered && entry.count)
		list_addf(w->out, "--entrypoint=%s", entry.items[0]);
	list_add(w->out, "--");
	list_add(w->out, image);
	for (size_t i = 1; i < entry.count; i++)
		list_add(w->out, entry.items[i]);
	for (size_t i = 0; i < command.count; i++)
		list_add(w->out, command.items[i]);
	return 0;
}

/* docker-py names the targets of Binds here as well. An image's own are directories of the root. */
static int create_check_volumes(const struct create_words *w, const struct json *body,
				const struct json *host)
{
	const struct json *volumes = answer_member(body, "Volumes");
	const struct json *binds = host ? answer_member(host, "Binds") : NULL;
	const struct json *mounts = host ? answer_member(host, "Mounts") : NULL;

	if (volumes && !json_is_object(volumes))
		return err_input(w->e, "Volumes must be an object");
	for (const struct json *v = volumes ? json_first(volumes) : NULL; v; v = json_next(v)) {
		bool bound = false;

		for (const struct json *b = binds ? json_first(binds) : NULL; b; b = json_next(b))
			bound |= json_string(b) && strstr(json_string(b), json_key(v));
		for (const struct json *m = mounts ? json_first(mounts) : NULL; m; m = json_next(m))
			bound |= !strcmp(answer_member_text(m, "Target"), json_key(v));
		if (!bound)
			return err_input(w->e,
					 "Volumes: %.200s: a volume without a name is not made: "
					 "name one in HostConfig.Binds",
					 json_key(v));
	}
	return 0;
}

static bool create_wants_no_network(const struct json *body, const struct json *host)
{
	return answer_member_is_true(body, "NetworkDisabled") ||
	       (host && !strcmp(answer_member_text(host, "NetworkMode"), "none"));
}

int create_words(const struct json *body, const char *name, const char *platform,
		 const struct list *network, struct list *out, struct err *e)
{
	const struct json *host = answer_member(body, "HostConfig");
	const struct create_words w = {out, e};

	list_add(out, "create");
	if (name && *name)
		list_addf(out, "--name=%s", name);
	if (platform && *platform)
		list_addf(out, "--platform=%s", platform);
	if (host && !json_is_object(host))
		return err_input(e, "HostConfig must be an object");
	for (size_t i = 0; !create_wants_no_network(body, host) && i < network->count; i++)
		list_add(out, network->items[i]);
	if (create_check_volumes(&w, body, host) || create_read(&w, create_fields, body, false) ||
	    (host && create_read(&w, create_host_fields, host, false)))
		return -1;
	return create_program(&w, body);
}

int create_words_of_update(const struct json *body, struct list *out, struct err *e)
{
	const struct create_words w = {out, e};

	list_add(out, "update");
	return create_read(&w, create_host_fields, body, true);
}
