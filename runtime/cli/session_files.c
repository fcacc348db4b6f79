/*
 * session_files - `glovebox session files, put, get, delete`: access /workspace.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/session_command.h"
#include "fs/replaced_file.h"
#include "loop/fd.h"
#include "loop/loop.h"
#include "service/notebook_wait.h"
#include "session/session_spec.h"
#include "workspace/files.h"

/* "-" is our own stream. */
static int session_files_open_local(const char *path, struct err *e)
{
	int fd = strcmp(path, "-") != 0 ? io_open_to_read(AT_FDCWD, path) : dup(STDIN_FILENO);

	return fd < 0 ? err_sys(e, "open %.300s", path) : fd;
}

/*
 * The session is borrowed only for the transfer: our own files and readers may be slow, or never
 * ready.
 */
static int session_files_reach(const char *name, struct notebook_request *request,
			       struct notebook_result *out, struct err *e)
{
	const struct notebook_wait wait = {
		.signal_fd = -1, .catches_signals = true, .waits = session_say_waits};

	request->action = NOTEBOOK_FILES;
	request->name = name;
	return notebook_wait(request, &wait, out, e);
}

static void session_files_print_entry(const struct json *entry)
{
	const char *type = json_string_at(entry, "type");
	const char *mode = json_string_at(entry, "mode");
	const char *path = json_string_at(entry, "path");
	const char *target = json_string_at(entry, "target");
	time_t when = (time_t)json_uint_at(entry, "mtime", 0);
	struct tm at = {0};
	char text[32] = "-";

	if (localtime_r(&when, &at))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &at);
	printf("%-9s %s %10llu  %-16s  ", type ? type : "?", mode ? mode : "?",
	       (unsigned long long)json_uint_at(entry, "size", 0), text);
	say_line(stdout, path ? path : "?");
	if (target) {
		fputs(" -> ", stdout);
		say_line(stdout, target);
	}
	putchar('\n');
}

static int session_files_print_table(const struct buf *text, struct err *e)
{
	auto_json struct json *list = json_parse(buf_string(text), text->length, e);

	if (!list)
		return -1;
	printf("%-9s %-4s %10s  %-16s  %s\n", "TYPE", "MODE", "SIZE", "CHANGED", "PATH");
	for (const struct json *n = json_first(list); n; n = json_next(n))
		session_files_print_entry(n);
	return 0;
}

static int session_files_list(char **argv, struct notebook_request *request, bool json,
			      struct err *e)
{
	struct notebook_result result = {0};
	int bad = 0;

	if (session_files_reach(argv[1], request, &result, e))
		return -1;
	if (json)
		puts(buf_string(&result.files.json));
	else
		bad = session_files_print_table(&result.files.json, e);
	if (result.files.listed.truncated)
		fputs("glovebox: the listing is not complete\n", stderr);
	notebook_result_fini(&result);
	return bad;
}

/* Copy up to all that a session can hold, and a byte more, which is then refused. -1 with errno. */
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

/* Read a slow source to its end before we borrow the session. */
static int session_files_open_whole(const char *from, struct err *e)
{
	auto_fd int local = session_files_open_local(from, e);
	auto_fd int whole = -1;
	struct stat st;

	if (local < 0 || (!fstat(local, &st) && S_ISREG(st.st_mode)))
		return take_fd(&local);
	whole = memfd_create("glovebox-put", MFD_CLOEXEC);
	if (whole < 0 || session_files_copy(local, whole) || lseek(whole, 0, SEEK_SET))
		return err_sys(e, "read %.300s", from);
	return take_fd(&whole);
}

static int session_files_put(char **argv, struct notebook_request *request, struct err *e)
{
	auto_fd int content = session_files_open_whole(argv[2], e);
	struct notebook_result result = {0};

	request->files.content_fd = content;
	return content < 0 ? -1 : session_files_reach(argv[1], request, &result, e);
}

/* Move a complete file to its place: it replaces an existing file, which stays after an error. */
static int session_files_write(int whole, const char *path, struct err *e)
{
	struct replaced_file local;
	bool bad;

	if (lseek(whole, 0, SEEK_SET))
		return err_sys(e, "read the temporary file");
	if (!strcmp(path, "-"))
		return session_files_copy(whole, STDOUT_FILENO) ? err_sys(e, "write %.300s", path)
								: 0;
	if (replaced_file_open(&local, written_path(path), LINKS_OF_CALLER, 0, e))
		return -1;
	bad = session_files_copy(whole, local.fd);
	if (bad)
		err_sys(e, "write %.300s", path);
	if (!replaced_file_end(&local, !bad))
		return bad ? -1 : 0;
	return err_sys(e, "write %.300s", path);
}

/* Go through a nameless file: the session need not wait for our disk. */
static int session_files_get(char **argv, struct notebook_request *request, struct err *e)
{
	auto_fd int whole = memfd_create("glovebox-get", MFD_CLOEXEC);
	struct notebook_result result = {0};

	if (whole < 0)
		return err_sys(e, "make a temporary file");
	request->files.content_fd = whole;
	if (session_files_reach(argv[1], request, &result, e))
		return -1;
	return session_files_write(whole, argv[3], e);
}

static int session_files_delete(char **argv, struct notebook_request *request, struct err *e)
{
	struct notebook_result result = {0};

	return session_files_reach(argv[1], request, &result, e);
}

/* The error for missing or surplus operands. */
static int session_files_usage(const char *usage, int argc, char **argv, int most, struct err *e)
{
	const char *missing = usage;

	if (argc > most)
		return err_input(e, "session %s: \"%.100s\" is one too many", usage, argv[most]);
	for (int i = 0; i < argc; i++)
		missing += strcspn(missing, " ") + 1;
	return err_input(e, "session %s: %.*s is missing", usage, (int)strcspn(missing, " "),
			 missing);
}

/* Run one of put, get, delete. @usage: with all of its operands. */
static int session_files_act(const char *usage, int count, struct notebook_request *request,
			     int (*act)(char **, struct notebook_request *, struct err *), int argc,
			     char **argv)
{
	struct err e;

	signal(SIGPIPE, SIG_IGN); /* EPIPE is an error like any other */
	request->files.content_fd = -1;
	if (argc != count)
		session_files_usage(usage, argc, argv, count, &e);
	return argc != count || act(argv, request, &e) ? fail_with(&e) : 0;
}

int session_files(int argc, char **argv)
{
	struct notebook_request request = {
		.files = {.action = FILES_LIST, .content_fd = -1, .path = ""}
        };
	bool json;
	struct err e;

	signal(SIGPIPE, SIG_IGN);
	argc = listing_read(argc, argv, &json, &e);
	if (argc < 0)
		return fail_with(&e);
	if (argc < 2 || argc > 3) {
		session_files_usage("files NAME [DIRECTORY]", argc, argv, 3, &e);
		return fail_with(&e);
	}
	if (argc > 2)
		request.files.path = argv[2];
	return session_files_list(argv, &request, json, &e) ? fail_with(&e) : 0;
}

int session_put(int argc, char **argv)
{
	struct notebook_request request = {
		.files = {.action = FILES_PUT, .path = argc > 3 ? argv[3] : ""}
        };

	return session_files_act("put NAME FILE|- PATH", 4, &request, session_files_put, argc,
				 argv);
}

int session_get(int argc, char **argv)
{
	struct notebook_request request = {
		.files = {.action = FILES_GET, .path = argc > 2 ? argv[2] : ""}
        };

	return session_files_act("get NAME PATH FILE|-", 4, &request, session_files_get, argc,
				 argv);
}

int session_delete(int argc, char **argv)
{
	struct notebook_request request = {
		.files = {.action = FILES_DELETE, .path = argc > 2 ? argv[2] : ""}
        };

	return session_files_act("delete NAME PATH", 3, &request, session_files_delete, argc, argv);
}
