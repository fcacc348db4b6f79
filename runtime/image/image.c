/*
 * image - find an image in the store and load its configuration.
 *
 * Every run does this: one readlink, three opens, one small JSON document.
 */
#include "image/image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "fs/names.h"
#include "image/image_id.h"
#include "image/image_missing.h"
#include "image/image_reference.h"
#include "image/image_stores.h"

#define CONFIG_MAX_BYTES (1u << 20)

static const char *host_env[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/glovebox/bin",
	"LANG=C.UTF-8",
	NULL,
};
static const char *host_cmd[] = {"python3", NULL};
static const char *no_strings[] = {NULL};

/* Read image.json below tree_fd into *image. */
static int image_load(int tree_fd, struct image *image, struct err *e)
{
	auto_buf struct buf text = {0};
	struct image_config *c = &image->config;
	const char *recipe;

	image->lock_fd = io_open_to_read(tree_fd, "image.json");
	if (image->lock_fd < 0)
		return err_sys(e, "open image.json");
	(void)flock(image->lock_fd, LOCK_SH | LOCK_NB);
	if (io_read_fd(image->lock_fd, "image.json", CONFIG_MAX_BYTES, &text, e))
		return -1;
	image->document = json_parse(buf_string(&text), text.length, e);
	if (!image->document || json_get_string(image->document, "id", &c->id, e) ||
	    json_get_string(image->document, "created", &c->created, e) ||
	    json_get_string(image->document, "arch", &c->arch, e) ||
	    image_config_load(image->document, c, &image->strings, e))
		return -1;
	if (!c->id)
		return err_input(e, "\"id\" is missing");
	recipe = json_string(json_get(image->document, "recipe"));
	image->is_vouched = recipe && *recipe;
	return 0;
}

static struct image image_none(char *reference)
{
	return (struct image){
		.reference = reference,
		.root_fd = -1,
		.lock_fd = -1,
		.config = {.env = no_strings,
			   .cmd = no_strings,
			   .entrypoint = no_strings,
			   .exposed = no_strings,
			   .preload = no_strings,
			   .user = "",
			   .workdir = ""},
	};
}

static void image_set_host(struct image *image)
{
	image->is_host = image->is_vouched = true;
	image->config = (struct image_config)
	{
		.id = "host",
#if defined(__x86_64__)
		.arch = "amd64",
#elif defined(__aarch64__)
		.arch = "arm64",
#endif
		.env = host_env, .cmd = host_cmd, .entrypoint = no_strings, .exposed = no_strings,
		.preload = no_strings, .user = "1000:1000", .workdir = "",
	};
}

/* Open a tree of a store by its whole id: as image_open_tag(). */
static int image_open_tree(const char *store, const char *id, struct image *image, struct err *e)
{
	auto_free char *path = own_printf("%s/trees/%s", store, id);
	auto_fd int tree_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	image->root_path = own_printf("%s/rootfs", path);
	if (tree_fd < 0)
		return err_sys(e, "open %s", path);
	if (image_load(tree_fd, image, e))
		return e->number == EACCES ? image_closed(image->reference, tree_fd, e) : -1;
	image->root_fd = openat(tree_fd, "rootfs", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return image->root_fd < 0 ? err_sys(e, "open %s", image->root_path) : 1;
}

/* Open the tree that a tag names: 1: opened; 0: no such tag here; -1: damaged, or closed to us. */
static int image_open_tag(const char *store, struct image *image, struct err *e)
{
	auto_free char *link = own_printf("%s/tags/%s", store, image->reference);
	char target[128];
	char id[IMAGE_ID];
	ssize_t n;

	for (char *p = link + strlen(store) + strlen("/tags/"); *p; p++)
		*p = *p == '/' ? '+' : *p;
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		return err_sys(e, "read %s", link);
	if (n < 0) {
		const int found = image_id_find(store, image->reference, id, e);

		if (found <= 0)
			return found;
		free(image->reference);
		image->reference = own_printf("sha256:%s", id);
		return image_open_tree(store, id, image, e);
	}
	target[n] = '\0';
	if (!strcmp(target, "@host")) {
		image_set_host(image);
		return 1;
	}
	if (!image_id_of_target(target, id))
		return err_input(e, "%s does not link to a tree of the store", link);
	return image_open_tree(store, id, image, e);
}

/* Open a tag of one store, as image_open_tag(); the error tells how to repair damage. */
static int image_open_in(const char *store, const char *reference, struct image *out, struct err *e)
{
	int found;

	*out = image_none(own_strdup(reference));
	found = image_open_tag(store, out, e);
	if (found < 0 && e->kind != ERR_DENIED) {
		/* The user repairs a missing or unreadable piece of the store. */
		e->kind = e->number == EACCES ? ERR_SYSTEM : ERR_INPUT;
		err_prefix(e,
			   "image %s is damaged, \"glovebox image rm %s\" and build or import it "
			   "again",
			   reference, reference);
	}
	if (found <= 0)
		image_close(out);
	return found;
}

int image_open(const char *reference, struct image *out, struct err *e)
{
	auto_stores struct image_stores s = {0};
	int found = 0;

	if (!strcmp(reference, "host:latest")) {
		*out = image_none(own_strdup(reference));
		image_set_host(out);
		return 0;
	}
	image_stores_init(&s);
	for (size_t i = 0; i < s.count && found == 0; i++)
		found = image_open_in(s.paths[i], reference, out, e);
	if (found == 0)
		return image_missing(reference, e);
	return found < 0 ? -1 : 0;
}

int image_check_warm(const struct image *image, bool trusted, struct err *e)
{
	if (image->is_vouched || trusted)
		return 0;
	return err_input(e,
			 "the image %s was imported, or a Dockerfile has changed its Python, and a "
			 "warm Python is as trusted as glovebox: build one of a recipe (glovebox "
			 "image build), or vouch for this one with --trust-image",
			 image->reference);
}

int image_check_executable(const struct image *image, struct err *e)
{
	struct statvfs fs;

	if (image->is_host || fstatvfs(image->root_fd, &fs) || !(fs.f_flag & ST_NOEXEC))
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "the image %s lies where nothing may be executed (noexec): \"mount -o "
		       "remount,exec\" there as root, or let GLOVEBOX_IMAGES name another store",
		       image->reference);
}

void image_close(struct image *image)
{
	own_close(&image->root_fd);
	own_close(&image->lock_fd);
	free(image->reference);
	free(image->root_path);
	free(image->config.seeds);
	free(image->strings);
	json_free(image->document);
	*image = image_none(NULL);
}

static bool image_tag_exists(const char *store, const char *name)
{
	auto_free char *link = own_printf("%s/tags/%s", store, name);

	return !faccessat(AT_FDCWD, link, F_OK, AT_SYMLINK_NOFOLLOW) &&
	       (!faccessat(AT_FDCWD, link, X_OK, 0) || errno != EACCES);
}

bool image_exists(const char *reference)
{
	auto_stores struct image_stores s = {0};
	bool found = false;

	image_stores_init(&s);
	for (size_t i = 0; i < s.count && !found; i++)
		found = image_tag_exists(s.paths[i], reference);
	return found;
}

/* Other users' files beside the tags may have any name; tags that we make have a canonical one. */
static bool image_is_canonical(const char *reference)
{
	auto_free char *canonical = NULL;
	struct err ignored;

	return !image_reference(reference, &canonical, &ignored) && !strcmp(canonical, reference);
}

/*
 * Call `each` for the tag of one file name. 1: stop. A damaged image is noted in *e and skipped; an
 * image that is closed to us is just skipped.
 */
static int image_list_one(const struct image_stores *s, size_t store, const char *name, int *status,
			  int (*each)(const struct image *image, void *context), void *context,
			  struct err *e)
{
	auto_free char *reference = own_strdup(name);
	struct err damage = {0};
	struct image image;
	int found;
	int stop;

	for (size_t i = 0; i < store; i++) {
		if (image_tag_exists(s->paths[i], name))
			return 0;
	}
	for (char *p = reference; *p; p++)
		*p = *p == '+' ? '/' : *p;
	if (!image_is_canonical(reference))
		return 0;
	found = image_open_in(s->paths[store], reference, &image, &damage);
	if (found < 0 && damage.kind != ERR_DENIED && *status == 0) {
		*status = -1;
		*e = damage;
	}
	if (found <= 0)
		return 0;
	stop = each(&image, context);
	image_close(&image);
	return stop;
}

int image_list(int (*each)(const struct image *image, void *context), void *context, struct err *e)
{
	auto_stores struct image_stores s = {0};
	int status = 0;
	int stop = 0;

	image_stores_init(&s);
	for (size_t i = 0; i < s.count && !stop; i++) {
		auto_free char *path = own_printf("%s/tags", s.paths[i]);
		auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		auto_list struct list names = {0};

		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0 || names_read(fd, SIZE_MAX, &names) < 0)
			return err_sys(e, "open %s", path);
		for (size_t j = 0; j < names.count && !stop; j++) {
			if (*names.items[j] != '.')
				stop = image_list_one(&s, i, names.items[j], &status, each, context,
						      e);
		}
	}
	return status;
}
