/*
 * rm - `glovebox image rm`, `prune`: remove tags, and trees without a tag.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/list.h"
#include "base/own.h"
#include "command.h"
#include "image/image.h"
#include "image/image_id.h"
#include "image/image_reference.h"
#include "rootfs/store/leftovers.h"
#include "rootfs/store/size.h"
#include "rootfs/store/store.h"
#include "rootfs/store/usage.h"

/* Another store, such as root's, which others only read, may have it: say so. */
static int rm_not_ours(const struct store *s, const char *reference, struct err *e)
{
	struct err ignored;
	struct image image;
	struct stat st;

	if (e->kind != ERR_NOT_FOUND || image_open(reference, &image, &ignored))
		return -1;
	if (image.root_fd >= 0 && !fstat(image.root_fd, &st))
		err_set(e, ERR_DENIED,
			"\"%s\" is %s: %s. Only its owner removes it; your own are in %s",
			reference, st.st_uid ? "another user's" : "root's", image.root_path,
			s->path);
	image_close(&image);
	return -1;
}

/* Docker's words: scripts read them. */
static void rm_say_as_docker(const char *reference, const char *target, bool removed)
{
	char id[IMAGE_ID];

	if (reference)
		printf("Untagged: %s\n", reference);
	if (removed && image_id_of_target(target, id))
		printf("Deleted: sha256:%s\n", id);
}

static void rm_say(const struct store *s, const char *reference, const char *target, bool removed)
{
	auto_list struct list others = {0};
	struct err ignored;

	if (command_as_docker()) {
		rm_say_as_docker(reference, target, removed);
		return;
	}
	if (!removed)
		(void)store_references(s, target, &others, &ignored);
	printf("%s %s", removed ? "removed" : "untagged", reference);
	for (size_t i = 0; i < others.count; i++)
		printf("%s%s", i ? ", " : "; still here as ", others.items[i]);
	printf("\n");
}

static int rm_remove_tag(const struct store *s, const char *reference, const char *target,
			 struct err *e)
{
	int removed;

	if (store_untag(s, reference, &removed, e))
		return -1;
	rm_say(s, reference, target, removed);
	return 0;
}

/* One without a name, by its id. */
static int rm_remove_untagged(const struct store *s, const char *target, struct err *e)
{
	auto_list struct list removed = {0};
	size_t used;

	if (store_prune(s, target, &removed, &used, e))
		return -1;
	if (used)
		return err_set(e, ERR_BUSY, "a sandbox runs on %.80s",
			       target + strlen("../trees/"));
	for (size_t i = 0; i < removed.count; i++)
		rm_say(s, command_as_docker() ? NULL : removed.items[i], target, true);
	return 0;
}

/* Remove by name or, with every name that it has, by id. */
static int rm_remove(const struct store *s, const char *text, struct err *e)
{
	auto_free char *reference = NULL;
	auto_free char *target = NULL;
	auto_list struct list names = {0};
	struct err ignored;

	if (image_reference(text, &reference, e))
		return -1;
	if (!strcmp(reference, "host:latest"))
		return err_input(e, "\"host\" is the built-in image: it cannot be removed");
	if (!store_target(s, reference, &target, &ignored))
		return rm_remove_tag(s, reference, target, e);
	if (store_find(s, reference, &target, e))
		return rm_not_ours(s, reference, e);
	if (store_references(s, target, &names, e))
		return -1;
	if (!names.count)
		return rm_remove_untagged(s, target, e);
	for (size_t i = 0; i < names.count; i++) {
		if (rm_remove_tag(s, names.items[i], target, e))
			return -1;
	}
	return 0;
}

struct prune_options {
	bool all;
	bool bases;
};

/* clang-format off */
static const struct setting rm_settings[] = {
	{"untagged", 0, NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, 0, NULL, .help = "also remove images without a name, such as the one before a rebuild"},
	{"force", 'f', NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing is asked"},
	{"no-prune", 0, NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: an image has no parents"},
	SETTING_END,
};

static const struct setting prune_settings[] = {
	{"force", 'f', NULL, GROUP_DOCKER, FACE_IMAGE, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: nothing is asked"},
	{"all", 'a', NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, offsetof(struct prune_options, all), NULL, .help = "all your images, also those that have a name, but for those that sandboxes run on"},
	{"bases", 0, NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, offsetof(struct prune_options, bases), NULL, .help = "what builds keep for later builds, too"},
	{"filter", 0, "FILTER", GROUP_REFUSED, FACE_IMAGE, SETTING_MOOT, 0, NULL, .help = "an image with a name is removed by it: image rm NAME"},
	SETTING_END,
};
/* clang-format on */

/* The bytes of all trees, for docker's last line; best effort. */
static uint64_t rm_bytes(const struct store *s)
{
	auto_list struct list ids = {0};
	uint64_t bytes = 0;
	struct err ignored;

	if (command_as_docker() && !store_trees(s, &ids, &ids, &ignored))
		(void)usage_add(s, &ids, &bytes, &ignored);
	return bytes;
}

static int rm_prune(const struct store *s, struct err *e)
{
	auto_list struct list removed = {0};
	size_t used;

	if (store_prune(s, NULL, &removed, &used, e))
		return -1;
	if (command_as_docker()) {
		for (size_t i = 0; i < removed.count; i++)
			printf("Deleted: sha256:%s\n", removed.items[i]);
		return 0;
	}
	printf("removed %zu untagged", removed.count);
	if (used)
		printf("; %zu stay%s in use", used, used == 1 ? "s," : ",");
	printf("\n");
	return 0;
}

static int rm_run(int argc, char **argv, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	bool untagged = false;
	int at = arguments_read(&command_rm, argc, argv, &untagged, e);

	if (at < 0 || arguments_expect(&command_rm, argc - at, !untagged, 10000, e) ||
	    store_open(&store, e))
		return -1;
	for (int i = at; i < argc; i++) {
		if (rm_remove(&store, argv[i], e))
			return -1;
	}
	return untagged ? rm_prune(&store, e) : 0;
}

/* Every name of our store, and so every image that nothing runs on. */
static int rm_remove_all(const struct store *s, struct err *e)
{
	auto_list struct list names = {0};

	if (store_references(s, NULL, &names, e))
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		auto_free char *canonical = NULL;
		auto_free char *target = NULL;
		struct err ignored;

		/* Files of other users beside the tags may have any name. */
		if (image_reference(names.items[i], &canonical, &ignored) ||
		    strcmp(canonical, names.items[i]) != 0)
			continue;
		if (!store_target(s, canonical, &target, &ignored) && store_is_used(s, target))
			fprintf(command_as_docker() ? stderr : stdout, "kept %s, which is in use\n",
				canonical);
		else if (rm_remove(s, canonical, e))
			return -1;
	}
	return 0;
}

static int rm_prune_bases(const struct store *s, struct err *e)
{
	struct leftovers gone;
	char size[24];

	if (leftovers_remove(s, &gone, e))
		return -1;
	printf("removed %zu base%s (%s)\n", gone.count, gone.count == 1 ? "" : "s",
	       size_text(gone.bytes, size));
	return 0;
}

static int rm_run_prune(int argc, char **argv, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	struct prune_options o = {0};
	uint64_t bytes;
	uint64_t left;
	int at = arguments_read(&command_prune, argc, argv, &o, e);

	if (at < 0 || arguments_expect(&command_prune, argc - at, 0, 0, e) || store_open(&store, e))
		return -1;
	bytes = rm_bytes(&store);
	if ((o.all && rm_remove_all(&store, e)) || rm_prune(&store, e))
		return -1;
	left = rm_bytes(&store); /* others may have built more meanwhile */
	if (command_as_docker())
		printf("Total reclaimed space: %lluB\n",
		       (unsigned long long)(bytes > left ? bytes - left : 0));
	return o.bases ? rm_prune_bases(&store, e) : 0;
}

const struct command command_rm = {
	.name = "rm",
	.usage = "[--untagged] [NAME[:TAG]...]",
	.summary = "Remove images",
	.settings = rm_settings,
	.help = "An image is removed with its last tag. Sandboxes that run on it keep the files\n"
		"that they have open and lose the rest: stop them first.\n",
	.run = rm_run,
	.images = true,
};

const struct command command_prune = {
	.name = "prune",
	.usage = "[--all] [--bases]",
	.summary = "Remove images without a name, such as the one before a rebuild",
	.settings = prune_settings,
	.help = "An image on which a sandbox runs, or a warm Python waits, stays.\n",
	.run = rm_run_prune,
};
