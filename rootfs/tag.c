/*
 * tag - `glovebox image tag`: give an image another name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "command.h"
#include "image/image_reference.h"
#include "rootfs/store/store.h"

static int tag(const struct store *s, const char *from, const char *to, struct err *e)
{
	auto_free char *source = NULL;
	auto_free char *name = NULL;
	auto_free char *target = NULL;

	if (image_reference(from, &source, e) || image_reference(to, &name, e))
		return -1;
	if (!strcmp(name, "host:latest"))
		return err_input(e, "\"host\" is the built-in image: choose another name");
	if (!strcmp(source, "host:latest"))
		target = own_strdup("@host");
	else if (store_find(s, source, &target, e))
		return -1;
	return store_tag(s, name, target, e);
}

static int tag_run(int argc, char **argv, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	int at = arguments_read(&command_tag, argc, argv, NULL, e);

	if (at < 0 || arguments_expect(&command_tag, argc - at, 2, 2, e) || store_open(&store, e))
		return -1;
	return tag(&store, argv[at], argv[at + 1], e);
}

const struct command command_tag = {
	.name = "tag",
	.usage = "NAME[:TAG] NEW[:TAG]",
	.summary = "Give an image another name",
	.help = "After \"glovebox image tag host code-sandbox\", scripts that ask for an image of\n"
		"that name run on this machine's own /usr.\n",
	.run = tag_run,
	.images = true,
};
