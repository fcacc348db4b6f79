/*
 * create_mounts - HostConfig.Mounts as words of `docker create`.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_CREATE_MOUNTS_H
#define GLOVEBOX_ENGINE_CREATE_MOUNTS_H

#include "engine/create_field.h"

/* Append a --mount for each. Errors: ERR_INPUT. */
int create_mounts(const struct create_words *w, const struct create_field *f,
		  const struct json *value);

#endif
