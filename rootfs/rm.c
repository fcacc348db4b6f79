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

static int remove_one(const struct store *s, const char *text, struct err *e)
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

static int run(int argc, char **argv, struct err *e)
{
	static const struct option table[] = {
		{"untagged", no_argument, NULL, 'u'},
                {0     }
        };
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	bool untagged = false;
	size_t count;
	int option;

	while ((option = option_next(argc, argv, table, e)) > 0)
		untagged = true;
	if (option < 0 || arguments_expect(&command_rm, argc - optind, !untagged, 10000, e) ||
	    store_open(&store, e))
		return -1;
	for (int i = optind; i < argc; i++) {
		if (remove_one(&store, argv[i], e))
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
	.help = "  --untagged  also what no name is left for, such as the image before a "
		"rebuild\n\n"
		"A tree goes with the last tag that names it. Sandboxes that run on it keep what\n"
		"they have open and lose the rest: stop them first.\n",
	.run = run,
};
