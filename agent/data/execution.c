/*
 * execution - the outcome of running one piece of code: ownership.
 */
#include "agent/data/execution.h"

#include <stdlib.h>

void execution_fini(struct execution *x)
{
	for (size_t i = 0; i < x->file_count; i++)
		free(x->files[i].path);
	free(x->files);
	free(x->value);
	free(x->traceback);
	buf_fini(&x->output[0]);
	buf_fini(&x->output[1]);
	*x = (struct execution){.verdict = x->verdict};
}
