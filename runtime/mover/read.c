/*
 * read - the content of one file.
 */
#include <fcntl.h>

#include "inside/sys.h"
#include "mover/files.h"
#include "mover/member.h"
#include "mover/output.h"
#include "mover/reach.h"
#include "mover/said.h"

/* As many bytes as it had when it was opened: one that always grows has an end. */
static void read_content(int fd, long long size)
{
	struct stat st = {0};
	long error = 0;

	said.size = (uint64_t)size;
	said.bytes = (uint64_t)(size - output_data(fd, size, &error));
	output_flush();
	if (error < 0)
		said_error(NULL, error);
	else if (sys2(__NR_fstat, fd, &st) >= 0)
		said.has_grown = (uint64_t)st.st_size > said.bytes;
}

/* It is judged before it is opened: to open a FIFO acts. */
void read_run(char **words)
{
	const unsigned long long most = files_number(words[2], 10);
	struct reach r;
	struct stat st = {0};
	long n = reach_look(&r, words[0], words[1], &st);

	said.mode = st.st_mode;
	said.size = (uint64_t)st.st_size;
	if (n < 0)
		said_error(NULL, n);
	else if (!S_ISREG(st.st_mode))
		said_wrong(NULL, FILES_NOT_WANTED);
	else if ((uint64_t)st.st_size > most)
		said_wrong(NULL, FILES_TOO_LARGE);
	if (said.wrong)
		return;
	n = member_open(r.dir, r.rest, S_IFREG, &st);
	if (n < 0)
		said_error(NULL, n);
	else
		read_content((int)n, (uint64_t)st.st_size > most ? (long long)most : st.st_size);
}
