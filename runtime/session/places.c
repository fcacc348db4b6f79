/*
 * places - the user's two directories that a session sees: /data and /output.
 */
#include "session/places.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/path.h"
#include "fs/trusted_path.h"

#define OUTPUT_TRIES                                                                               \
	16 /* another agent may remove it just then; some file systems do not count links */

struct places places_none(void)
{
	return (struct places){.workspace_fd = -1, .output_fd = -1, .lock_fd = -1};
}

static int places_open_directory(const char *given, bool make, char **path, int *fd, struct err *e)
{
	auto_fd int made = make ? trusted_path_make(written_path(given), LINKS_OF_SYSTEM, e) : -1;
	char found[PATH_MAX];

	if (make && made < 0)
		return -1;
	*fd = trusted_path_directory(given, LINKS_OF_SYSTEM, e);
	if (*fd < 0)
		return -1;
	if (fd_path_read(*fd, found))
		return err_sys(e, "find the path of %.300s", given);
	*path = own_strdup(found);
	return 0;
}

/*
 * Lock the directory so that other agents do not remove it while we use it (see places_close()).
 * This matters only to agents that start and end at the same moment, and a program may hold such a
 * lock, too: never wait for it.
 */
static void places_lock_output(struct places *p)
{
	p->lock_fd = openat(p->output_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->lock_fd >= 0)
		(void)flock(p->lock_fd, LOCK_SH | LOCK_NB);
}

static bool places_is_removed(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_nlink;
}

static int places_open_output(const char *given, struct places *p, struct err *e)
{
	int tries = 0;

	do {
		places_close(p);
		p->output_made = access(given, F_OK) && errno == ENOENT;
		if (places_open_directory(given, true, &p->output, &p->output_fd, e))
			return -1;
		places_lock_output(p);
	} while (places_is_removed(p->output_fd) && ++tries < OUTPUT_TRIES);
	return faccessat(p->output_fd, ".", W_OK | X_OK, AT_EACCESS)
		       ? err_sys(e, "write in %.300s", given)
		       : 0;
}

static int places_open_workspace(const struct places_options *o, struct places *p, struct err *e)
{
	if (!o->workspace ||
	    !places_open_directory(o->workspace, false, &p->workspace, &p->workspace_fd, e))
		return 0;
	return e->number == ENOENT && !o->needs_workspace ? 0 : -1;
}

int places_open(const struct places_options *o, struct places *out, struct err *e)
{
	*out = places_none();
	if (o->output && places_open_output(o->output, out, e)) {
		err_prefix(e, "--output");
	} else if (places_open_workspace(o, out, e)) {
		err_prefix(e, "--workspace");
	} else if (out->workspace && out->output && path_is_below(out->workspace, out->output)) {
		err_input(e,
			  "--workspace lies below --output, where programs write: they could put "
			  "something else in its place");
	} else {
		return 0;
	}
	places_close(out);
	return -1;
}

static struct mount_spec *places_add_mount(const char *target, const char *source, int source_fd,
					   struct sandbox_spec *spec)
{
	struct mount_spec *m = spec_add_mount(spec, MOUNT_BIND, target);

	m->source = spec_strdup(spec, source);
	m->source_fd = source_fd;
	return m;
}

void places_add_mounts(const struct places *p, bool works_in_output, struct sandbox_spec *spec)
{
	if (p->workspace)
		places_add_mount("/data", p->workspace, p->workspace_fd, spec)->read_only = true;
	if (p->output)
		places_add_mount("/output", p->output, p->output_fd, spec)->is_place =
			works_in_output;
}

void places_close(struct places *p)
{
	if (p->output_made && p->lock_fd >= 0 && !flock(p->lock_fd, LOCK_EX | LOCK_NB))
		(void)rmdir(p->output);
	own_close(&p->lock_fd);
	own_close(&p->workspace_fd);
	own_close(&p->output_fd);
	free(p->workspace);
	free(p->output);
	*p = places_none();
}
