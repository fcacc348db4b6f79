/*
 * debian_steps - make the command lines, environments and inputs of the steps of a Debian root.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_DEBIAN_STEPS_H
#define GLOVEBOX_ROOTFS_DEBIAN_DEBIAN_STEPS_H

#include "debian.h"
#include "rootfs/chamber/chamber.h"

enum debian_step {
	STEP_FETCH,
	STEP_BASE,
	STEP_SAVE,
	STEP_INSTALL,
	STEP_WHEELS,
	STEP_FINISH,
	STEP_PACK,
	STEP_COUNT,
};

/* mmdebstrap's full path, owned by the caller; NULL: not installed. */
char *debian_find_tool(void);

/* The file of authorities that the caller names for pip, borrowed; NULL: this machine's. */
const char *debian_certificates(void);

/* Fill in the inputs of one step. @build: of scratch; @inputs: owned, end with _fini. */
int debian_inputs(const struct debian_request *q, enum debian_step which, const char *build,
		  struct chamber_inputs *out, struct err *e);
void debian_inputs_fini(struct chamber_inputs *inputs);

/* Fill in name, argv, env, network, piped and limit_s. End with debian_step_fini(). */
int debian_step(const struct debian_request *q, enum debian_step which, struct chamber_step *out,
		struct err *e);
/* Describe it to the user. */
const char *debian_step_says(enum debian_step which);
/* Whether its script may leave the cause of a failure (fetch_cause.h). */
bool debian_step_leaves_cause(enum debian_step which);
void debian_step_fini(struct chamber_step *step);

#endif
