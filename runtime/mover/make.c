/*
 * make - make a directory, or give what is there another name.
 */
#include <errno.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/reach.h"
#include "mover/said.h"

#define MAKE_MODE 0755

static long make_reach(struct reach *r, const char *root, char *path)
{
	long n = reach_begin(r, root, path);

	sys1(__NR_umask, 0022);
	return n < 0 ? n : reach_walk(r, true);
}

/* The last name may be there already: -EEXIST. */
void make_run(char **words)
{
	struct reach r;
	long n = make_reach(&r, words[0], words[1]);

	if (n >= 0)
		n = sys3(__NR_mkdirat, r.dir, r.rest, MAKE_MODE);
	if (n < 0)
		said_error(NULL, n);
}

/* As rename(2), it replaces what has the new name. */
void rename_run(char **words)
{
	struct reach from;
	struct reach to;
	struct stat st = {0};
	long n = reach_look(&from, words[0], words[1], &st);

	if (n >= 0)
		n = make_reach(&to, words[0], words[2]);
	if (n >= 0)
		n = sys5(__NR_renameat2, from.dir, from.rest, to.dir, to.rest, 0);
	if (n < 0)
		said_error(NULL, n == -EBUSY ? -EXDEV : n);
}
