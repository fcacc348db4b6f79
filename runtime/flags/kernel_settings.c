/*
 * kernel_settings - the flags of `glovebox kernel` besides those of a session, one row each.
 */
#include "flags/kernel_settings.h"

#include <stddef.h>

#include "flags/setting_words.h"
#include "spec/preload.h"
#include "spec/run_settings.h"

#define AT(field) offsetof(struct kernel_options, field)
#define DAYS      86400000ll

/* clang-format off */
const struct setting kernel_settings[] = {
	{"connection-file", 'f', "FILE", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, AT(connection_file), NULL, .min = 1, .help = "the file in which the client says where it expects the kernel"},
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, AT(image), NULL, .min = 1, .words = "that of the warm supervisor, else python", .help = "whose Python runs the cells"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_SESSION, SETTING_FLAG, AT(trust_image), NULL, .help = "accept an imported image: its interpreter is then as trusted as glovebox itself"},
	{"preload", 0, "MODULES", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, AT(preload), NULL, .words = PRELOAD_WORDS, .help = PRELOAD_HELP},
	{"workspace", 0, "DIR", GROUP_FILES, FACE_SESSION, SETTING_TEXT, AT(workspace), NULL, .min = 1, .words = "that of the notebook", .help = "directory of yours that cells see as /data, where they begin; a home directory only if it is named"},
	{"no-workspace", 0, NULL, GROUP_FILES, FACE_SESSION, SETTING_FLAG, AT(no_workspace), NULL, .help = "cells see none of your directories"},
	{"write", 0, NULL, GROUP_FILES, FACE_SESSION, SETTING_FLAG, AT(write), NULL, .help = "cells may write to that directory, too"},
	{"cell-timeout", 0, "DURATION", GROUP_LIMITS, FACE_SESSION, SETTING_DURATION, AT(timeout_ms), NULL, .min = 1, .max = 30 * DAYS, .words = "none", .help = "interrupt a cell that runs longer"},
	SETTING_END,
};

const struct setting kernel_install_settings[] = {
	{"user", 0, NULL, GROUP_PROGRAM, FACE_SESSION, SETTING_FLAG, AT(user), NULL, .help = "for you alone, in JUPYTER_DATA_DIR or ~/.local/share/jupyter"},
	{"prefix", 0, "DIR", GROUP_PROGRAM, FACE_SESSION, SETTING_WRITTEN, AT(prefix), NULL, .min = 1, .words = "/usr/local", .help = "in DIR/share/jupyter: of a virtual environment, say"},
	{"display-name", 0, "TEXT", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, AT(display_name), NULL, .min = 1, .words = "Python (sandboxed), with the name", .help = "what clients show"},
	SETTING_END,
};
/* clang-format on */

struct settings kernel_all_settings(struct sandbox_spec *spec, struct kernel_options *options,
				    bool installs)
{
	struct settings s = {
		.face = FACE_SESSION,
		.needs = FACE_SESSION,
		.unfit = "for runs, not for kernels",
		.grammar = WORDS_BUNDLED | WORDS_ANYWHERE,
		.keeper = spec,
		.hint = "\"glovebox kernel --help\" lists them",
		.tables = {{kernel_settings, options, NULL}, run_settings_table(spec)},
	};

	/* First: a sandbox has a --user, too, which no session has. */
	if (installs) {
		s.tables[2] = s.tables[1];
		s.tables[1] = s.tables[0];
		s.tables[0] = (struct setting_table){kernel_install_settings, options, NULL};
	}
	return s;
}
