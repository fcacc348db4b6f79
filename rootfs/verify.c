/*
 * verify - `glovebox image verify`: check that an image is unchanged.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "base/say.h"
#include "command.h"
#include "image/image.h"
#include "image/image_reference.h"
#include "rootfs/archive/manifest.h"
#include "rootfs/archive/meta.h"
#include "rootfs/archive/reader.h"

#define LINES_MAX 20

static int verify_open_beside(const struct image *image, const char *name, struct err *e)
{
	auto_fd int fd = -1;
	auto_free char *path = own_printf("%s/../%s", image->root_path, name);

	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open %s", path) : take_fd(&fd);
}

/* Check that the manifest's hash is the id in image.json, and the tree's name. */
static int verify_check_id(const struct image *image, int manifest, size_t *differences,
			   struct err *e)
{
	const char *id = image->config.id;
	char found[65];

	if (digest_fd(manifest, found, e))
		return -1;
	if (!strncmp(id, "sha256:", 7) && !strcmp(id + 7, found) && strstr(image->root_path, found))
		return 0;
	printf("changed manifest: it hashes to sha256:%.12s, the image is ", found);
	say_bytes(stdout, id, strnlen(id, 19));
	putchar('\n');
	++*differences;
	return 0;
}

static int verify_tree(const struct image *image, size_t *differences, struct err *e)
{
	auto_fd int manifest = verify_open_beside(image, "manifest", e);
	auto_fd int root = -1;
	auto_fd int now = -1;
	auto_meta struct meta meta = {0};
	size_t count;

	if (manifest < 0 || verify_check_id(image, manifest, differences, e))
		return -1;
	root = openat(image->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	now = memfd_create("manifest", MFD_CLOEXEC);
	if (root < 0 || now < 0)
		return err_sys(e, "open %s", image->root_path);
	if (meta_read_identity(&meta, image->document, e) ||
	    manifest_write(root, &meta, now, NULL, e) ||
	    manifest_compare(manifest, now, stdout, LINES_MAX, &count, e))
		return -1;
	*differences += count;
	return 0;
}

static int verify_one(const char *text, size_t *differences, struct err *e)
{
	auto_free char *reference = NULL;
	size_t before = *differences;
	struct image image;
	int status;

	if (image_reference(text, &reference, e) || image_open(reference, &image, e))
		return -1;
	status = image.is_host ? 0 : verify_tree(&image, differences, e);
	if (status == 0)
		printf("%s: %s\n", reference,
		       image.is_host            ? "the host's own files, nothing to verify"
		       : *differences == before ? "ok"
						: "differs from what was built");
	image_close(&image);
	return status ? err_prefix(e, "verify %s", reference) : 0;
}

static int verify_note(const struct image *image, void *context)
{
	if (!image->is_host)
		list_add(context, image->reference);
	return 0;
}

static int verify_run(int argc, char **argv, struct err *e)
{
	auto_list struct list all = {0};
	int at = arguments_read(&command_verify, argc, argv, NULL, e);
	size_t differences = 0;

	if (at < 0)
		return -1;
	for (int i = at; i < argc; i++)
		list_add(&all, argv[i]);
	if (at == argc && image_list(verify_note, &all, e))
		return -1;
	for (size_t i = 0; i < all.count; i++) {
		if (verify_one(all.items[i], &differences, e))
			return -1;
	}
	return differences ? 1 : 0;
}

const struct command command_verify = {
	.name = "verify",
	.usage = "[NAME[:TAG]...]",
	.summary = "Compare images with the hashes of their build",
	.help = "Without a name, all images are compared. Paths that are missing, added or "
		"changed\n"
		"are listed, at most 20 per image. Status 0: all as built; 1: something differs.\n",
	.run = verify_run,
	.images = true,
};
