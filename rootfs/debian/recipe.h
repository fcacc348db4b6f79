/*
 * recipe - read a recipe, the small JSON file from which an image is built.
 *
 *   description       one line for people
 *   base              another recipe: NAME as shipped, or FILE.json beside this one
 *   suite             "bullseye", "bookworm", "trixie", "sid", ...; default: this machine's
 *   stale_days        accept a mirror's index up to this age, even if it has expired
 *   apt, pip          packages
 *   without           Debian packages that others depend on and a sandbox does not need:
 *                     an empty package replaces them
 *   pip_find_links    directory of wheels
 *   preload           modules that a warm Python imports in advance
 *   env               environment of every program
 *
 * Lists of the base come first; for scalars and env, the later value wins.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_RECIPE_H
#define GLOVEBOX_ROOTFS_DEBIAN_RECIPE_H

#include <stddef.h>

#include "base/err.h"
#include "base/list.h"

struct recipe {
	char *name; /* "python" */
	char *description;
	char *base; /* of the last file read; NULL */
	char *suite;
	unsigned stale_days; /* 0: no */
	char *pip_find_links;
	struct list apt;
	struct list pip;
	struct list without;
	struct list preload;
	struct list env; /* KEY=VALUE, each key once */
	size_t base_apt; /* how many of apt, from the first, are the base's, or the file's */
};

void recipe_fini(struct recipe *r);
#define auto_recipe __attribute__((cleanup(recipe_fini)))

/*
 * recipe_parse - add one file's text to *r. Pure. It sets r->base to the base that this text names.
 * Errors: ERR_INPUT naming the key or value; unknown keys are refused by name.
 */
int recipe_parse(struct recipe *r, const char *text, size_t length, struct err *e);

/*
 * recipe_load - read a recipe and its bases.
 * @what       a shipped recipe's name, or the path of a file ('/' in it, or ends in ".json")
 * @directory  of the shipped recipes
 */
int recipe_load(struct recipe *r, const char *what, const char *directory, struct err *e);

/*
 * recipe_add - add one word to a list, as --apt and --pip do.
 * @list  "apt", "pip", "without" or "preload".
 * Errors: ERR_INPUT for a word that is not allowed there.
 */
int recipe_add(struct recipe *r, const char *list, const char *word, struct err *e);

#define STALE_DAYS_MAX 3650

/* Whether it can be a suite's name ("trixie"). Pure. */
int recipe_check_suite(const char *suite, struct err *e);

#endif
