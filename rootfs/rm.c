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
#include "host/image.h"
#include "leftovers.h"
#include "size.h"
#include "spec/image_reference.h"
#include "store.h"

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

#define ID_DIGITS_MIN 12 /* shorter ones may be a name */

static void rm_say(const struct store *s, const char *reference, const char *target, bool removed)
{
	auto_list struct list others = {0};
	struct err ignored;

	if (!removed)
		(void)store_references(s, target, &others, &ignored);
	printf("%s %s", removed ? "removed" : "untagged", reference);
	for (size_t i = 0; i < others.count; i++)
		printf("%s%s", i ? ", " : "; still here as ", others.items[i]);
	printf("\n");
}

static int rm_remove_one(const struct store *s, const char *text, struct err *e)
{
	auto_free char *reference = NULL;
	auto_free char *target = NULL;
	struct err ignored;
	int removed;

	if (image_reference(text, &reference, e))
		return -1;
	if (!strcmp(reference, "host:latest"))
		return err_input(e, "\"host\" is the built-in image: it cannot be removed");
	(void)store_target(s, reference, &target, &ignored);
	if (store_untag(s, reference, &removed, e))
		return rm_not_ours(s, reference, e);
	rm_say(s, reference, target ? target : "", removed);
	return 0;
}

/* The names of an image whose id begins with these digits. */
struct rm_search {
	const char *id;
	struct list names;
};

static int rm_note_name(const struct image *image, void *context)
{
	struct rm_search *search = context;
	const char *colon = strchr(image->config.id, ':');

	if (colon && !strncmp(colon + 1, search->id, strlen(search->id)))
		list_add(&search->names, image->reference);
	return 0;
}

/* Remove by name or, as `images -q` prints it, by id. */
static int rm_remove(const struct store *s, const char *text, struct err *e)
{
	struct rm_search search = {.id = strncmp(text, "sha256:", 7) ? text : text + 7};
	size_t length = strlen(search.id);
	int status = -1;
	struct err ignored;

	if (length >= ID_DIGITS_MIN && strspn(search.id, "0123456789abcdef") == length)
		(void)image_list(rm_note_name, &search, &ignored);
	if (!search.names.count)
		return rm_remove_one(s, text, e);
	for (size_t i = 0; i < search.names.count; i++) {
		status = rm_remove_one(s, search.names.items[i], e);
		if (status)
			break;
	}
	list_fini(&search.names);
	return status;
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

static int rm_prune(const struct store *s, struct err *e)
{
	size_t count;
	size_t used;

	if (store_prune(s, &count, &used, e))
		return -1;
	printf("removed %zu untagged", count);
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
			printf("kept %s, which is in use\n", canonical);
		else if (rm_remove_one(s, canonical, e))
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
	int at = arguments_read(&command_prune, argc, argv, &o, e);

	if (at < 0 || arguments_expect(&command_prune, argc - at, 0, 0, e) || store_open(&store, e))
		return -1;
	if ((o.all && rm_remove_all(&store, e)) || rm_prune(&store, e))
		return -1;
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
