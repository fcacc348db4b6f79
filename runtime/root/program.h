/*
 * program - decide the program's arguments, user and variables from spec and image.
 *
 * Reads /etc/passwd and /etc/group of the image, never outside its tree.
 * Runs: monitor, client, supervisor, before anything starts. Needs: read access to the image.
 */
#ifndef GLOVEBOX_ROOT_PROGRAM_H
#define GLOVEBOX_ROOT_PROGRAM_H

#include <stdint.h>

#include "base/err.h"
#include "image/image.h"
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
 * program_resolve - decide the program. The arena of @s owns the strings; program_fini() frees the
 * two lists.
 * Errors: ERR_INPUT for an unknown user name, or without a command.
 */
int program_resolve(const struct sandbox_spec *s, const struct image *image, struct program *out,
		    struct err *e);
void program_fini(struct program *p);

#endif
