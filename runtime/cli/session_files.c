/*
 * session_files - `glovebox session files, put, get, delete`: what is in /workspace.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"
#include "base/own.h"
#include "cell/client.h"
#include "cell/files.h"
#include "cli/command.h"
#include "cli/session_command.h"

enum file_action { FILE_LIST, FILE_PUT, FILE_GET, FILE_DELETE };

/* "-" is our own stream. */
static int open_local(const char *path, bool write, struct err *e)
{
	int fd;

	if (!strcmp(path, "-"))
		return dup(write ? STDOUT_FILENO : STDIN_FILENO);
	if (write)
		return new_file_open(path, O_TRUNC, e);
	fd = io_open_to_read(AT_FDCWD, path);
	return fd < 0 ? err_sys(e, "open %.300s", path) : fd;
}

static int list_files(const struct session *s, const char *path, const struct files_rules *rules,
		      struct err *e)
{
	auto_buf struct buf json = {0};
	struct files_listed listed;

	if (files_list(s->fds[SESSION_WORKSPACE], path, rules, &json, &listed, e))
		return -1;
	puts(buf_string(&json));
	if (listed.truncated)
		fputs("glovebox: the listing is not complete\n", stderr);
	return 0;
}

/* By way of a file without a name: what is there stays as it is until all has come. */
static int get_file(int root, const char *path, const char *to, const struct files_rules *rules,
		    struct err *e)
{
	auto_fd int whole = memfd_create("glovebox-get", MFD_CLOEXEC);
	auto_fd int local = -1;
	struct files_got got;
	char bytes[65536];
	ssize_t n;

	if (whole < 0)
		return err_sys(e, "make a temporary file");
	if (files_get(root, path, whole, rules, &got, e))
		return -1;
	local = open_local(to, true, e);
	if (local < 0 || lseek(whole, 0, SEEK_SET))
		return -1;
	while ((n = read(whole, bytes, sizeof(bytes))) > 0) {
		if (io_write_all(local, bytes, (size_t)n))
			return err_sys(e, "write %.300s", to);
	}
	return 0;
}

static int act_on_files(const struct session *s, enum file_action action, int argc, char **argv,
			struct err *e)
{
	int root = s->fds[SESSION_WORKSPACE];
	struct files_rules rules;
	auto_fd int local = -1;

	files_rules_init(&rules, s->host_uid, s->host_gid);
	rules.max_bytes = WORKSPACE_BYTES;
	switch (action) {
	case FILE_LIST:
		return list_files(s, argc > 2 ? argv[2] : "", &rules, e);
	case FILE_PUT:
		local = open_local(argv[2], false, e);
		return local < 0 ? -1 : files_put(root, argv[3], local, 0644, &rules, e);
	case FILE_GET:
		return get_file(root, argv[2], argv[3], &rules, e);
	case FILE_DELETE:
		return files_delete(root, argv[2], true, &rules, e);
	}
	return -1;
}

static int with_files(enum file_action action, const char *usage, int least, int most, int argc,
		      char **argv)
{
	auto_fd int connection = -1;
	struct session session;
	struct err e;
	struct err ignored;
	int bad;

	signal(SIGPIPE, SIG_IGN); /* a reader that leaves is an error like any other (files.h) */
	if (argc < least || argc > most) {
		err_input(&e, "session %s", usage);
		return fail_with(&e);
	}
	if (client_borrow(argv[1], true, SESSION_WAIT_MS, &session, &connection, &e))
		return fail_with(&e);
	bad = act_on_files(&session, action, argc, argv, &e);
	(void)client_return(&session, false, &connection, &ignored);
	return bad ? fail_with(&e) : 0;
}

int session_files(int argc, char **argv)
{
	return with_files(FILE_LIST, "files NAME [DIRECTORY]", 2, 3, argc, argv);
}

int session_put(int argc, char **argv)
{
	return with_files(FILE_PUT, "put NAME FILE|- PATH", 4, 4, argc, argv);
}

int session_get(int argc, char **argv)
{
	return with_files(FILE_GET, "get NAME PATH FILE|-", 4, 4, argc, argv);
}

int session_delete(int argc, char **argv)
{
	return with_files(FILE_DELETE, "delete NAME PATH", 3, 3, argc, argv);
}
