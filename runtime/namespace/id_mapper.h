/*
 * id_mapper - run newuidmap(1) and newgidmap(1), which map an ordinary user's ranges of /etc/subuid
 * and /etc/subgid.
 *
 * They are set-uid root, or have file capabilities, so we execute them by an absolute path
 * (host/system_program.h), with an empty environment and none of our descriptors.
 *
 * Touches the OS. Runs: supervisor, glovebox-image. Needs: a range of ids; no no_new_privs.
 */
#ifndef GLOVEBOX_NAMESPACE_ID_MAPPER_H
#define GLOVEBOX_NAMESPACE_ID_MAPPER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define ID_MAPPER_RANGES 2 /* at most */

struct id_range {
	uint32_t inside;
	uint32_t outside;
	uint32_t count;
};

/*
 * id_mapper_run - write the map of a new user namespace.
 *
 * @program  "newuidmap" or "newgidmap"
 * @pid      the namespace's first process, waiting
 * Waits for the program at most 10 s. Errors: ERR_UNSUPPORTED: it is missing, or refuses.
 */
int id_mapper_run(const char *program, pid_t pid, const struct id_range *ranges, unsigned count,
		  struct err *e);

#endif
