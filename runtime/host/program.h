/*
 * program - the process that a spec and an image add up to: argv, user and variables.
 *
 * Reads /etc/passwd and /etc/group of the image, never outside its tree.
 * Runs: monitor, client, supervisor, before anything is made. Needs: read access to the image.
 */
#ifndef GLOVEBOX_HOST_PROGRAM_H
#define GLOVEBOX_HOST_PROGRAM_H

#include <stdint.h>

#include "base/err.h"
#include "host/image.h"
#include "spec/spec.h"

struct program {
	uint32_t uid;
	uint32_t gid;
	const char *home;
	const char *workdir;
	const char *search_path;
	struct string_list argv;
	struct string_list env;
};

/*
 * program_resolve - decide what runs. Strings come from the arena of @s; the two lists are freed
 * with program_fini().
 * Errors: ERR_INPUT for an unknown user name, or if there is nothing to run.
 */
int program_resolve(const struct sandbox_spec *s, const struct image *image, struct program *out,
		    struct err *e);
void program_fini(struct program *p);

#endif
