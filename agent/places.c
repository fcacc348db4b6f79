/*
 * places - the two directories of the user that the sandbox sees.
 */
#include "agent/places.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/path.h"
#include "host/make_dirs.h"

static int open_directory(const char *given, char **path, int *fd, struct err *e)
{
	*path = realpath(given, NULL);
	*fd = *path ? open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return *fd < 0 ? err_sys(e, "open %.300s", given) : 0;
}

static int open_output(const char *given, struct places *p, struct err *e)
{
	char absolute[PATH_MAX];
	char here[PATH_MAX];
	int n;

	if (!getcwd(here, sizeof(here)))
		return err_sys(e, "find the current directory");
	n = given[0] == '/' ? snprintf(absolute, sizeof(absolute), "%s", given)
			    : snprintf(absolute, sizeof(absolute), "%s/%s", here, given);
	if (n < 0 || (size_t)n >= sizeof(absolute))
		return err_input(e, "the path is too long");
	if (access(absolute, F_OK) && make_dirs(absolute, e))
		return -1;
	if (open_directory(absolute, &p->output, &p->output_fd, e))
		return -1;
	return faccessat(p->output_fd, ".", W_OK | X_OK, AT_EACCESS)
		       ? err_sys(e, "write in %.300s", given)
		       : 0;
}

static int open_workspace(const struct agent_options *o, struct places *p, struct err *e)
{
	if (!open_directory(o->workspace, &p->workspace, &p->workspace_fd, e))
		return 0;
	return e->number == ENOENT && !o->workspace_given ? 0 : -1;
}

int places_open(const struct agent_options *o, struct places *out, struct err *e)
{
	*out = (struct places){.workspace_fd = -1, .output_fd = -1};
	if (open_output(o->output, out, e)) {
		err_prefix(e, "--output");
	} else if (open_workspace(o, out, e)) {
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
