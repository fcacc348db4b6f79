/*
 * repl_settings - the flags of `glovebox session repl` besides those of `run`, one row each.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_FLAGS_REPL_SETTINGS_H
#define GLOVEBOX_FLAGS_REPL_SETTINGS_H

#include "spec/setting.h"
#include "spec/spec.h"

struct repl_options {
	const char *image; /* as it was typed; NULL: that of the user's supervisor */
	bool trust_image;
	const char *preload;         /* NULL: the image's */
	struct written_path figures; /* directory; NULL: figures are not saved */
	const char *formats;
};

/* Bind these rows to @options, and those of a sandbox to @spec. */
struct settings repl_all_settings(struct sandbox_spec *spec, struct repl_options *options);

extern const struct setting repl_settings[]; /* ends with a null name */

#endif
