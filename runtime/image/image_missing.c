/*
 * image_missing - the remedy for an image that no store has, or that its owner has not shared.
 *
 * Most names that users type are a registry's. A name that promises a version of Python, or of
 * Debian, can be had without one: by a tag, or by a build of the suite with that version.
 */
#include "image/image_missing.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "base/own.h"
#include "image/image.h"

struct suite {
	const char *name;
	const char *python; /* the suite's version of Python */
	const char *debian;
};

static const struct suite suites[] = {
	{"bullseye", "3.9",  "11"},
	{"bookworm", "3.11", "12"},
	{"trixie",   "3.13", "13"},
};

/* "3.11" of "3.11.9-slim-bookworm"; "" if the tag does not start with a version. */
static void image_missing_version(const char *tag, char out[16])
{
	size_t length = strspn(tag, "0123456789");

	if (length && tag[length] == '.')
		length += 1 + strspn(tag + length + 1, "0123456789");
	if (tag[length] && tag[length] != '.' && tag[length] != '-')
		length = 0;
	snprintf(out, 16, "%.*s", (int)length, tag);
}

/* The suite whose Python version, number or name the tag begins with. */
static const struct suite *image_missing_suite(const char *tag, bool python)
{
	char version[16];

	image_missing_version(tag, version);
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		const struct suite *s = &suites[i];

		if (!strcmp(version, python ? s->python : s->debian) ||
		    (!python && !strncmp(tag, s->name, strlen(s->name))))
			return s;
	}
	return NULL;
}

/* An image in a store that does what the name promises; NULL: none. Owned by the caller. */
static char *image_missing_stand_in(const char *tag)
{
	static const char *const names[] = {"python", "slim"};
	char version[16];
	bool any;

	image_missing_version(tag, version);
	any = !*version || !strcmp(version, "3");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *name = own_printf("%s:%s", names[i], any ? "latest" : version);

		if (image_exists(name))
			return own_strdup(any ? names[i] : name);
	}
	return NULL;
}

static bool image_missing_build(const char *reference, const char *recipe, const struct suite *s,
				struct err *e)
{
	err_set(e, ERR_NOT_FOUND,
		"no image \"%s\" here; \"glovebox image build %s%s%s --tag %s\" builds one, "
		"\"host\" "
		"needs no build",
		reference, recipe, s ? " --suite " : "", s ? s->name : "", reference);
	return true;
}

static bool image_missing_python(const char *reference, const char *tag, struct err *e)
{
	const struct suite *s = image_missing_suite(tag, true);
	auto_free char *here = image_missing_stand_in(tag);
	char version[16];

	image_missing_version(tag, version);
	if (here)
		err_set(e, ERR_NOT_FOUND,
			"no image \"%s\" here; \"glovebox image tag %s %s\" gives that name to one "
			"that "
			"fits",
			reference, here, reference);
	else if (s || !*version || !strcmp(version, "3"))
		image_missing_build(reference, "python", s, e);
	return here || s || !*version || !strcmp(version, "3");
}

/* "python" of "python:3.11". Owned by the caller. */
static char *image_missing_name(const char *reference)
{
	return own_strndup(reference, (size_t)(strrchr(reference, ':') - reference));
}

/* The recipes that we bring (rootfs/recipes). */
static const char *const recipes[] = {"python", "slim", "code-interpreter"};

static bool image_missing_is_recipe(const char *name)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		if (!strcmp(name, recipes[i]))
			return true;
	}
	return false;
}

/* The name of ours that a misspelt one is near to; NULL: none. */
static const char *image_missing_nearest(const char *name)
{
	struct nearest n = nearest_to(name, strlen(name));

	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++)
		nearest_try(&n, recipes[i]);
	nearest_try(&n, "host");
	return n.name;
}

bool image_missing_is_made_here(const char *reference, struct err *e)
{
	const char *tag = strrchr(reference, ':') + 1;
	auto_free char *name = image_missing_name(reference);

	if (!strcmp(tag, "latest") && image_missing_is_recipe(name)) {
		err_set(e, ERR_NOT_FOUND,
			"no image \"%s\" here; \"glovebox image build %s\" builds it, \"host\" "
			"needs no "
			"build",
			reference, name);
		return true;
	}
	if (!strcmp(name, "debian"))
		return image_missing_build(reference, "slim", image_missing_suite(tag, false), e);
	return !strcmp(name, "python") && image_missing_python(reference, tag, e);
}

int image_missing(const char *reference, struct err *e)
{
	auto_free char *name = image_missing_name(reference);
	char version[16];

	if (image_missing_is_made_here(reference, e))
		return -1;
	image_missing_version(strrchr(reference, ':') + 1, version);
	if (!strcmp(name, "python"))
		return err_set(
			e, ERR_NOT_FOUND,
			"no image \"%s\" here, and no Debian has Python %s; \"glovebox image pull "
			"%s\" fetches it, \"glovebox image tag NAME %s\" has another Python do",
			reference, version, reference, reference);
	if (image_missing_nearest(name))
		return err_set(e, ERR_NOT_FOUND,
			       "no image \"%s\" here; did you mean \"%s\"? (\"glovebox image pull "
			       "%s\" fetches one of that name)",
			       reference, image_missing_nearest(name), reference);
	return err_set(
		e, ERR_NOT_FOUND,
		"no image \"%s\" here; \"glovebox image pull %s\" fetches it, \"glovebox image "
		"import\" takes an archive of docker save, \"glovebox image build\" makes one "
		"of packages, \"host\" needs none",
		reference, reference);
}

int image_closed(const char *reference, int tree_fd, struct err *e)
{
	struct stat st;
	bool is_roots = !fstat(tree_fd, &st) && !st.st_uid;

	return err_set(e, ERR_DENIED,
		       "the image %s is %s, and closed to other users: \"glovebox image share %s\" "
		       "by %s opens it to all; \"glovebox image build\", \"import\" or \"pull\" "
		       "makes one of your own",
		       reference, is_roots ? "root's" : "another user's", reference,
		       is_roots ? "root" : "its owner");
}
