/*
 * image_packages - list the packages of an image's Python.
 */
#include "image/image_packages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/own.h"
#include "fs/names.h"
#include "fs/resolve.h"

#define NAMES_MAX    5000 /* of a directory */
#define PACKAGES_MAX 1000
#define PYTHONS_MAX  8  /* version directories below /usr/lib, and below /usr/local/lib */
#define WORD_MAX     64 /* bytes of a name, or a version */
#define TEXT_MAX     1000

static int image_packages_read(const struct image *image, const char *path, struct list *out)
{
	auto_free char *absolute = own_printf("/%s", path);
	auto_fd int fd = resolve_open(image->root_fd, image->is_host ? absolute : path,
				      O_RDONLY | O_DIRECTORY,
				      image->is_host ? 0 : RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);

	return fd < 0 ? -1 : names_read(fd, NAMES_MAX, out);
}

static bool image_packages_is_word(const char *text, size_t length)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789._-";

	return length && length <= WORD_MAX && strspn(text, letters) >= length;
}

/* Builds need these, programs do not. */
static bool image_packages_is_tool(const char *name)
{
	static const char *const tools[] = {"pip", "setuptools", "wheel"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (!strcmp(name, tools[i]))
			return true;
	}
	return false;
}

/* "scikit_learn-1.4.2.dist-info", "pandas-2.2.3+dfsg.egg-info", "lxml-5.4.0-py3.13.egg-info" */
static void image_packages_add(const char *entry, struct list *out)
{
	const char *end = strrchr(entry, '.');
	const char *dash = strchr(entry, '-');
	auto_free char *name = NULL;
	auto_free char *line = NULL;
	size_t version;

	if (!end || !dash || dash > end ||
	    (strcmp(end, ".dist-info") != 0 && strcmp(end, ".egg-info") != 0))
		return;
	name = own_strndup(entry, (size_t)(dash - entry));
	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	version = strcspn(++dash, "+~-");
	if (version > (size_t)(end - dash))
		version = (size_t)(end - dash);
	if (!image_packages_is_word(name, strlen(name)) || image_packages_is_tool(name) ||
	    !image_packages_is_word(dash, version) || out->count >= PACKAGES_MAX)
		return;
	line = own_printf("%s %.*s", name, (int)version, dash);
	if (!list_has(out, line))
		list_add(out, line);
}

void image_packages(const struct image *image, struct list *out)
{
	static const char *const tops[] = {"usr/lib", "usr/local/lib"};
	static const char *const places[] = {"dist-packages", "site-packages"};

	for (size_t i = 0; i < 2; i++) {
		auto_list struct list pythons = {0};
		unsigned looked = 0;

		(void)image_packages_read(image, tops[i], &pythons);
		for (size_t k = 0; k < 2 * pythons.count; k++) {
			const char *python = pythons.items[k / 2];
			auto_free char *path =
				own_printf("%s/%s/%s", tops[i], python, places[k % 2]);
			auto_list struct list entries = {0};

			if (strncmp(python, "python3", 7) != 0 || looked++ >= 2 * PYTHONS_MAX ||
			    image_packages_read(image, path, &entries) < 0)
				continue;
			for (size_t n = 0; n < entries.count; n++)
				image_packages_add(entries.items[n], out);
		}
	}
	list_sort(out);
}

void image_packages_text(const struct list *packages, struct buf *out)
{
	const size_t begin = out->length;

	buf_text(out, "the standard library");
	for (size_t i = 0; i < packages->count; i++) {
		const char *entry = packages->items[i];
		const size_t length = strcspn(entry, " ");

		if (out->length - begin + length + 2 > TEXT_MAX) {
			buf_text(out, ", ...");
			return;
		}
		buf_printf(out, ", %.*s", (int)length, entry);
	}
}

void image_packages_of(const char *reference, struct list *packages, struct buf *text)
{
	struct image image;
	struct err ignored;

	if (!image_open(reference, &image, &ignored)) {
		image_packages(&image, packages);
		image_close(&image);
	}
	image_packages_text(packages, text);
}
