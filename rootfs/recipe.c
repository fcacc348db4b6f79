/*
 * recipe - what an image is made of: a small JSON file, like a Dockerfile's idea.
 */
#include "recipe.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/own.h"

#define RECIPE_MAX_BYTES (1u << 20)
#define BASES_MAX        8
#define ALNUM            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

void recipe_fini(struct recipe *r)
{
	free(r->name);
	free(r->description);
	free(r->base);
	free(r->suite);
	free(r->pip_find_links);
	list_fini(&r->apt);
	list_fini(&r->pip);
	list_fini(&r->without);
	list_fini(&r->preload);
	list_fini(&r->env);
	*r = (struct recipe){0};
}

/* Begins with a letter or digit and has only these and `others` in it. */
static bool is_word(const char *text, const char *others)
{
	if (!isalnum((unsigned char)*text) || strlen(text) > 200)
		return false;
	for (const char *p = text; *p; p++) {
		if (!strchr(ALNUM, *p) && !strchr(others, *p))
			return false;
	}
	return true;
}

static bool has(const struct list *l, const char *text)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->items[i], text))
			return true;
	}
	return false;
}

static void add_once(struct list *l, const char *text)
{
	if (!has(l, text))
		list_add(l, text);
}

/* Names reach apt's and dpkg's command lines: no options, patterns or paths among them. */
int recipe_add_apt(struct recipe *r, const char *package, struct err *e)
{
	if (!is_word(package, "+.-:=~"))
		return err_input(e, "\"%.100s\" is not a Debian package's name", package);
	add_once(&r->apt, package);
	return 0;
}

/* Requirements by name and version: no options, URLs or paths. */
int recipe_add_pip(struct recipe *r, const char *requirement, struct err *e)
{
	if (!is_word(requirement, "._-[],=<>!~+*"))
		return err_input(e,
				 "\"%.100s\" is not a package for pip, such as geopandas or "
				 "nltk==3.9",
				 requirement);
	add_once(&r->pip, requirement);
	return 0;
}

static int add_without(struct recipe *r, const char *package, struct err *e)
{
	if (!is_word(package, "+.-"))
		return err_input(e, "\"%.100s\" is not a Debian package's name", package);
	add_once(&r->without, package);
	return 0;
}

static int add_preload(struct recipe *r, const char *module, struct err *e)
{
	if (!is_word(module, "._"))
		return err_input(e, "\"%.100s\" is not a Python module's name", module);
	add_once(&r->preload, module);
	return 0;
}

int recipe_check_suite(const char *suite, struct err *e)
{
	return is_word(suite, "-.") ? 0 : err_input(e, "\"%.60s\" is not a suite's name", suite);
}

static void set_env(struct list *env, const char *key, const char *value)
{
	size_t length = strlen(key);
	char *line;

	if (asprintf(&line, "%s=%s", key, value) < 0)
		abort();
	for (size_t i = 0; i < env->count; i++) {
		if (strncmp(env->items[i], line, length + 1) != 0)
			continue;
		free(env->items[i]);
		env->items[i] = line;
		return;
	}
	list_add(env, line);
	free(line);
}

static int parse_env(struct recipe *r, const struct json *object, struct err *e)
{
	if (!json_is_object(object))
		return err_input(e, "it must be an object");
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		const char *key = json_key(n);

		if (!*key || strchr(key, '='))
			return err_input(e, "\"%.60s\" is not a variable's name", key);
		if (!json_string(n))
			return err_input(e, "\"%.60s\" must be a string", key);
		set_env(&r->env, key, json_string(n));
	}
	return 0;
}

static int set_text(char **slot, const struct json *value, struct err *e)
{
	if (!json_string(value))
		return err_input(e, "it must be a string");
	free(*slot);
	*slot = own_strdup(json_string(value));
	return 0;
}

static int parse_base(struct recipe *r, const struct json *v, struct err *e)
{
	return set_text(&r->base, v, e);
}

static int parse_description(struct recipe *r, const struct json *v, struct err *e)
{
	return set_text(&r->description, v, e);
}

static int parse_find_links(struct recipe *r, const struct json *v, struct err *e)
{
	return set_text(&r->pip_find_links, v, e);
}

static int parse_suite(struct recipe *r, const struct json *v, struct err *e)
{
	return set_text(&r->suite, v, e) ? -1 : recipe_check_suite(r->suite, e);
}

struct key {
	const char *name;
	int (*value)(struct recipe *r, const struct json *value, struct err *e);
	int (*item)(struct recipe *r, const char *item, struct err *e); /* of a list */
};

static const struct key keys[] = {
	{.name = "apt",            .item = recipe_add_apt    },
	{.name = "base",           .value = parse_base       },
	{.name = "description",    .value = parse_description},
	{.name = "env",            .value = parse_env        },
	{.name = "pip",            .item = recipe_add_pip    },
	{.name = "pip_find_links", .value = parse_find_links },
	{.name = "preload",        .item = add_preload       },
	{.name = "suite",          .value = parse_suite      },
	{.name = "without",        .item = add_without       },
};

static int parse_list(struct recipe *r, const struct key *key, const struct json *value,
		      struct err *e)
{
	if (!json_is_array(value))
		return err_input(e, "it must be a list");
	for (const struct json *n = json_first(value); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, "it must be a list of strings");
		if (key->item(r, json_string(n), e))
			return -1;
	}
	return 0;
}

static int parse_key(struct recipe *r, const struct json *value, struct err *e)
{
	const char *name = json_key(value);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, name) != 0)
			continue;
		if (keys[i].item ? parse_list(r, &keys[i], value, e) : keys[i].value(r, value, e))
			return err_prefix(e, "\"%s\"", name);
		return 0;
	}
	return err_input(e,
			 "unknown key \"%.60s\"; known are apt, base, description, env, pip, "
			 "pip_find_links, preload, suite, without",
			 name);
}

int recipe_parse(struct recipe *r, const char *text, size_t length, struct err *e)
{
	auto_json struct json *document = json_parse(text, length, e);

	own_free(&r->base);
	if (!document)
		return -1;
	if (!json_is_object(document))
		return err_input(e, "a recipe is a JSON object");
	for (const struct json *n = json_first(document); n; n = json_next(n)) {
		if (parse_key(r, n, e))
			return -1;
	}
	return 0;
}

static bool is_path(const char *what)
{
	size_t length = strlen(what);

	return strchr(what, '/') || (length > 5 && !strcmp(what + length - 5, ".json"));
}

/* Where a recipe is: @beside is the directory of the file that names it, NULL for the user. */
static char *find(const char *what, const char *beside, const char *directory)
{
	char *path = NULL;
	int n;

	if (!is_path(what))
		n = asprintf(&path, "%s/%s.json", directory, what);
	else if (*what == '/' || !beside)
		n = asprintf(&path, "%s", what);
	else
		n = asprintf(&path, "%s/%s", beside, what);
	if (n < 0)
		abort();
	return path;
}

static char *directory_of(const char *path)
{
	char *result = own_strdup(strchr(path, '/') ? path : "./");

	*strrchr(result, '/') = '\0';
	return result;
}

static int load(struct recipe *r, const char *what, const char *beside, const char *directory,
		int depth, struct err *e)
{
	auto_free char *path = find(what, beside, directory);
	auto_free char *own_directory = directory_of(path);
	auto_recipe struct recipe own = {0};
	auto_buf struct buf text = {0};

	if (depth > BASES_MAX)
		return err_input(e, "recipe %.100s: more than %d bases, is it its own?", what,
				 BASES_MAX);
	if (io_read_file(AT_FDCWD, path, RECIPE_MAX_BYTES, &text, e)) {
		if (e->number == ENOENT && !is_path(what))
			return err_set(
				e, ERR_NOT_FOUND,
				"no recipe \"%.60s\" in %s; a file of your own is named with "
				"its path",
				what, directory);
		return -1;
	}
	/* Read alone first, for its base; its values then come after, and win over, the base's. */
	if (recipe_parse(&own, buf_string(&text), text.length, e))
		return err_prefix(e, "recipe %s", path);
	if (own.base && load(r, own.base, own_directory, directory, depth + 1, e))
		return -1;
	return recipe_parse(r, buf_string(&text), text.length, e);
}

int recipe_load(struct recipe *r, const char *what, const char *directory, struct err *e)
{
	const char *slash = strrchr(what, '/');
	size_t length;

	if (load(r, what, NULL, directory, 0, e))
		return -1;
	r->name = own_strdup(slash ? slash + 1 : what);
	length = strlen(r->name);
	if (is_path(what) && length > 5 && !strcmp(r->name + length - 5, ".json"))
		r->name[length - 5] = '\0';
	return 0;
}
