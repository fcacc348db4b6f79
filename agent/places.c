/*
 * places - the two directories of the user that the sandbox sees.
 */
#include "agent/places.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/path.h"
#include "base/trusted_path.h"

static int places_open_directory(const char *given, bool make, char **path, int *fd, struct err *e)
{
	char found[PATH_MAX];

	*fd = trusted_path_directory(given, make, e);
	if (*fd < 0)
		return -1;
	if (fd_path_read(*fd, found))
		return err_sys(e, "find the path of %.300s", given);
	*path = own_strdup(found);
	return 0;
}

static int places_open_output(const char *given, struct places *p, struct err *e)
{
	if (places_open_directory(given, true, &p->output, &p->output_fd, e))
		return -1;
	return faccessat(p->output_fd, ".", W_OK | X_OK, AT_EACCESS)
		       ? err_sys(e, "write in %.300s", given)
		       : 0;
}

static int places_open_workspace(const struct agent_options *o, struct places *p, struct err *e)
{
	if (!places_open_directory(o->workspace, false, &p->workspace, &p->workspace_fd, e))
		return 0;
	return e->number == ENOENT && !o->workspace_given ? 0 : -1;
}

int places_open(const struct agent_options *o, struct places *out, struct err *e)
{
	*out = (struct places){.workspace_fd = -1, .output_fd = -1};
	if (places_open_output(o->output, out, e)) {
		err_prefix(e, "--output");
	} else if (places_open_workspace(o, out, e)) {
		err_prefix(e, "--workspace");
	} else if (out->workspace && path_is_below(out->workspace, out->output)) {
		err_input(e,
			  "--workspace lies below --output, where programs write: they could put "
			  "something else in its place");
	} else {
		return 0;
	}
	places_close(out);
	return -1;
}

void places_close(struct places *p)
{
	own_close(&p->workspace_fd);
	own_close(&p->output_fd);
	free(p->workspace);
	free(p->output);
	*p = (struct places){.workspace_fd = -1, .output_fd = -1};
}
