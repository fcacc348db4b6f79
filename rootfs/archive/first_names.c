/*
 * first_names - remember the first name of each file that has several.
 */
#include "first_names.h"

#include <search.h>
#include <stdlib.h>

#include "base/own.h"

struct named {
	dev_t dev;
	ino_t ino;
	char *path;
};

static int first_names_order(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (x->ino > y->ino) - (x->ino < y->ino);
}

const char *first_names_of(struct first_names *f, const struct stat *st, const char *path)
{
	struct named *named = own_zeroed(1, sizeof(*named));
	struct named **found;

	*named = (struct named){.dev = st->st_dev, .ino = st->st_ino};
	found = (struct named **)tsearch(named, &f->tree, first_names_order);
	if (!found)
		abort(); /* out of memory, as in base/own.h */
	if (*found != named) {
		free(named);
		return (*found)->path;
	}
	named->path = own_strdup(path);
	return NULL;
}

static void first_names_free(void *named)
{
	free(((struct named *)named)->path);
	free(named);
}

void first_names_fini(struct first_names *f)
{
	tdestroy(f->tree, first_names_free);
	f->tree = NULL;
}
