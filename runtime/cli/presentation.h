/*
 * presentation - the flags of a run that concern its presentation, not the sandbox.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_CLI_PRESENTATION_H
#define GLOVEBOX_CLI_PRESENTATION_H

#include <stdbool.h>

#include "base/err.h"
#include "spec/setting.h"
#include "spec/spec.h"

struct presentation {
	bool json;
	bool explain;
	bool quiet;
	bool help;                       /* only print this text */
	struct written_path result_file; /* the spec owns the text */
	struct written_path cidfile;
	struct string_list labels; /* of argv */
};

void presentation_fini(struct presentation *show);

/* The flags of `glovebox run` and `docker run`, bound to the two structs. */
struct settings presentation_settings(struct sandbox_spec *spec, struct presentation *show);

/* Errors: ERR_INPUT, naming the flags that disagree. */
int presentation_check(const struct presentation *show, const struct sandbox_spec *spec,
		       struct err *e);

#endif
