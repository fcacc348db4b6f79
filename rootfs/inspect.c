/*
 * inspect - the row of `glovebox image inspect`, which glovebox itself performs.
 */
#include "command.h"

static int inspect_run(int argc, char **argv, struct err *e)
{
	(void)argc;
	(void)argv;
	return err_input(e, "inspect is a command of glovebox: glovebox image inspect %s",
			 command_inspect.usage);
}

/* clang-format off */
static const struct setting inspect_settings[] = {
	{"format", 'f', "TEMPLATE", GROUP_RESULT, FACE_IMAGE, SETTING_TEXT, 0, NULL, .help = "text with {{.Name}} in it, or json"},
	SETTING_END,
};
/* clang-format on */

const struct command command_inspect = {
	.name = "inspect",
	.usage = "[--format TEMPLATE] NAME[:TAG]...",
	.summary = "Print the configuration of images as JSON, as docker does",
	.settings = inspect_settings,
	.help = "",
	.run = inspect_run,
	.images = true,
};
