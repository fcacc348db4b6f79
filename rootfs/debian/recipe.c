/*
 * recipe - read a recipe, the small JSON file from which an image is built.
 */
#include "recipe.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/nearest.h"
#include "base/own.h"
#include "fs/names.h"

#define RECIPE_MAX_BYTES (1u << 20)
#define BASES_MAX        8
#define RECIPES_MAX      100 /* that an error names */
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

/* Whether a text begins with a letter or digit and consists of these and `others`. */
static bool recipe_is_word(const char *text, const char *others)
{
	if (!isalnum((unsigned char)*text) || strlen(text) > 200)
		return false;
	for (const char *p = text; *p; p++) {
		if (!strchr(ALNUM, *p) && !strchr(others, *p))
			return false;
	}
	return true;
}

int recipe_check_suite(const char *suite, struct err *e)
{
	return recipe_is_word(suite, "-.") ? 0
					   : err_input(e, "\"%.60s\" is not a suite's name", suite);
}

static void recipe_set_env(struct list *env, const char *key, const char *value)
{
	size_t length = strlen(key);
	char *line = own_printf("%s=%s", key, value);

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

static int recipe_parse_env(struct recipe *r, const struct json *object, struct err *e)
{
	if (!json_is_object(object))
		return err_input(e, "it must be an object");
	for (const struct json *n = json_first(object); n; n = json_next(n)) {
		const char *key = json_key(n);

		if (!*key || strchr(key, '='))
			return err_input(e, "\"%.60s\" is not a variable's name", key);
		if (!json_string(n))
			return err_input(e, "\"%.60s\" must be a string", key);
		recipe_set_env(&r->env, key, json_string(n));
	}
	return 0;
}

static int recipe_parse_stale_days(struct recipe *r, const struct json *v, struct err *e)
{
	uint64_t days;

	if (json_number(v, &days) || days < 1 || days > STALE_DAYS_MAX)
		return err_input(e, "it must be a number of days, 1 to %d", STALE_DAYS_MAX);
	r->stale_days = (unsigned)days;
	return 0;
}

/* Each key has its own parser, or is a list of words, or a text. */
struct key {
	const char *name;
	int (*parse)(struct recipe *r, const struct json *value, struct err *e);
	size_t at;          /* offset of the list or text in struct recipe */
	const char *others; /* characters that its words may contain besides letters and digits */
	const char *word;   /* what the words are, for messages */
};

#define LIST(key, others, word)                                                                    \
	{                                                                                          \
#key, NULL, offsetof(struct recipe, key), others, word                             \
	}
#define TEXT(key)                                                                                  \
	{                                                                                          \
#key, NULL, offsetof(struct recipe, key), NULL, NULL                               \
	}

/* Names reach command lines: refuse options, patterns, URLs and paths. */
static const struct key keys[] = {
	LIST(apt, "+.-:=~", "a Debian package's name"),
	TEXT(base),
	TEXT(description),
	{.name = "env",        .parse = recipe_parse_env       },
	LIST(pip, "._-[],=<>!~+*", "a package for pip, such as geopandas or nltk==3.9"),
	TEXT(pip_find_links),
	LIST(preload, "._", "a Python module's name"),
	{.name = "stale_days", .parse = recipe_parse_stale_days},
	TEXT(suite),
	LIST(without, "+.-", "a Debian package's name"),
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static const struct key *recipe_find_key(const char *name)
{
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

static int recipe_add_word(struct recipe *r, const struct key *key, const char *word, struct err *e)
{
	struct list *list = (struct list *)((char *)r + key->at);

	if (!recipe_is_word(word, key->others))
		return err_input(e, "\"%.100s\" is not %s", word, key->word);
	if (!list_has(list, word))
		list_add(list, word);
	return 0;
}

int recipe_add(struct recipe *r, const char *list, const char *word, struct err *e)
{
	return recipe_add_word(r, recipe_find_key(list), word, e);
}

static int recipe_parse_list(struct recipe *r, const struct key *key, const struct json *value,
			     struct err *e)
{
	if (!json_is_array(value))
		return err_input(e, "it must be a list");
	for (const struct json *n = json_first(value); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, "it must be a list of strings");
		if (recipe_add_word(r, key, json_string(n), e))
			return -1;
	}
	return 0;
}

static int recipe_parse_text(struct recipe *r, const struct key *key, const struct json *value,
			     struct err *e)
{
	char **slot = (char **)((char *)r + key->at);

	if (!json_string(value))
		return err_input(e, "it must be a string");
	free(*slot);
	*slot = own_strdup(json_string(value));
	return slot == &r->suite ? recipe_check_suite(r->suite, e) : 0;
}

static int recipe_parse_value(struct recipe *r, const struct key *key, const struct json *value,
			      struct err *e)
{
	if (key->parse)
		return key->parse(r, value, e);
	return key->others ? recipe_parse_list(r, key, value, e)
			   : recipe_parse_text(r, key, value, e);
}

static int recipe_refuse_key(const char *name, struct err *e)
{
	auto_buf struct buf known = {0};

	for (size_t i = 0; i < KEY_COUNT; i++)
		buf_printf(&known, "%s%s", i ? ", " : "", keys[i].name);
	return err_input(e, "unknown key \"%.60s\"; known are %s", name, buf_string(&known));
}

static int recipe_parse_key(struct recipe *r, const struct json *value, struct err *e)
{
	const struct key *key = recipe_find_key(json_key(value));

	if (!key)
		return recipe_refuse_key(json_key(value), e);
	return recipe_parse_value(r, key, value, e) ? err_prefix(e, "\"%s\"", key->name) : 0;
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
		if (recipe_parse_key(r, n, e))
			return -1;
	}
	return 0;
}

static bool recipe_is_path(const char *what)
{
	size_t length = strlen(what);

	return strchr(what, '/') || (length > 5 && !strcmp(what + length - 5, ".json"));
}

/* The path of a recipe: @beside is the directory of the file that names it; NULL: the user does. */
static char *recipe_find(const char *what, const char *beside, const char *directory)
{
	if (!recipe_is_path(what))
		return own_printf("%s/%s.json", directory, what);
	return *what == '/' || !beside ? own_strdup(what) : own_printf("%s/%s", beside, what);
}

static char *recipe_directory_of(const char *path)
{
	char *result = own_strdup(strchr(path, '/') ? path : "./");

	*strrchr(result, '/') = '\0';
	return result;
}

/* "no recipe "pyhton"; did you mean python? there are python, slim; ..." Returns -1. */
static int recipe_is_missing(const char *what, const char *directory, struct err *e)
{
	struct nearest near = nearest_to(what, strlen(what));
	auto_fd int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list files = {0};
	auto_buf struct buf names = {0};
	auto_buf struct buf meant = {0};

	if (fd >= 0)
		(void)names_read(fd, RECIPES_MAX, &files);
	for (size_t i = 0; i < files.count; i++) {
		char *end = strrchr(files.items[i], '.');

		if (end)
			*end = '\0';
		buf_printf(&names, "%s%s", i ? ", " : "", files.items[i]);
		nearest_try(&near, files.items[i]);
	}
	if (near.name)
		buf_printf(&meant, "; did you mean \"%s\"?", near.name);
	return err_set(e, ERR_NOT_FOUND,
		       "no recipe \"%.60s\"%s%s there are %.200s; a file of your own is named with "
		       "its path",
		       what, buf_string(&meant), near.name ? "" : ":", buf_string(&names));
}

static int recipe_load_from(struct recipe *r, const char *what, const char *beside,
			    const char *directory, int depth, struct err *e)
{
	auto_free char *path = recipe_find(what, beside, directory);
	auto_free char *own_directory = recipe_directory_of(path);
	auto_recipe struct recipe own = {0};
	auto_buf struct buf text = {0};

	if (depth > BASES_MAX)
		return err_input(e, "recipe %.100s: more than %d bases, is it its own?", what,
				 BASES_MAX);
	if (io_read_file(AT_FDCWD, path, RECIPE_MAX_BYTES, &text, e)) {
		return e->number == ENOENT && !recipe_is_path(what)
			       ? recipe_is_missing(what, directory, e)
			       : -1;
	}
	/*
	 * Read it alone first, for its base; then add its values after the base's, so that they
	 * win.
	 */
	if (recipe_parse(&own, buf_string(&text), text.length, e))
		return err_prefix(e, "recipe %s", path);
	if (own.base && recipe_load_from(r, own.base, own_directory, directory, depth + 1, e))
		return -1;
	r->base_apt = r->apt.count;
	if (recipe_parse(r, buf_string(&text), text.length, e))
		return -1;
	if (!own.base)
		r->base_apt = r->apt.count;
	return 0;
}

int recipe_load(struct recipe *r, const char *what, const char *directory, struct err *e)
{
	const char *slash = strrchr(what, '/');
	size_t length;

	if (recipe_load_from(r, what, NULL, directory, 0, e))
		return -1;
	r->name = own_strdup(slash ? slash + 1 : what);
	length = strlen(r->name);
	if (recipe_is_path(what) && length > 5 && !strcmp(r->name + length - 5, ".json"))
		r->name[length - 5] = '\0';
	return 0;
}
