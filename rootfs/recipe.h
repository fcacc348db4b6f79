/*
 * recipe - what an image is made of: a small JSON file, like a Dockerfile's idea.
 *
 *   description       one line for people
 *   base              another recipe: NAME as shipped, or FILE.json beside this one
 *   suite             "bookworm", "trixie", ...; default: this machine's
 *   apt, pip          packages
 *   without           Debian packages that others depend on and a sandbox does not need:
 *                     an empty package takes their place
 *   pip_find_links    directory of wheels
 *   preload           modules that a warm cell imports ahead of time
 *   env               environment of every program
 *
 * Lists of the base come first; of scalars and env, the later value wins.
 */
#ifndef GLOVEBOX_ROOTFS_RECIPE_H
#define GLOVEBOX_ROOTFS_RECIPE_H

#include <stddef.h>

#include "base/err.h"
#include "list.h"

struct recipe {
	char *name; /* "python" */
	char *description;
	char *base; /* of the file read last; NULL */
	char *suite;
	char *pip_find_links;
	struct list apt;
	struct list pip;
	struct list without;
	struct list preload;
	struct list env; /* KEY=VALUE, each key once */
};

void recipe_fini(struct recipe *r);
#define auto_recipe __attribute__((cleanup(recipe_fini)))

/*
 * recipe_parse - add one file's text to *r. Pure.
 * r->base is the text's own afterwards.
 * Errors: ERR_INPUT naming the key or value; unknown keys are refused by name.
 */
int recipe_parse(struct recipe *r, const char *text, size_t length, struct err *e);

/*
 * recipe_load - read a recipe and its bases.
 * @what       a shipped recipe's name, or the path of a file ('/' in it, or ends in ".json")
 * @directory  of the shipped recipes
 */
int recipe_load(struct recipe *r, const char *what, const char *directory, struct err *e);

/* Add one package as --apt and --pip do. Errors: ERR_INPUT for what is no package name. */
int recipe_add_apt(struct recipe *r, const char *package, struct err *e);
int recipe_add_pip(struct recipe *r, const char *requirement, struct err *e);

/* Is it a suite's name ("trixie")? Pure. */
int recipe_check_suite(const char *suite, struct err *e);

#endif
