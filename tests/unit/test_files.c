/*
 * test_files - put, get, list and delete in a directory whose content is hostile and changes
 * meanwhile.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "base/json.h"
#include "client/files.h"
#include "client/files_path.h"
#include "client/files_work.h"

/* Names, more than PATH_MAX holds. A listing takes as long as their square. */
#define DEEP    2100
#define FOREIGN 0x70001000 /* a user id that nobody has */

static struct files_rules rules;
static struct files_listed listed;
static struct files_got got;
static struct buf json;
static struct err e;
static int base; /* holds "root", and what must never be touched */
static int root;
static int next_fd;
static pid_t child;
static bool in_place; /* call without a child process, for tests that race thousands of times */

static int new_root(void **state)
{
	(void)state;
	base = unit_enter();
	assert_int_equal(mkdirat(base, "root", 0755), 0);
	assert_int_equal(mkdirat(base, "outside", 0755), 0);
	unit_write(base, "outside/f", "sentinel", 8);
	root = openat(base, "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	files_rules_init(&rules, geteuid(), getegid());
	rules.max_ms = 120000; /* generous, because the machine may be busy */
	next_fd = dup(root);
	close(next_fd);
	return 0;
}

static void end_child(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
}

/* After every test: no descriptor is left open, and nothing outside has been touched. */
static int end_root(void **state)
{
	int fd = dup(root);

	(void)state;
	end_child();
	assert_int_equal(fd, next_fd);
	close(fd);
	buf_fini(&json);
	assert_string_equal(unit_read(base, "outside/f"), "sentinel");
	assert_int_equal(unlinkat(base, "outside/f", 0), 0);
	assert_int_equal(unlinkat(base, "outside", AT_REMOVEDIR), 0);
	close(root);
	unit_leave(base);
	return 0;
}

/* Play the program in the sandbox: repeat `act` in a child until end_child(). */
static void meanwhile(void (*act)(int round))
{
	pid_t parent = getpid();

	child = fork();
	assert_true(child >= 0);
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int round = 0; getppid() == parent; round++)
		act(round);
	_exit(0);
}

/* Returns a file with this content, positioned at its beginning; the caller closes it. */
static int source(const char *text, size_t length)
{
	int fd = memfd_create("source", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, length), length);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Start an operation, drive it to its end and end it. */
static int drive(struct files_request *request, struct files_result *result, struct err *error)
{
	struct files *files;

	*result = (struct files_result){0};
	if (files_start(request, &files, error))
		return -1;
	do
		loop_wait(files_loop(files), -1);
	while (!files_step(files));
	return files_end(files, NULL, result, error);
}

static int do_put(int root_fd, const char *path, int from_fd, mode_t mode,
		  const struct files_rules *r, struct err *error)
{
	struct files_request request = {.action = FILES_PUT,
					.root_fd = root_fd,
					.path = path,
					.content_fd = from_fd,
					.mode = mode,
					.rules = *r};
	struct files_result result;

	if (in_place)
		return files_put(root_fd, path, from_fd, mode, r, error);
	return drive(&request, &result, error);
}

static int do_get(int root_fd, const char *path, int to_fd, const struct files_rules *r,
		  struct files_got *out, struct err *error)
{
	struct files_request request = {.action = FILES_GET,
					.root_fd = root_fd,
					.path = path,
					.content_fd = to_fd,
					.rules = *r};
	struct files_result result;
	int bad;

	if (in_place)
		return files_get(root_fd, path, to_fd, r, out, error);
	bad = drive(&request, &result, error);
	*out = result.got;
	return bad;
}

/* Append to the file. */
static int do_list(int root_fd, const char *path, const struct files_rules *r, struct buf *out,
		   struct files_listed *what, struct err *error)
{
	struct files_request request = {.action = FILES_LIST,
					.root_fd = root_fd,
					.path = path,
					.content_fd = -1,
					.rules = *r};
	struct files_result result;
	int bad;

	if (in_place)
		return files_list(root_fd, path, r, out, what, error);
	bad = drive(&request, &result, error);
	*what = result.listed;
	buf_add(out, result.json.data, result.json.length);
	buf_fini(&result.json);
	return bad;
}

static int do_delete(int root_fd, const char *path, bool recursive, const struct files_rules *r,
		     struct err *error)
{
	struct files_request request = {.action = FILES_DELETE,
					.root_fd = root_fd,
					.path = path,
					.content_fd = -1,
					.recursive = recursive,
					.rules = *r};
	struct files_result result;

	if (in_place)
		return files_delete(root_fd, path, recursive, r, error);
	return drive(&request, &result, error);
}

static int try_put(const char *path, const char *text, mode_t mode)
{
	int fd = source(text, strlen(text));
	int bad = do_put(root, path, fd, mode, &rules, &e);

	close(fd);
	return bad;
}

static void put(const char *path, const char *text)
{
	accepts(try_put(path, text, 0644), path);
}

/* Read the content into *out, which has 4096 bytes, and terminate it. */
static int try_get(const char *path, char *out)
{
	int fd = memfd_create("target", MFD_CLOEXEC);
	int bad = do_get(root, path, fd, &rules, &got, &e);
	ssize_t n = pread(fd, out, 4095, 0);

	assert_true(n >= 0);
	out[n] = '\0';
	close(fd);
	return bad;
}

static void holds(const char *path, const char *text)
{
	char content[4096];

	accepts(try_get(path, content), path);
	assert_string_equal(content, text);
	assert_int_equal(got.bytes, strlen(text));
	assert_false(got.truncated);
}

static void get_refused(const char *path, enum err_kind kind, const char *text)
{
	char content[4096];

	refuses(try_get(path, content), path, kind, text);
	assert_string_equal(content, "");
}

static struct json *list(const char *path)
{
	struct json *document;

	buf_fini(&json);
	accepts(do_list(root, path, &rules, &json, &listed, &e), path);
	document = json_parse(json.data, json.length, &e);
	if (!document)
		fail_msg("no JSON: %s", e.text);
	assert_int_equal(json_count(document), listed.entries);
	return document;
}

/* Returns all paths in one string, in the order of the list. */
static const char *paths(const char *path)
{
	static struct buf all;
	struct json *document = list(path);

	buf_fini(&all);
	for (const struct json *n = json_first(document); n; n = json_next(n)) {
		buf_text(&all, all.length ? " " : "");
		buf_text(&all, json_string(json_get(n, "path")));
	}
	json_free(document);
	return buf_string(&all);
}

static void delete (const char *path)
{
	accepts(do_delete(root, path, true, &rules, &e), path);
}

static size_t names_in(const char *path)
{
	DIR *dir = fdopendir(openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2; /* without "." and ".." */
}

static bool exists(const char *path)
{
	return !faccessat(root, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static void make_socket(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", root, name);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* A program that has other ids than ours. Only root can arrange that; for others it has our own. */
static void become_foreign(void)
{
	if (geteuid())
		return;
	files_rules_init(&rules, FOREIGN, FOREIGN + 1);
	assert_int_equal(fchown(root, FOREIGN, FOREIGN + 1), 0);
}

/* --- paths ----------------------------------------------------------------- */

static void test_paths_are_cleaned(void **state)
{
	static const struct {
		const char *given;
		const char *text;
		const char *name;
		bool directory;
	} table[] = {
		{"",                  "",            "",       true },
		{".",                 "",            "",       true },
		{"./",                "",            "",       true },
		{"/workspace",        "",            "",       true },
		{"/workspace/",       "",            "",       true },
		{"/workspace//./",    "",            "",       true },
		{"a",                 "a",           "a",      false},
		{"/workspace/a",      "a",           "a",      false},
		{"./a//b/./c",        "a/b/c",       "c",      false},
		{"a/",                "a",           "a",      true },
		{"a/.",               "a",           "a",      true },
		{"a/./b",             "a/b",         "b",      false},
		{"workspace/a",       "workspace/a", "a",      false},
		{"/workspace/..a/.b", "..a/.b",      ".b",     false},
		{"...",               "...",         "...",    false},
		{"\xff\xfe/\n",       "\xff\xfe/\n", "\n",     false},
		{" a\\b ",            " a\\b ",      " a\\b ", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct files_path p;

		accepts(files_path_set(&p, table[i].given, &e), table[i].given);
		assert_string_equal(p.text, table[i].text);
		assert_string_equal(p.text + p.name, table[i].name);
		assert_int_equal(p.directory, table[i].directory);
	}
}

static void test_paths_are_refused(void **state)
{
	static const struct {
		const char *given;
		const char *why;
	} table[] = {
		{"..",              "@files_path_set#allowed"},
		{"a/..",            "@files_path_set#allowed"},
		{"a/../b",          "@files_path_set#allowed"},
		{"/workspace/..",   "@files_path_set#allowed"},
		{"../etc/passwd",   "@files_path_set#allowed"},
		{"/",               "@files_path_set#neither"},
		{"/etc/passwd",     "@files_path_set#neither"},
		{"//workspace/a",   "@files_path_set#neither"},
		{"/workspaces/a",   "@files_path_set#neither"},
		{"/proc/self/root", "@files_path_set#neither"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct files_path p;

		refuses(files_path_set(&p, table[i].given, &e), table[i].given, ERR_INPUT,
			table[i].why);
		refuses(try_put(table[i].given, "x", 0644), table[i].given, ERR_INPUT,
			table[i].why);
		get_refused(table[i].given, ERR_INPUT, table[i].why);
		refuses(do_delete(root, table[i].given, true, &rules, &e), table[i].given,
			ERR_INPUT, table[i].why);
		refuses(do_list(root, table[i].given, &rules, &json, &listed, &e), table[i].given,
			ERR_INPUT, table[i].why);
	}
}

static void test_lengths_of_paths(void **state)
{
	char text[FILES_PATH_BYTES_MAX + 2];
	struct files_path p;

	(void)state;
	memset(text, 'n', sizeof(text));
	text[255] = '\0';
	accepts(files_path_set(&p, text, &e), "255 bytes");
	put(text, "long");
	holds(text, "long");
	delete (text);
	text[255] = 'n';
	text[256] = '\0';
	refuses(files_path_set(&p, text, &e), "256 bytes", ERR_INPUT, "@files_path_set#name 255");
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 ? '/' : 'd';
	text[FILES_PATH_BYTES_MAX] = '\0'; /* 2048 names */
	put(text, "the longest");
	holds(text, "the longest");
	delete ("d");
	text[FILES_PATH_BYTES_MAX] = '/';
	text[FILES_PATH_BYTES_MAX + 1] = '\0';
	refuses(files_path_set(&p, text, &e), "4096 bytes", ERR_INPUT, "@files_path_set#1 4095");
	assert_int_equal(names_in("."), 0);
}

static void test_names_of_any_bytes(void **state)
{
	static const char *const names[] = {"\xff\xfe", "new\nline",   " ",           "-rf",
					    "\x1b[2J",  "a\\b",        "caf\xc3\xa9", "...",
					    "*",        "\xed\xa0\x80"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		put(names[i], names[i]);
		holds(names[i], names[i]);
	}
	assert_int_equal(names_in("."), COUNT(names));
	json_free(list(""));
	for (size_t i = 0; i < COUNT(names); i++)
		delete (names[i]);
	assert_int_equal(names_in("."), 0);
}

/* --- put ------------------------------------------------------------------- */

static void test_put_makes_directories_and_replaces(void **state)
{
	int reader;
	char old[8] = "";

	(void)state;
	put("a/b/c.txt", "one");
	holds("/workspace/a/b/c.txt", "one");
	assert_int_equal(got.mode, 0644);
	reader = openat(root, "a/b/c.txt", O_RDONLY | O_CLOEXEC);
	put("a/b/c.txt", "two and more");
	holds("a/b/c.txt", "two and more");
	assert_int_equal(read(reader, old, sizeof(old)), 3);
	close(reader);
	assert_string_equal(old,
			    "one"); /* a process that has the old file open keeps the old content */
	put("a/b/empty", "");
	holds("a/b/empty", "");
	assert_int_equal(names_in("a/b"), 2);
	assert_int_equal(names_in("."), 1);
}

static void test_put_takes_permissions_only(void **state)
{
	(void)state;
	accepts(try_put("special", "x", 07777), "special");
	assert_int_equal(mode_of("special"), 0777);
	accepts(try_put("none", "x", 0), "none");
	assert_int_equal(mode_of("none"), 0);
	accepts(try_put("none", "y", 0600), "a file without rights is replaced");
	holds("none", "y");
}

static void test_put_replaces_links_fifos_and_sockets(void **state)
{
	(void)state;
	assert_int_equal(symlinkat("../outside/f", root, "link"), 0);
	assert_int_equal(symlinkat("../outside/new", root, "dangling"), 0);
	assert_int_equal(mkfifoat(root, "fifo", 0666), 0);
	make_socket("socket");
	unit_write(root, "one", "kept", 4);
	assert_int_equal(linkat(root, "one", root, "other", 0), 0);
	put("link", "1");
	put("dangling", "2");
	put("fifo", "3");
	put("socket", "4");
	put("other", "5");
	holds("link", "1");
	holds("dangling", "2");
	holds("fifo", "3");
	holds("socket", "4");
	holds("other", "5");
	holds("one", "kept");
	assert_int_equal(faccessat(base, "outside/new", F_OK, 0), -1);
	assert_int_equal(names_in("."), 6);
}

static void test_put_does_not_replace_a_directory(void **state)
{
	(void)state;
	mkdirat(root, "d", 0755);
	unit_write(root, "d/kept", "kept", 4);
	refuses(try_put("d", "x", 0644), "d", ERR_INPUT, "@files_reach_error#5 d");
	refuses(try_put("d/", "x", 0644), "d/", ERR_INPUT, "@files_reach_names_file");
	refuses(try_put("new/", "x", 0644), "new/", ERR_INPUT, "@files_reach_names_file");
	refuses(try_put("", "x", 0644), "", ERR_INPUT, "@files_reach_named /workspace");
	refuses(try_put("d/kept/f", "x", 0644), "d/kept/f", ERR_INPUT, "@files_reach_error#part");
	refuses(try_put("d/kept/e/f", "x", 0644), "d/kept/e/f", ERR_INPUT,
		"@files_reach_error#part");
	holds("d/kept", "kept");
	assert_int_equal(names_in("."), 1);
	assert_int_equal(names_in("d"), 1);
}

static void test_no_link_is_followed_on_the_way(void **state)
{
	(void)state;
	mkdirat(root, "d", 0755);
	unit_write(root, "d/f", "inside", 6);
	assert_int_equal(symlinkat("../outside", root, "out"), 0);
	assert_int_equal(symlinkat("d", root, "in"), 0);
	assert_int_equal(symlinkat("/proc/self/root", root, "magic"), 0);
	assert_int_equal(symlinkat(".", root, "dot"), 0);
	for (size_t i = 0; i < 4; i++) {
		static const char *const links[] = {"out/f", "in/f", "magic/f", "dot/d/f"};

		refuses(try_put(links[i], "x", 0644), links[i], ERR_INPUT,
			"@files_reach_error#symbolic");
		get_refused(links[i], ERR_INPUT, "@files_reach_error#symbolic");
		refuses(do_delete(root, links[i], true, &rules, &e), links[i], ERR_INPUT,
			"@files_reach_error#symbolic");
		refuses(do_list(root, links[i], &rules, &json, &listed, &e), links[i], ERR_INPUT,
			"@files_reach_error#symbolic");
	}
	refuses(try_put("out/new/f", "x", 0644), "out/new/f", ERR_INPUT,
		"@files_reach_error#symbolic");
	get_refused("out", ERR_INPUT, "@files_get_open#file symlink");
	holds("d/f", "inside");
	assert_int_equal(names_in("."), 5);
}

static void test_put_is_bounded(void **state)
{
	(void)state;
	rules.max_bytes = 5;
	put("fits", "12345");
	holds("fits", "12345");
	refuses(try_put("a/b/large", "123456", 0644), "large", ERR_INPUT,
		"@files_put_fill#larger 5");
	refuses(try_put("fits", "123456", 0644), "fits", ERR_INPUT, "@files_put_fill#larger 5");
	holds("fits", "12345");
	assert_int_equal(names_in("."), 1); /* no directory is made if the file cannot be written */
	rules.max_bytes = UINT64_MAX;
	put("no-bound", "123456");
}

static void test_put_does_not_wait_for_ever(void **state)
{
	uint64_t begun = now_ms();
	int ends[2];

	(void)state;
	rules.max_ms = 50;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "half", 4), 4);
	refuses(do_put(root, "f", ends[0], 0644, &rules, &e), "a pipe", ERR_SYSTEM,
		"@files_reach_check");
	assert_int_equal(e.number, ETIMEDOUT);
	assert_true(now_ms() - begun < 5000);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(names_in("."), 0);
}

/* Returns a tmpfs of this size that is mounted nowhere, or -1 where that is impossible. */
static int new_tmpfs(const char *size)
{
	int context = (int)syscall(SYS_fsopen, "tmpfs", 1 /* FSOPEN_CLOEXEC */);
	int fd = -1;

	if (context < 0)
		return -1;
	if (!syscall(SYS_fsconfig, context, 1 /* FSCONFIG_SET_STRING */, "size", size, 0) &&
	    !syscall(SYS_fsconfig, context, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	close(context);
	return fd;
}

static void test_a_full_tmpfs_is_an_error_that_leaves_nothing(void **state)
{
	size_t length = 1 << 20;
	char *bytes = calloc(1, length);
	int tmpfs = new_tmpfs("128k");
	int from = source(bytes, length);
	int kept = root;

	(void)state;
	free(bytes);
	if (tmpfs < 0) {
		printf("cannot: only root can make a tmpfs\n");
		close(from);
		skip();
	}
	root = tmpfs;
	put("small", "fits");
	refuses(do_put(root, "d/large", from, 0644, &rules, &e), "large", ERR_SYSTEM,
		"write d/large");
	assert_int_equal(e.number, ENOSPC);
	assert_int_equal(names_in("."), 1);
	holds("small", "fits");
	put("small", "still");
	root = kept;
	close(tmpfs);
	close(from);
}

/* --- get ------------------------------------------------------------------- */

static void test_only_regular_files_are_read(void **state)
{
	uint64_t begun = now_ms();

	(void)state;
	mkdirat(root, "d", 0755);
	assert_int_equal(mkfifoat(root, "fifo", 0666), 0);
	make_socket("socket");
	assert_int_equal(symlinkat("file", root, "link"), 0);
	unit_write(root, "file", "x", 1);
	get_refused("d", ERR_INPUT, "@files_get_open#file directory");
	get_refused("fifo", ERR_INPUT, "@files_get_open#file fifo");
	get_refused("socket", ERR_INPUT, "@files_get_open#file socket");
	get_refused("link", ERR_INPUT, "@files_get_open#file symlink");
	get_refused("file/", ERR_INPUT, "@files_reach_names_file");
	get_refused("file/x", ERR_INPUT, "@files_reach_error#part");
	get_refused("missing", ERR_NOT_FOUND, "@files_reach_error#such missing:");
	get_refused("missing/x", ERR_NOT_FOUND, "@files_reach_error#such");
	get_refused("", ERR_INPUT, "@files_reach_named /workspace");
	assert_true(now_ms() - begun < 5000);
}

static void test_a_device_is_not_opened(void **state)
{
	(void)state;
	if (mknodat(root, "null", S_IFCHR | 0666, makedev(1, 3))) {
		printf("cannot: only root can make a device\n");
		skip();
	}
	get_refused("null", ERR_INPUT, "@files_get_open#file device");
	put("null", "a file now");
	holds("null", "a file now");
}

static void test_a_sparse_giant_is_refused(void **state)
{
	int fd = openat(root, "giant", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	const char *text;

	(void)state;
	assert_int_equal(ftruncate(fd, 1ll << 40), 0);
	close(fd);
	get_refused("giant", ERR_INPUT, "@files_get_open#more giant ... 1t ... 64m");
	assert_int_equal(got.bytes, 0);
	json_free(list(""));
	text = strstr(json.data, "\"size\":1099511627776,\"allocated\":0,");
	assert_non_null(text);
	rules.max_bytes = UINT64_MAX; /* then only the time limit ends it */
	rules.max_ms = 100;
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	refuses(do_get(root, "giant", fd, &rules, &got, &e), "giant", ERR_SYSTEM,
		"@files_reach_check");
	assert_true(got.bytes < 1ull << 40);
	close(fd);
}

static void test_hard_links_are_files(void **state)
{
	(void)state;
	unit_write(root, "a", "same", 4);
	assert_int_equal(linkat(root, "a", root, "b", 0), 0);
	holds("b", "same");
	delete ("b");
	holds("a", "same");
}

#define LARGE (1 << 20) /* more than a pipe holds */

/* Get a large file into a pipe; when the first bytes arrive, its reader does `act` to the file. */
static void get_while(void (*act)(int fd))
{
	static char bytes[LARGE];
	int ends[2];
	int fd;

	memset(bytes, 'x', sizeof(bytes));
	unit_write(root, "f", bytes, sizeof(bytes));
	fd = openat(root, "f", O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(ends[1]);
		if (read(ends[0], bytes, 1) == 1)
			act(fd);
		while (read(ends[0], bytes, sizeof(bytes)) > 0)
			;
		_exit(0);
	}
	close(ends[0]);
	accepts(do_get(root, "f", ends[1], &rules, &got, &e), "f");
	close(ends[1]);
	close(fd);
	end_child();
}

static void append(int fd)
{
	if (write(fd, "more", 4) != 4)
		abort();
}

static void cut(int fd)
{
	if (ftruncate(fd, 200000))
		abort();
}

static void test_a_file_that_grows_is_truncated(void **state)
{
	(void)state;
	get_while(append);
	assert_int_equal(got.size_bytes, LARGE);
	assert_int_equal(got.bytes, LARGE);
	assert_true(got.truncated);
}

static void test_a_file_that_shrinks_ends_early(void **state)
{
	(void)state;
	get_while(cut);
	assert_int_equal(got.size_bytes, LARGE);
	assert_true(got.bytes < LARGE);
	assert_false(got.truncated);
}

static void append_always(int round)
{
	static int fd = -1;

	if (!round)
		fd = openat(root, "f", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (write(fd, "0123456789abcdef", 16) != 16)
		_exit(1);
}

static void test_a_file_that_always_grows_has_an_end(void **state)
{
	(void)state;
	needs_no_valgrind("this takes minutes");
	put("f", "");
	meanwhile(append_always);
	for (int i = 0; i < 200; i++) {
		int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

		accepts(do_get(root, "f", fd, &rules, &got, &e), "f");
		assert_int_equal(got.bytes, got.size_bytes);
		assert_true(got.bytes % 16 == 0);
		close(fd);
	}
}

static void test_get_does_not_wait_for_ever(void **state)
{
	static const char bytes[LARGE];
	uint64_t begun = now_ms();
	int ends[2];

	(void)state;
	rules.max_ms = 50;
	unit_write(root, "f", bytes, sizeof(bytes));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0); /* a blocking pipe that nobody reads */
	refuses(do_get(root, "f", ends[1], &rules, &got, &e), "f", ERR_SYSTEM,
		"@files_reach_check");
	assert_true(now_ms() - begun < 5000);
	assert_in_range(got.bytes, 0, LARGE - 1);
	close(ends[0]);
	close(ends[1]);
}

static void lease(int round)
{
	static int fd = -1;

	if (!round) {
		signal(SIGIO, SIG_IGN);
		fd = openat(root, "f", O_RDONLY | O_CLOEXEC);
		if (fcntl(fd, F_SETLEASE, F_WRLCK) || mkdirat(root, "leased", 0755))
			_exit(1);
	}
	pause();
}

/* Without O_NONBLOCK the kernel gives the holder of the lease 45 s to release it. */
static void test_a_lease_does_not_hold_us(void **state)
{
	uint64_t begun = now_ms();

	(void)state;
	put("f", "x");
	meanwhile(lease);
	while (!exists("leased") && now_ms() - begun < 5000)
		usleep(1000);
	if (!exists("leased")) {
		printf("cannot: this file system has no leases\n");
		skip();
	}
	get_refused("f", ERR_DENIED, "@files_reach_error#program");
	assert_true(now_ms() - begun < 10000);
	put("f", "replaced all the same");
	holds("f", "replaced all the same");
}

static void test_what_its_owner_may_not_read_is_denied(void **state)
{
	(void)state;
	become_foreign();
	put("f", "secret");
	put("d/f", "x");
	assert_int_equal(fchmodat(root, "f", 0, 0), 0);
	assert_int_equal(fchmodat(root, "d", 0, 0), 0);
	get_refused("f", ERR_DENIED, "@files_reach_error#mode f:");
	get_refused("d/f", ERR_DENIED, "@files_reach_error#mode d/f");
	refuses(try_put("d/g", "x", 0644), "d/g", ERR_DENIED, "@files_reach_error#mode");
	assert_string_equal(paths(""), "d f");
	assert_int_equal(listed.unread, 1);
	assert_int_equal(mode_of("f"), 0); /* and nobody changed it */
	assert_int_equal(mode_of("d"), 0);
	put("f", "new");
	holds("f", "new");
	delete ("d");
	assert_false(exists("d"));
}

static void test_a_file_that_became_a_link_is_refused(void **state)
{
	(void)state;
	put("d/f", "x");
	assert_string_equal(paths(""), "d d/f");
	assert_int_equal(unlinkat(root, "d/f", 0), 0);
	assert_int_equal(symlinkat("../../outside/f", root, "d/f"), 0);
	get_refused("d/f", ERR_INPUT, "@files_get_open#file symlink");
	delete ("d/f");
	assert_int_equal(symlinkat("/etc/passwd", root, "d/f"), 0);
	get_refused("d/f", ERR_INPUT, "@files_get_open#file symlink");
}

/* --- list ------------------------------------------------------------------ */

static void test_the_listing_of_a_file(void **state)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1700000000}};
	struct stat st;
	char wanted[300];

	(void)state;
	put("d/a.txt", "12345");
	assert_int_equal(utimensat(root, "d/a.txt", times, 0), 0);
	assert_int_equal(fstatat(root, "d/a.txt", &st, 0), 0);
	snprintf(wanted, sizeof(wanted),
		 "[{\"path\":\"d/a.txt\",\"type\":\"file\",\"size\":5,\"allocated\":%ld,"
		 "\"mode\":\"0644\",\"mtime\":1700000000}]",
		 (long)st.st_blocks * 512);
	json_free(list("d"));
	assert_string_equal(buf_string(&json), wanted);
	json_free(list("/workspace/d/a.txt")); /* only the file itself */
	assert_string_equal(buf_string(&json), wanted);
	accepts(do_list(root, "d", &rules, &json, &listed, &e), "appended");
	assert_int_equal(json.length, 2 * strlen(wanted));
}

static void test_listings_go_level_by_level(void **state)
{
	(void)state;
	assert_string_equal(paths(""), "");
	assert_string_equal(buf_string(&json), "[]");
	put("b/c/d/e", "x");
	put("b/a", "x");
	put("z", "x");
	put("a", "x");
	assert_string_equal(paths(""), "a b z b/a b/c b/c/d b/c/d/e");
	assert_false(listed.truncated);
	assert_string_equal(paths("b/c"), "b/c/d b/c/d/e");
	rules.max_depth = 2;
	assert_string_equal(paths("."), "a b z b/a b/c");
	assert_true(listed.truncated);
	rules.max_depth = 1;
	assert_string_equal(paths("b"), "b/a b/c");
}

static void test_every_type_is_listed_and_no_link_followed(void **state)
{
	static const char *const types[] = {"directory", "fifo", "file", "symlink", "socket"};
	struct json *document;
	size_t i = 0;

	(void)state;
	mkdirat(root, "1", 0755);
	assert_int_equal(mkfifoat(root, "2", 0666), 0);
	unit_write(root, "3", "x", 1);
	assert_int_equal(symlinkat("../outside", root, "4"), 0);
	make_socket("5");
	document = list("");
	assert_int_equal(json_count(document), COUNT(types));
	for (const struct json *n = json_first(document); n; n = json_next(n), i++)
		assert_string_equal(json_string(json_get(n, "type")), types[i]);
	json_free(document);
	assert_non_null(strstr(json.data, "\"target\":\"../outside\"}"));
	document = list("4"); /* the link itself */
	assert_string_equal(json_string(json_get(json_first(document), "target")), "../outside");
	json_free(document);
	refuses(do_list(root, "4/", &rules, &json, &listed, &e), "4/", ERR_INPUT,
		"@files_list_begin#directory symlink");
	refuses(do_list(root, "6", &rules, &json, &listed, &e), "6", ERR_NOT_FOUND,
		"@files_reach_error#such");
}

static void test_names_that_are_not_utf8_can_be_had_back(void **state)
{
	struct json *document;
	const struct json *n;

	(void)state;
	put("d\xff/\xfe", "x");
	assert_int_equal(symlinkat("\xc3(", root, "link"), 0);
	document = list("");
	n = json_first(document);
	assert_string_equal(json_string(json_get(n, "path")), "d\xef\xbf\xbd");
	assert_string_equal(json_string(json_get(n, "path_hex")), "64ff");
	n = json_next(n);
	assert_null(json_get(n, "path_hex"));
	assert_string_equal(json_string(json_get(n, "target_hex")), "c328");
	n = json_next(n);
	assert_string_equal(json_string(json_get(n, "path_hex")), "64ff2ffe");
	json_free(document);
	holds("d\xff/\xfe", "x");
}

static void test_listings_are_bounded(void **state)
{
	size_t length;

	(void)state;
	for (int i = 0; i < 50; i++) {
		char name[32];

		snprintf(name, sizeof(name), "d%d/f", i);
		put(name, "x");
	}
	json_free(list(""));
	assert_int_equal(listed.entries, 100);
	assert_false(listed.truncated);
	length = json.length;
	rules.max_list_bytes = length;
	json_free(list(""));
	assert_false(listed.truncated);
	for (size_t less = 1; less < length; less += 97) {
		rules.max_list_bytes = length - less;
		json_free(list(""));
		assert_true(listed.truncated);
		assert_true(json.length <= rules.max_list_bytes || json.length == 2);
	}
	rules.max_list_bytes = length;
	for (uint32_t entries = 0; entries < 100; entries += 7) {
		rules.max_entries = entries;
		json_free(list(""));
		assert_int_equal(listed.entries, entries);
		assert_true(listed.truncated);
	}
	rules.max_entries = 100;
	rules.max_ms = 0;
	json_free(list(""));
	assert_true(listed.truncated);
	refuses(do_delete(root, "d1", true, &rules, &e), "d1", ERR_SYSTEM, "@files_reach_check");
}

/* --- depth ----------------------------------------------------------------- */

/* Make a chain of `depth` directories below d, with a file in the last one. */
static void make_deep(int depth, const char *name)
{
	int at = dup(root);

	for (int i = 0; i < depth; i++) {
		int next;

		assert_int_equal(mkdirat(at, name, 0755), 0);
		next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = next;
	}
	unit_write(at, "f", "deep", 4);
	close(at);
}

/* With few descriptors and a small stack, anything that grows with the depth fails. */
static rlim_t few_descriptors(rlim_t most)
{
	struct rlimit limit;
	rlim_t old;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	old = limit.rlim_cur;
	limit.rlim_cur = most;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return old;
}

static void test_a_deep_tree_is_listed_and_deleted(void **state)
{
	rlim_t old;

	(void)state;
	needs_no_valgrind("this takes minutes");
	make_deep(DEEP, "d");
	old = few_descriptors((rlim_t)next_fd + 7);
	rules.max_ms = 60000;
	rules.max_depth = UINT32_MAX;
	rules.max_list_bytes = 100 << 20;
	json_free(list(""));
	assert_int_equal(listed.entries, DEEP + 1);
	assert_false(listed.truncated);
	rules.max_depth = 64;
	json_free(list(""));
	assert_int_equal(listed.entries, 64);
	assert_true(listed.truncated);
	refuses(do_delete(root, "d", false, &rules, &e), "d", ERR_INPUT,
		"@files_reach_error#empty d");
	delete ("d");
	assert_int_equal(names_in("."), 0);
	few_descriptors(old);
}

static void test_long_names_beyond_the_longest_path(void **state)
{
	char name[256];

	(void)state;
	memset(name, 'n', 255);
	name[255] = '\0';
	make_deep(60, name);
	rules.max_list_bytes = 100 << 20;
	json_free(list(""));
	assert_int_equal(listed.entries, 61);
	assert_false(listed.truncated);
	delete (name);
	assert_int_equal(names_in("."), 0);
}

/* --- delete ---------------------------------------------------------------- */

static void test_delete_removes_any_type(void **state)
{
	static const char *const names[] = {"file", "fifo", "socket", "link", "dangling", "d"};

	(void)state;
	unit_write(root, "file", "x", 1);
	assert_int_equal(mkfifoat(root, "fifo", 0666), 0);
	make_socket("socket");
	assert_int_equal(symlinkat("../outside", root, "link"), 0);
	assert_int_equal(symlinkat("nowhere", root, "dangling"), 0);
	mkdirat(root, "d", 0755);
	refuses(do_delete(root, "file/", true, &rules, &e), "file/", ERR_INPUT,
		"a file, not a directory");
	refuses(do_delete(root, "link/", true, &rules, &e), "link/", ERR_INPUT,
		"a symlink, not a directory");
	for (size_t i = 0; i < COUNT(names); i++)
		accepts(do_delete(root, names[i], false, &rules, &e), names[i]);
	assert_int_equal(names_in("."), 0);
	refuses(do_delete(root, "d", true, &rules, &e), "d", ERR_NOT_FOUND, "d: no such file");
	refuses(do_delete(root, "d/e", true, &rules, &e), "d/e", ERR_NOT_FOUND, "no such file");
}

static void test_delete_of_a_tree(void **state)
{
	(void)state;
	put("t/a/b/c/f", "x");
	put("t/a/b/g", "x");
	put("t/a2/b/c/f", "x");
	put("kept/f", "kept");
	assert_int_equal(symlinkat("../../kept", root, "t/a/out"), 0);
	assert_int_equal(symlinkat("../../../outside", root, "t/a/b/out"), 0);
	refuses(do_delete(root, "t", false, &rules, &e), "t", ERR_INPUT, "t: the directory is");
	holds("t/a/b/c/f", "x");
	delete ("t/a/b");
	assert_string_equal(paths("t"), "t/a t/a2 t/a/out t/a2/b t/a2/b/c t/a2/b/c/f");
	delete ("/workspace/t/");
	assert_string_equal(paths(""), "kept kept/f");
}

static void test_the_workspace_itself_is_not_deleted(void **state)
{
	static const char *const names[] = {"",           ".",           "./",
					    "/workspace", "/workspace/", "/workspace/."};

	(void)state;
	put("f", "x");
	for (size_t i = 0; i < COUNT(names); i++)
		refuses(do_delete(root, names[i], true, &rules, &e), names[i], ERR_INPUT,
			"names /workspace itself");
	holds("f", "x");
}

static void test_delete_of_a_tree_without_rights(void **state)
{
	static const char *const names[] = {"t", "t/a", "t/a/b", "t/a/b/c", "t/a/b/c/f"};

	(void)state;
	become_foreign();
	put("t/a/b/c/f", "x");
	for (size_t i = COUNT(names); i-- > 0;)
		assert_int_equal(fchmodat(root, names[i], 0, 0), 0);
	delete ("t");
	assert_int_equal(names_in("."), 0);
}

static void make_always(int round)
{
	char path[64];

	snprintf(path, sizeof(path), "t/%d", round % 50);
	mkdirat(root, "t", 0755);
	mkdirat(root, path, 0755);
	strcat(path, "/f");
	close(openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

static void test_delete_while_files_are_made_ends(void **state)
{
	(void)state;
	rules.max_ms = 200;
	meanwhile(make_always);
	for (int i = 0; i < 20; i++) {
		uint64_t begun = now_ms();

		if (do_delete(root, "t", true, &rules, &e) && e.kind != ERR_NOT_FOUND)
			assert_int_equal(e.number, ETIMEDOUT);
		assert_true(now_ms() - begun < 5000);
	}
	end_child();
	rules.max_ms = 10000;
	if (exists("t"))
		delete ("t");
	assert_int_equal(names_in("."), 0);
}

/* --- races ----------------------------------------------------------------- */

/* Replace the directory d by a link to outside, and back, again and again. */
static void swap(int round)
{
	(void)round;
	renameat2(root, "d", root, "x", RENAME_EXCHANGE);
}

static void test_a_parent_that_becomes_a_link_leads_nowhere(void **state)
{
	int done[4] = {0};
	DIR *dir;

	(void)state;
	needs_no_valgrind("this takes minutes");
	mkdirat(root, "d", 0755);
	assert_int_equal(symlinkat("../outside", root, "x"), 0);
	in_place = true;
	meanwhile(swap);
	for (int i = 0; i < 1000; i++) {
		char content[4096];

		done[0] += !try_put("d/f", "inside", 0644);
		done[1] += !try_put("d/new/f", "inside", 0644);
		if (!try_get("d/f", content)) {
			assert_string_equal(content, "inside");
			done[2]++;
		}
		buf_fini(&json);
		do_list(root, "d", &rules, &json, &listed, &e);
		done[3] += !do_delete(root, i % 2 ? "d/f" : "d/new", true, &rules, &e);
	}
	in_place = false;
	end_child();
	for (size_t i = 0; i < COUNT(done); i++)
		assert_true(done[i] > 0);
	dir = fdopendir(openat(base, "outside", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	for (int names = 0; names < 3; names++) /* ".", "..", "f" */
		assert_non_null(readdir(dir));
	assert_null(readdir(dir));
	closedir(dir);
}

/* Replace the directory that is being deleted, and one in it, by links to outside, and back. */
static void swap_within(int round)
{
	int at;

	mkdirat(root, "d", 0755);
	at = openat(root, "d", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	mkdirat(at, "e", 0755);
	mkdirat(at, "g", 0755);
	if (symlinkat("../outside", root, "x") + symlinkat("../../outside", at, "x"))
		errno = 0; /* usually one of them exists */
	if (round % 2)
		renameat2(root, "d", root, "x", RENAME_EXCHANGE);
	else
		renameat2(at, "e", at, "x", RENAME_EXCHANGE);
	close(at);
}

static void test_a_tree_that_becomes_a_link_is_not_left(void **state)
{
	(void)state;
	needs_no_valgrind("this takes minutes");
	in_place = true;
	meanwhile(swap_within);
	for (int i = 0; i < 1000; i++)
		do_delete(root, i % 3 ? "d" : "d/e", true, &rules, &e);
	in_place = false;
	end_child(); /* end_root() then checks what is outside */
}

/* --- ids ------------------------------------------------------------------- */

static void check_owner(const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(st.st_uid, rules.uid);
	assert_int_equal(st.st_gid, rules.gid);
}

static void test_root_works_with_the_ids_of_the_sandbox(void **state)
{
	int signal_number = 0;

	(void)state;
	if (geteuid()) {
		printf("cannot: only root can take other ids\n");
		skip();
	}
	unit_write(root, "roots", "x", 1);
	mkdirat(root, "private", 0700); /* owned by root: the program cannot have made it */
	become_foreign();
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	put("d/e/f", "x");
	check_owner("d");
	check_owner("d/e");
	check_owner("d/e/f");
	refuses(try_put("private/f", "x", 0644), "private/f", ERR_DENIED, "its mode");
	holds("roots", "x");
	delete ("roots"); /* the directory that holds it belongs to the sandbox */
	assert_int_equal(setfsuid((uid_t)-1), 0);
	assert_int_equal(setfsgid((gid_t)-1), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
	prctl(PR_GET_PDEATHSIG, &signal_number);
	assert_int_equal(signal_number, SIGUSR1);
	prctl(PR_SET_PDEATHSIG, 0);
	unit_write(root, "private/f", "root has its rights back", 24);
}

/* In a child, because there is no way back. */
static int try_without_root(void)
{
	if (setresgid(FOREIGN, FOREIGN, FOREIGN) || setresuid(FOREIGN, FOREIGN, FOREIGN))
		return 1;
	files_rules_init(&rules, FOREIGN, FOREIGN + 1);
	if (!try_put("f", "x", 0644) || e.kind != ERR_UNSUPPORTED)
		return 2;
	files_rules_init(&rules, FOREIGN + 1, FOREIGN);
	if (!try_put("f", "x", 0644) || e.kind != ERR_UNSUPPORTED)
		return 3;
	files_rules_init(&rules, FOREIGN, FOREIGN);
	return try_put("f", "x", 0644) ? 4 : 0;
}

static void test_ids_that_cannot_be_taken_are_refused(void **state)
{
	int status;

	(void)state;
	if (geteuid()) {
		rules.uid++;
		refuses(try_put("f", "x", 0644), "f", ERR_UNSUPPORTED, "without root");
		return;
	}
	needs_no_valgrind("the child of who gave up root fails before it takes ids");
	assert_int_equal(fchown(root, FOREIGN, FOREIGN), 0);
	child = fork();
	if (!child)
		_exit(try_without_root());
	waitpid(child, &status, 0);
	child = 0;
	assert_int_equal(status, 0);
	assert_true(exists("f"));
}

static void write_map(pid_t pid, const char *file, unsigned host)
{
	char path[64];
	char text[64];
	int length = snprintf(text, sizeof(text), "0 %u 1", host);
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, text, (size_t)length), length);
	close(fd);
}

/*
 * A tmpfs that was mounted in a user namespace, as a sandbox does it; an id of that namespace owns
 * it.
 */
static int tmpfs_of_a_sandbox(void)
{
	char path[64];
	int ready[2];
	int mapped[2];
	int tmpfs = -1;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(mapped, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) || write(ready[1], &tmpfs, 4) != 4 ||
		    read(mapped[0], &tmpfs, 1) != 1 || setresgid(0, 0, 0) || setresuid(0, 0, 0))
			_exit(1);
		tmpfs = new_tmpfs("1m");
		if (write(ready[1], &tmpfs, 4) == 4)
			pause();
		_exit(1);
	}
	close(ready[1]);
	close(mapped[0]);
	if (read(ready[0], &tmpfs, 4) == 4) {
		write_map(child, "uid_map", FOREIGN);
		write_map(child, "gid_map", FOREIGN + 1);
		if (write(mapped[1], "", 1) != 1 || read(ready[0], &tmpfs, 4) != 4)
			tmpfs = -1;
	}
	close(ready[0]);
	close(mapped[1]);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)child, tmpfs);
	return tmpfs < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Root's own ids are not mapped there, so files of theirs cannot be made (EOVERFLOW). */
static void test_in_a_tmpfs_of_a_user_namespace(void **state)
{
	int kept = root;
	int tmpfs = geteuid() ? -1 : tmpfs_of_a_sandbox();

	(void)state;
	if (tmpfs < 0) {
		printf("cannot: only root can work in another's user namespace\n");
		skip();
	}
	root = tmpfs;
	assert_int_equal(mkdirat(root, "roots", 0755), -1);
	assert_int_equal(errno, EOVERFLOW);
	files_rules_init(&rules, FOREIGN, FOREIGN + 1);
	put("d/e/f", "one");
	put("d/e/f", "two");
	holds("d/e/f", "two");
	check_owner("d/e");
	check_owner("d/e/f");
	assert_string_equal(paths(""), "d d/e d/e/f");
	delete ("d");
	assert_int_equal(names_in("."), 0);
	root = kept;
	close(tmpfs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_root, end_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_paths_are_cleaned),
		TEST(test_paths_are_refused),
		TEST(test_lengths_of_paths),
		TEST(test_names_of_any_bytes),
		TEST(test_put_makes_directories_and_replaces),
		TEST(test_put_takes_permissions_only),
		TEST(test_put_replaces_links_fifos_and_sockets),
		TEST(test_put_does_not_replace_a_directory),
		TEST(test_no_link_is_followed_on_the_way),
		TEST(test_put_is_bounded),
		TEST(test_put_does_not_wait_for_ever),
		TEST(test_a_full_tmpfs_is_an_error_that_leaves_nothing),
		TEST(test_only_regular_files_are_read),
		TEST(test_a_device_is_not_opened),
		TEST(test_a_sparse_giant_is_refused),
		TEST(test_hard_links_are_files),
		TEST(test_a_file_that_grows_is_truncated),
		TEST(test_a_file_that_shrinks_ends_early),
		TEST(test_a_file_that_always_grows_has_an_end),
		TEST(test_get_does_not_wait_for_ever),
		TEST(test_a_lease_does_not_hold_us),
		TEST(test_what_its_owner_may_not_read_is_denied),
		TEST(test_a_file_that_became_a_link_is_refused),
		TEST(test_the_listing_of_a_file),
		TEST(test_listings_go_level_by_level),
		TEST(test_every_type_is_listed_and_no_link_followed),
		TEST(test_names_that_are_not_utf8_can_be_had_back),
		TEST(test_listings_are_bounded),
		TEST(test_a_deep_tree_is_listed_and_deleted),
		TEST(test_long_names_beyond_the_longest_path),
		TEST(test_delete_removes_any_type),
		TEST(test_delete_of_a_tree),
		TEST(test_the_workspace_itself_is_not_deleted),
		TEST(test_delete_of_a_tree_without_rights),
		TEST(test_delete_while_files_are_made_ends),
		TEST(test_a_parent_that_becomes_a_link_leads_nowhere),
		TEST(test_a_tree_that_becomes_a_link_is_not_left),
		TEST(test_root_works_with_the_ids_of_the_sandbox),
		TEST(test_ids_that_cannot_be_taken_are_refused),
		TEST(test_in_a_tmpfs_of_a_user_namespace),
	};

	/* A session's workspace is a tmpfs; use one here, too, where that is possible. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
