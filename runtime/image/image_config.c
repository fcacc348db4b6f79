/*
 * image_config - read the configuration of an image.
 */
#include "image/image_config.h"

#include <string.h>

#include "base/own.h"

/* Copy the pointers of a JSON list of strings to *slot, NULL at the end; advances *slot. */
static int image_config_take_strings(const struct json *config, const char *key, const char ***slot,
				     const char ***out, struct err *e)
{
	const struct json *list = NULL;

	if (json_get_array(config, key, &list, e))
		return -1;
	*out = *slot;
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, "\"%s\" must be a list of strings", key);
		*(*slot)++ = json_string(n);
	}
	*(*slot)++ = NULL;
	return 0;
}

/* The same of an object's keys. */
static void image_config_take_keys(const struct json *object, const char ***slot, const char ***out)
{
	*out = *slot;
	for (const struct json *n = object ? json_first(object) : NULL; n; n = json_next(n)) {
		if (json_key(n))
			*(*slot)++ = json_key(n);
	}
	*(*slot)++ = NULL;
}

static int image_config_load_words(const struct json *document, struct image_config *c,
				   char ***strings, struct err *e)
{
	const struct json *config = json_get(document, "config");
	size_t count = json_count(json_get(config, "Env")) + json_count(json_get(config, "Cmd")) +
		       json_count(json_get(config, "Entrypoint")) +
		       json_count(json_get(config, "ExposedPorts")) +
		       json_count(json_get(document, "preload")) + 5;
	const char **slot = own_zeroed(count, sizeof(*slot));

	*strings = (char **)slot;
	image_config_take_keys(json_get(config, "ExposedPorts"), &slot, &c->exposed);
	if (image_config_take_strings(config, "Env", &slot, &c->env, e) ||
	    image_config_take_strings(config, "Cmd", &slot, &c->cmd, e) ||
	    image_config_take_strings(config, "Entrypoint", &slot, &c->entrypoint, e) ||
	    image_config_take_strings(document, "preload", &slot, &c->preload, e) ||
	    json_get_string(config, "User", &c->user, e) ||
	    json_get_string(config, "WorkingDir", &c->workdir, e))
		return -1;
	return 0;
}

static int image_config_load_seeds(const struct json *document, struct image_config *c,
				   struct err *e)
{
	const struct json *list = NULL;

	if (json_get_array(document, "seed", &list, e))
		return -1;
	if (!json_count(list))
		return 0;
	c->seeds = own_zeroed(json_count(list), sizeof(*c->seeds));
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		struct image_seed *seed = &c->seeds[c->seed_count++];

		if (json_get_string(n, "path", &seed->path, e) ||
		    json_get_string(n, "target", &seed->target, e))
			return -1;
		if (!seed->path || *seed->path == '/' || strstr(seed->path, "..") ||
		    !seed->target || *seed->target != '/')
			return err_input(e, "\"seed\" has an entry that is not a link from HOME");
	}
	return 0;
}

int image_config_load(const struct json *document, struct image_config *out, char ***strings,
		      struct err *e)
{
	return image_config_load_words(document, out, strings, e) ||
			       image_config_load_seeds(document, out, e)
		       ? -1
		       : 0;
}
