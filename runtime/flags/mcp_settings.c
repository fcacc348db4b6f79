/*
 * mcp_settings - the flags of `glovebox mcp` besides the limits of a session, one row each.
 */
#include "flags/mcp_settings.h"

#include <stddef.h>

#include "spec/preload.h"
#include "spec/run_settings.h"

#define AT(field) offsetof(struct mcp_options, field)
#define HOUR      3600000ll

/* clang-format off */
const struct setting mcp_settings[] = {
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_MCP, SETTING_TEXT, AT(image), "python", .min = 1, .help = "whose Python runs the code"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_MCP, SETTING_FLAG, AT(trust_image), NULL, .help = "accept an imported image: its interpreter is then as trusted as glovebox itself"},
	{"workspace", 'w', "DIR", GROUP_FILES, FACE_MCP, SETTING_TEXT, AT(workspace), NULL, .min = 1, .help = "directory of yours that code reads as /data"},
	{"output", 'o', "DIR", GROUP_FILES, FACE_MCP, SETTING_WRITTEN, AT(output), NULL, .min = 1, .help = "directory of yours that it writes as /output; created if missing, where nobody else can write"},
	{"preload", 0, "MODULES", GROUP_PROGRAM, FACE_MCP, SETTING_TEXT, AT(preload), NULL, .words = PRELOAD_WORDS, .help = PRELOAD_HELP},
	{"pool", 0, "N", GROUP_PROGRAM, FACE_MCP, SETTING_COUNT, AT(pool), "1", .min = 1, .max = 1000, .help = "cells that wait, ready for the next session, unless the user's warm supervisor serves"},
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_MCP, SETTING_DURATION, AT(timeout_ms), "30s", .min = 1, .max = 24 * HOUR, .help = "of a call that names none"},
	{"max-timeout", 0, "DURATION", GROUP_LIMITS, FACE_MCP, SETTING_DURATION, AT(timeout_max_ms), "55s", .min = 1, .max = 24 * HOUR, .help = "the longest that a call may name; most clients give up after 60s"},
	{"max-output", 0, "BYTES", GROUP_LIMITS, FACE_MCP, SETTING_COUNT, AT(output_max), "50000", .min = 64, .max = 1 << 20, .help = "of each of stdout, stderr, the value and the traceback in a result; the rest is dropped"},
	{"max-sessions", 0, "N", GROUP_LIMITS, FACE_MCP, SETTING_COUNT, AT(sessions_max), "4", .min = 1, .max = 1000, .help = "sessions at once"},
	SETTING_END,
};
/* clang-format on */

struct settings mcp_all_settings(struct sandbox_spec *spec, struct mcp_options *options)
{
	return (struct settings){
		.face = FACE_MCP,
		.keeper = spec,
		.hint = "\"glovebox mcp --help\" lists them",
		.tables = {{mcp_settings, options, NULL}, run_settings_table(spec)},
	};
}
