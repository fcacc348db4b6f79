/*
 * rm - `glovebox image rm`: remove tags, and trees that no tag names any more.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "command.h"
#include "host/image.h"
#include "store.h"

static int rm_remove_one(const struct store *s, const char *text, struct err *e)
{
	auto_free char *reference = NULL;
	int removed;

	if (image_reference(text, &reference, e))
		return -1;
	if (!strcmp(reference, "host:latest"))
		return err_input(e, "\"host\" is the built-in image: it cannot be removed");
	if (store_untag(s, reference, &removed, e))
		return -1;
	printf("%s %s\n", removed ? "removed" : "untagged", reference);
	return 0;
}

/* clang-format off */
static const struct setting rm_settings[] = {
	{"untagged", 0, NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, 0, NULL, .help = "also remove images without a name, such as the one before a rebuild"},
	SETTING_END,
};
/* clang-format on */

static int rm_run(int argc, char **argv, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	bool untagged = false;
	int at = arguments_read(&command_rm, argc, argv, &untagged, e);
	size_t count;

	if (at < 0 || arguments_expect(&command_rm, argc - at, !untagged, 10000, e) ||
	    store_open(&store, e))
		return -1;
	for (int i = at; i < argc; i++) {
		if (rm_remove_one(&store, argv[i], e))
			return -1;
	}
	if (!untagged)
		return 0;
	if (store_prune(&store, &count, e))
		return -1;
	printf("removed %zu untagged\n", count);
	return 0;
}

const struct command command_rm = {
	.name = "rm",
	.usage = "[--untagged] [NAME[:TAG]...]",
	.summary = "Remove images",
	.settings = rm_settings,
	.help = "An image is removed with its last tag. Sandboxes that run on it keep the files\n"
		"that they have open and lose the rest: stop them first.\n",
	.run = rm_run,
};
