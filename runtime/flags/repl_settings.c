/*
 * repl_settings - the flags of `glovebox session repl` besides those of `run`, one row each.
 */
#include "flags/repl_settings.h"

#include <stddef.h>

#include "flags/docker_settings.h"
#include "flags/setting_words.h"
#include "spec/preload.h"
#include "spec/run_settings.h"

#define AT(field) offsetof(struct repl_options, field)

/* clang-format off */
const struct setting repl_settings[] = {
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, AT(image), NULL, .min = 1, .words = "that of the warm supervisor, else python", .help = "begin a session of its own on it, which ends with the prompt"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_SESSION, SETTING_FLAG, AT(trust_image), NULL, .help = "accept an imported image: its interpreter is then as trusted as glovebox itself"},
	{"preload", 0, "MODULES", GROUP_PROGRAM, FACE_SESSION, SETTING_TEXT, AT(preload), NULL, .words = PRELOAD_WORDS, .help = PRELOAD_HELP},
	{"figures", 0, "DIR", GROUP_RESULT, FACE_SESSION, SETTING_WRITTEN, AT(figures), NULL, .min = 1, .help = "save figures there, as figure-N.png, and close them"},
	{"formats", 0, "LIST", GROUP_RESULT, FACE_SESSION, SETTING_TEXT, AT(formats), "png", .help = "formats of figures, separated by commas: png, svg, jpeg, pdf"},
	{"interactive", 'i', NULL, GROUP_DOCKER, FACE_SESSION, SETTING_MOOT, 0, "true", .harmless = "*", .help = "input() always reads what is typed"},
	{"tty", 't', NULL, GROUP_DOCKER, FACE_SESSION, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: the prompt is at your terminal anyway"},
	SETTING_END,
};
/* clang-format on */

struct settings repl_all_settings(struct sandbox_spec *spec, struct repl_options *options)
{
	return (struct settings){
		.face = FACE_SESSION,
		.needs = FACE_SESSION,
		.unfit = "for runs, not for sessions",
		.grammar = WORDS_BUNDLED | WORDS_ANYWHERE,
		.keeper = spec,
		.hint = "\"glovebox session repl --help\" lists them",
		.tables = {{repl_settings, options, NULL},
			   run_settings_table(spec),
			   {docker_settings, NULL, NULL}},
	};
}
