/*
 * workdir - change to the program's working directory.
 */
#include "inside/confine.h"
#include "inside/sys.h"

int confine_workdir(const struct inside_plan *plan, struct err *e)
{
	long n = sys1(__NR_chdir, plan->workdir);

	return n < 0 ? inside_fail(e, n, "enter the working directory", plan->workdir) : 0;
}
