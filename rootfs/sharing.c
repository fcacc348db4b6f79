/*
 * sharing - `glovebox image share`: open an image to all users of the machine, or close it.
 */
#include <stdio.h>

#include "base/own.h"
#include "command.h"
#include "image/image_reference.h"
#include "rootfs/store/store.h"

/* clang-format off */
static const struct setting sharing_settings[] = {
	{"off", 0, NULL, GROUP_PROGRAM, FACE_IMAGE, SETTING_FLAG, 0, NULL, .help = "close them to other users again"},
	SETTING_END,
};
/* clang-format on */

static int sharing_set(const struct store *s, const char *text, bool shared, struct err *e)
{
	auto_free char *reference = NULL;

	if (image_reference(text, &reference, e) || store_share(s, reference, shared, e))
		return -1;
	printf("%s %s\n", shared ? "shared" : "closed", reference);
	return 0;
}

static int sharing_run(int argc, char **argv, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	bool off = false;
	int at = arguments_read(&command_share, argc, argv, &off, e);

	if (at < 0 || arguments_expect(&command_share, argc - at, 1, 10000, e) ||
	    store_open(&store, e))
		return -1;
	for (int i = at; i < argc; i++) {
		if (sharing_set(&store, argv[i], !off, e))
			return -1;
	}
	return 0;
}

const struct command command_share = {
	.name = "share",
	.usage = "[--off] NAME[:TAG]...",
	.summary = "Let all users of this machine run images",
	.settings = sharing_settings,
	.help = "An image is its owner's alone until it is shared; then every user reads all of "
		"its\n"
		"files, those of mode 0600 too. What a shared name means after a rebuild is "
		"shared\n"
		"as well. Root's are found by all; others by GLOVEBOX_IMAGES.\n",
	.run = sharing_run,
	.images = true,
};
