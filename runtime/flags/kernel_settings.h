/*
 * kernel_settings - the flags of `glovebox kernel` besides those of a session, one row each.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_FLAGS_KERNEL_SETTINGS_H
#define GLOVEBOX_FLAGS_KERNEL_SETTINGS_H

#include "spec/setting.h"
#include "spec/spec.h"

struct kernel_options {
	const char *connection_file;
	const char *image; /* as it was typed; NULL: that of the user's supervisor */
	bool trust_image;
	const char *preload;   /* NULL: the image's */
	const char *workspace; /* NULL: the directory in which the kernel is started */
	bool no_workspace;
	bool write;          /* cells may write to it */
	uint64_t timeout_ms; /* of a cell */

	/* `kernel install` alone has these: they describe the kernelspec. */
	bool user;
	struct written_path prefix;
	const char *display_name;
};

/* Bind these rows to @options, and those of a sandbox to @spec. @installs: `kernel install`. */
struct settings kernel_all_settings(struct sandbox_spec *spec, struct kernel_options *options,
				    bool installs);

extern const struct setting kernel_settings[];         /* ends with a null name */
extern const struct setting kernel_install_settings[]; /* ends with a null name */

#endif
