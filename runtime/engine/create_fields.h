/*
 * create_fields - members of the body of a create, and the flag of `docker create` that each is.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_CREATE_FIELDS_H
#define GLOVEBOX_ENGINE_CREATE_FIELDS_H

#include "engine/create_field.h"

/* Those of the body, and those of its HostConfig; they end with a null member. */
extern const struct create_field create_fields[];
extern const struct create_field create_host_fields[];

#endif
