/*
 * session_files - `glovebox session files, put, get, delete`: what is in /workspace.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/io.h"
#include "base/loop.h"
#include "base/new_file.h"
#include "base/own.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "client/client.h"
#include "client/files.h"

/* "-" is our own stream. */
static int session_files_open_local(const char *path, bool write, struct err *e)
{
	int fd;

	if (!strcmp(path, "-"))
		return dup(write ? STDOUT_FILENO : STDIN_FILENO);
	if (write)
		return new_file_open(path, O_TRUNC, e);
	fd = io_open_to_read(AT_FDCWD, path);
	return fd < 0 ? err_sys(e, "open %.300s", path) : fd;
}

static int session_files_do(const struct files_request *request, struct files_result *out,
			    struct err *e)
{
	struct files *files;

	if (files_start(request, &files, e))
		return -1;
	do
		loop_wait(files_loop(files), -1);
	while (!files_step(files));
	return files_end(files, out, e);
}

/* The session is ours only for this: our own files and readers may be slow, or never ready. */
static int session_files_borrow(const char *name, struct files_request *request,
				struct files_result *out, struct err *e)
{
	auto_fd int connection = -1;
	struct session session;
	struct err ignored;
	int bad;

	if (client_borrow(NULL, name, true, SESSION_WAIT_MS, &session, &connection, e))
		return -1;
	request->root_fd = session.fds[SESSION_WORKSPACE];
	files_rules_init(&request->rules, session.host_uid, session.host_gid);
	request->rules.max_bytes = WORKSPACE_BYTES;
	bad = session_files_do(request, out, e);
	(void)client_return(NULL, &session, false, &connection, &ignored);
	return bad;
}

static int session_files_list(char **argv, struct files_request *request, struct err *e)
{
	struct files_result result = {0};

	if (session_files_borrow(argv[1], request, &result, e))
		return -1;
	puts(buf_string(&result.json));
	buf_fini(&result.json);
	if (result.listed.truncated)
		fputs("glovebox: the listing is not complete\n", stderr);
	return 0;
}

/* All that a session can hold, and a byte more, which is refused then. -1 with errno. */
static int session_files_copy(int from, int to)
{
	char bytes[65536];
	size_t left = (size_t)WORKSPACE_BYTES + 1;

	while (left) {
		ssize_t n = read(from, bytes, left < sizeof(bytes) ? left : sizeof(bytes));

		if (n == 0)
			return 0;
		if (n < 0 && errno == EAGAIN)
			fd_await(from, POLLIN, LOOP_NEVER);
		else if (n < 0 ? errno != EINTR : io_write_all(to, bytes, (size_t)n))
			return -1;
		left -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* What may be slow is read to its end before anybody waits for the session. */
static int session_files_open_whole(const char *from, struct err *e)
{
	auto_fd int local = session_files_open_local(from, false, e);
	auto_fd int whole = -1;
	struct stat st;

	if (local < 0 || (!fstat(local, &st) && S_ISREG(st.st_mode)))
		return take_fd(&local);
	whole = memfd_create("glovebox-put", MFD_CLOEXEC);
	if (whole < 0 || session_files_copy(local, whole) || lseek(whole, 0, SEEK_SET))
		return err_sys(e, "read %.300s", from);
	return take_fd(&whole);
}

static int session_files_put(char **argv, struct files_request *request, struct err *e)
{
	auto_fd int content = session_files_open_whole(argv[2], e);
	struct files_result result;

	request->content_fd = content;
	return content < 0 ? -1 : session_files_borrow(argv[1], request, &result, e);
}

/* Through a nameless file: an existing file stays as it is until everything has come. */
static int session_files_get(char **argv, struct files_request *request, struct err *e)
{
	auto_fd int whole = memfd_create("glovebox-get", MFD_CLOEXEC);
	auto_fd int local = -1;
	struct files_result result;

	if (whole < 0)
		return err_sys(e, "make a temporary file");
	request->content_fd = whole;
	if (session_files_borrow(argv[1], request, &result, e))
		return -1;
	local = session_files_open_local(argv[3], true, e);
	if (local < 0)
		return -1;
	if (lseek(whole, 0, SEEK_SET))
		return err_sys(e, "read the temporary file");
	return session_files_copy(whole, local) ? err_sys(e, "write %.300s", argv[3]) : 0;
}

static int session_files_delete(char **argv, struct files_request *request, struct err *e)
{
	struct files_result result;

	return session_files_borrow(argv[1], request, &result, e);
}

static int session_files_act(enum files_action action, const char *usage, int least, int most,
			     int argc, char **argv)
{
	static int (*const acts[])(char **, struct files_request *, struct err *) = {
		[FILES_LIST] = session_files_list,
		[FILES_PUT] = session_files_put,
		[FILES_GET] = session_files_get,
		[FILES_DELETE] = session_files_delete,
	};
	struct files_request request = {
		.action = action, .content_fd = -1, .mode = 0644, .recursive = true};
	struct err e;

	signal(SIGPIPE, SIG_IGN); /* a reader that leaves is an error like any other */
	if (argc < least || argc > most) {
		err_input(&e, "session %s", usage);
		return fail_with(&e);
	}
	request.path = argc > 2 ? argv[action == FILES_PUT ? 3 : 2] : "";
	return acts[action](argv, &request, &e) ? fail_with(&e) : 0;
}

int session_files(int argc, char **argv)
{
	return session_files_act(FILES_LIST, "files NAME [DIRECTORY]", 2, 3, argc, argv);
}

int session_put(int argc, char **argv)
{
	return session_files_act(FILES_PUT, "put NAME FILE|- PATH", 4, 4, argc, argv);
}

int session_get(int argc, char **argv)
{
	return session_files_act(FILES_GET, "get NAME PATH FILE|-", 4, 4, argc, argv);
}

int session_delete(int argc, char **argv)
{
	return session_files_act(FILES_DELETE, "delete NAME PATH", 3, 3, argc, argv);
}
