/*
 * test_stage - what is collected from a hostile /output, and where it may be written.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/io.h"
#include "root/stage.h"

static struct verdict verdict;
static struct err e;
static int base;
static int from;
static int to;

static int new_directories(void **state)
{
	(void)state;
	base = unit_enter();
	assert_int_equal(mkdirat(base, "from", 0755), 0);
	assert_int_equal(mkdirat(base, "to", 0755), 0);
	from = openat(base, "from", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	to = openat(base, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	verdict = (struct verdict){0};
	return 0;
}

static int end_directories(void **state)
{
	(void)state;
	verdict_fini(&verdict);
	close(from);
	close(to);
	unit_leave(base);
	return 0;
}

static void collect(uint64_t max_bytes)
{
	const struct stage_limits limits = {.bytes = max_bytes, .entries = 10000};

	accepts(stage_collect(from, to, &limits, &verdict, &e), "collect");
}

static const struct output_file *find(const struct output_files *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->items[i].path, path))
			return &list->items[i];
	}
	return NULL;
}

static void was_taken(const char *path, const char *change)
{
	const struct output_file *file = find(&verdict.files, path);

	if (!file)
		fail_msg("%s was not taken", path);
	assert_string_equal(file->change, change);
	assert_null(find(&verdict.refused, path));
}

static void was_refused(const char *path, const char *reason)
{
	const struct output_file *file = find(&verdict.refused, path);

	if (!file)
		fail_msg("%s was not refused", path);
	assert_says(file->change, reason);
	assert_null(find(&verdict.files, path));
}

/* Returns how many names the target directory holds. */
static size_t names_in_target(void)
{
	DIR *dir = fdopendir(openat(base, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2; /* without "." and ".." */
}

static void test_files_and_directories_are_copied(void **state)
{
	struct stat st;

	(void)state;
	unit_write(from, "a.txt", "alpha", 5);
	unit_write(from, "empty", "", 0);
	mkdirat(from, "d", 0755);
	mkdirat(from, "d/e", 0755);
	mkdirat(from, "nothing", 0755);
	unit_write(from, "d/e/b", "beta", 4);
	collect(100);
	assert_int_equal(verdict.files.count, 3);
	assert_int_equal(verdict.refused.count, 0);
	was_taken("a.txt", "new");
	was_taken("empty", "new");
	was_taken("d/e/b", "new");
	assert_int_equal(find(&verdict.files, "a.txt")->size_bytes, 5);
	assert_string_equal(unit_read(to, "a.txt"), "alpha");
	assert_string_equal(unit_read(to, "d/e/b"), "beta");
	assert_int_equal(fstatat(to, "nothing", &st, 0), 0);
	assert_true(S_ISDIR(st.st_mode));
}

static void test_nothing_to_collect(void **state)
{
	(void)state;
	collect(100);
	assert_int_equal(verdict.files.count + verdict.refused.count, 0);
	assert_int_equal(names_in_target(), 0);
}

static void test_a_large_file_is_copied_whole(void **state)
{
	size_t length = 200001;
	char *bytes = malloc(length);
	struct stat st;
	int fd;

	(void)state;
	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)(i * 13);
	unit_write(from, "f", bytes, length);
	collect(length);
	assert_int_equal(fstatat(to, "f", &st, 0), 0);
	assert_int_equal(st.st_size, length);
	fd = openat(to, "f", O_RDONLY);
	for (size_t i = 0; i < length;) {
		char chunk[4096];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		assert_true(n > 0);
		assert_memory_equal(chunk, bytes + i, (size_t)n);
		i += (size_t)n;
	}
	close(fd);
	free(bytes);
}

static void test_only_files_and_directories_are_taken(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(symlinkat("/etc/passwd", from, "link"), 0);
	assert_int_equal(symlinkat("/", from, "root"), 0);
	assert_int_equal(symlinkat("nowhere", from, "dangling"), 0);
	assert_int_equal(mkfifoat(from, "fifo", 0666), 0); /* opening it would block */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/socket", from);
	assert_int_equal(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	close(sock);
	collect(1 << 20);
	assert_int_equal(verdict.files.count, 0);
	assert_int_equal(verdict.refused.count, 5);
	was_refused("link", "symbolic link");
	was_refused("root", "symbolic link");
	was_refused("dangling", "symbolic link");
	was_refused("fifo", "fifo");
	was_refused("socket", "socket");
	assert_int_equal(names_in_target(), 0);
}

static void test_a_file_larger_than_the_limit_is_refused(void **state)
{
	int fd;

	(void)state;
	unit_write(from, "fits", "12345", 5);
	unit_write(from, "too-large", "123456", 6);
	unit_write(from, "sparse", "", 0);
	fd = openat(from, "sparse", O_WRONLY);
	assert_int_equal(ftruncate(fd, 1ll << 40), 0);
	close(fd);
	collect(5);
	was_taken("fits", "new");
	was_refused("too-large", "@stage_copy_file");
	was_refused("sparse", "@stage_copy_file");
	assert_int_equal(find(&verdict.refused, "sparse")->size_bytes, 1ull << 40);
}

/* In whatever order they are listed, two of three files of three bytes fit into eight. */
static void test_the_limit_is_of_all_files_together(void **state)
{
	(void)state;
	unit_write(from, "a", "aaa", 3);
	mkdirat(from, "d", 0755);
	unit_write(from, "d/b", "bbb", 3);
	unit_write(from, "c", "ccc", 3);
	collect(8);
	assert_int_equal(verdict.files.count, 2);
	assert_int_equal(verdict.refused.count, 1);
	assert_says(verdict.refused.items[0].change, "@stage_copy_file");
}

static void test_hard_links_count_as_often_as_they_are_copied(void **state)
{
	(void)state;
	unit_write(from, "a", "12345", 5);
	assert_int_equal(linkat(from, "a", from, "b", 0), 0);
	assert_int_equal(linkat(from, "a", from, "c", 0), 0);
	collect(10);
	assert_int_equal(verdict.files.count, 2);
	assert_int_equal(verdict.refused.count, 1);
}

static void test_modes_lose_what_is_special(void **state)
{
	static const struct {
		const char *name;
		mode_t given;
		mode_t wanted;
	} table[] = {
		{"setuid", 04755, 0755},
                {"setgid", 02755, 0755},
                {"sticky", 01777, 0755},
		{"none",   0,     0600},
                {"read",   0444,  0644},
                {"exec",   0711,  0711},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		unit_write(from, table[i].name, "x", 1);
		assert_int_equal(fchmodat(from, table[i].name, table[i].given, 0), 0);
	}
	collect(100);
	for (size_t i = 0; i < COUNT(table); i++) {
		struct stat st;

		was_taken(table[i].name, "new");
		assert_int_equal(fstatat(to, table[i].name, &st, 0), 0);
		assert_int_equal(st.st_mode & 07777, table[i].wanted);
	}
}

static void test_a_directory_without_rights_is_read_all_the_same(void **state)
{
	(void)state;
	mkdirat(from, "closed", 0700);
	unit_write(from, "closed/f", "x", 1);
	assert_int_equal(fchmodat(from, "closed", 0, 0), 0);
	collect(100);
	was_taken("closed/f", "new");
	assert_string_equal(unit_read(to, "closed/f"), "x");
}

static void test_existing_files_are_replaced_and_called_changed(void **state)
{
	(void)state;
	unit_write(from, "f", "new", 3);
	unit_write(to, "f", "the old content", 15);
	unit_write(to, "other", "stays", 5);
	collect(100);
	was_taken("f", "changed");
	assert_string_equal(unit_read(to, "f"), "new");
	assert_string_equal(unit_read(to, "other"), "stays");
}

static void test_a_link_in_the_target_is_replaced_not_followed(void **state)
{
	struct stat st;

	(void)state;
	unit_write(base, "victim", "precious", 8);
	assert_int_equal(symlinkat("../victim", to, "f"), 0);
	assert_int_equal(symlinkat("../created", to, "g"), 0);
	unit_write(from, "f", "hostile", 7);
	unit_write(from, "g", "hostile", 7);
	collect(100);
	assert_string_equal(unit_read(base, "victim"), "precious");
	assert_string_equal(unit_read(to, "f"), "hostile");
	assert_int_equal(fstatat(base, "created", &st, 0), -1);
}

static void test_a_linked_directory_in_the_target_is_not_entered(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdirat(base, "elsewhere", 0755), 0);
	assert_int_equal(symlinkat("../elsewhere", to, "d"), 0);
	mkdirat(from, "d", 0755);
	unit_write(from, "d/f", "hostile", 7);
	collect(100);
	was_refused("d", "@stage_failed#something");
	assert_int_equal(fstatat(base, "elsewhere/f", &st, 0), -1);
}

static void test_a_file_and_a_directory_do_not_replace_each_other(void **state)
{
	(void)state;
	unit_write(to, "d", "file", 4);
	mkdirat(from, "d", 0755);
	unit_write(from, "d/f", "x", 1);
	mkdirat(to, "f", 0755);
	unit_write(to, "f/kept", "kept", 4);
	unit_write(from, "f", "x", 1);
	collect(100);
	was_refused("d", "@stage_failed#something");
	was_refused("f", "@stage_failed#directory");
	assert_string_equal(unit_read(to, "d"), "file");
	assert_string_equal(unit_read(to, "f/kept"), "kept");
	assert_int_equal(names_in_target(), 2); /* and no half-written file beside them */
}

static void test_an_existing_directory_is_filled(void **state)
{
	(void)state;
	mkdirat(to, "d", 0755);
	unit_write(to, "d/old", "old", 3);
	mkdirat(from, "d", 0755);
	unit_write(from, "d/new", "new", 3);
	collect(100);
	assert_string_equal(unit_read(to, "d/old"), "old");
	assert_string_equal(unit_read(to, "d/new"), "new");
}

static void test_names_of_any_bytes(void **state)
{
	static const char *const names[] = {"\xff\xfe", "new\nline",   " ",   "-rf", "\x1b[2J",
					    "a\\b",     "caf\xc3\xa9", "...", "*"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		unit_write(from, names[i], names[i], strlen(names[i]));
	collect(100);
	for (size_t i = 0; i < COUNT(names); i++) {
		was_taken(names[i], "new");
		assert_string_equal(unit_read(to, names[i]), names[i]);
	}
}

/* Make a chain of `depth` directories below fd, with a file in the last one. */
static void make_deep(int fd, int depth)
{
	int at = dup(fd);

	for (int i = 0; i < depth; i++) {
		int next;

		assert_int_equal(mkdirat(at, "d", 0755), 0);
		next = openat(at, "d", O_RDONLY | O_DIRECTORY);
		close(at);
		at = next;
	}
	unit_write(at, "f", "deep", 4);
	close(at);
}

static void test_nesting_is_bounded(void **state)
{
	(void)state;
	make_deep(from, 300);
	collect(100);
	assert_int_equal(verdict.files.count, 0);
	assert_int_equal(verdict.refused.count, 1);
	assert_string_equal(verdict.refused.items[0].change, "nested too deep");
}

static void test_sixty_levels_are_taken(void **state)
{
	(void)state;
	make_deep(from, 60);
	collect(100);
	assert_int_equal(verdict.refused.count, 0);
	assert_int_equal(verdict.files.count, 1);
	assert_int_equal(strlen(verdict.files.items[0].path), 60 * 2 + 1);
}

static void test_no_descriptor_is_left_open(void **state)
{
	int before = dup(0);
	int after;

	(void)state;
	close(before);
	make_deep(from, 70);
	unit_write(from, "f", "x", 1);
	unit_write(from, "large", "xxxxxxxxxx", 10);
	collect(5);
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
}

/* Killed while it copied, and started again with the same pid, as always happens in a container. */
static void test_what_a_killed_run_left_is_in_nobodys_way(void **state)
{
	char name[64];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), ".glovebox-%d-%d", (int)getpid(), i);
		unit_write(to, name, "stale", 5);
	}
	unit_write(from, "f", "x", 1);
	collect(100);
	was_taken("f", "new");
	assert_string_equal(unit_read(to, "f"), "x");
}

static void test_the_target_is_made_or_opened(void **state)
{
	char path[512];
	int fd;

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		snprintf(path, sizeof(path), "%s/made", unit_directory);
		fd = stage_open_target(&(struct mount_spec){.source = path}, &e);
		assert_true(fd >= 0);
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		close(fd);
	}
	snprintf(path, sizeof(path), "%s/with/its/parents", unit_directory);
	fd = stage_open_target(&(struct mount_spec){.source = path}, &e);
	assert_true(fd >= 0);
	close(fd);
	unit_write(base, "file", "", 0);
	snprintf(path, sizeof(path), "%s/file", unit_directory);
	refuses(stage_open_target(&(struct mount_spec){.source = path}, &e) < 0, path, ERR_SYSTEM,
		"open ");
	assert_int_equal(e.number, ENOTDIR);
}

static mode_t mode_of(int dir_fd, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

/* Root can read it without a chmod, which could only hit another file. */
static void test_root_changes_nothing_of_what_it_reads(void **state)
{
	(void)state;
	if (geteuid()) {
		printf("cannot: only root reads what is closed to everybody\n");
		skip();
	}
	unit_write(from, "f", "closed", 6);
	assert_int_equal(mkdirat(from, "d", 0), 0);
	assert_int_equal(fchmodat(from, "f", 0, 0), 0);
	collect(100);
	was_taken("f", "new");
	assert_int_equal(mode_of(from, "f"), 0);
	assert_int_equal(mode_of(from, "d"), 0);
}

static void test_lease_of_a_living_process_does_not_hold_us(void **state)
{
	int fd;

	(void)state;
	unit_write(from, "f", "leased", 6);
	fd = openat(from, "f", O_RDWR | O_CLOEXEC);
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	collect(100);
	was_refused("f", "unreadable");
	close(fd);
	signal(SIGIO, SIG_DFL);
}

static void test_entries_are_bounded(void **state)
{
	const struct stage_limits limits = {.bytes = 100, .entries = 3};

	(void)state;
	for (int i = 0; i < 5; i++)
		unit_write(from, (char[]){(char)('a' + i), '\0'}, "x", 1);
	accepts(stage_collect(from, to, &limits, &verdict, &e), "collect");
	assert_int_equal(verdict.files.count, 3);
	was_refused("...", "@stage_collect#number");
}

static void test_what_does_not_fit_on_the_disk_is_refused_alone(void **state)
{
	const struct rlimit small = {100, RLIM_INFINITY};
	struct rlimit before;

	(void)state;
	unit_write(from, "big", (char[1000]){0}, 1000);
	unit_write(from, "small", "x", 1);
	getrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	collect(10000);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	was_refused("big", "File too large");
	was_taken("small", "new");
	assert_true(verdict.uncollected);
	assert_int_equal(faccessat(to, "big", F_OK, 0), -1);
}

static void test_without_descriptors_the_reason_is_said(void **state)
{
	const int last = dup(from); /* the lowest free descriptor */
	struct rlimit before;
	struct rlimit few;
	char path[64] = "d";

	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(mkdirat(from, path, 0755), 0);
		strcat(path, "/d");
	}
	unit_write(from, "small", "x", 1);
	getrlimit(RLIMIT_NOFILE, &before);
	few = (struct rlimit){(rlim_t)last + 12, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	collect(10000);
	setrlimit(RLIMIT_NOFILE, &before);
	close(last);
	assert_true(verdict.uncollected);
	assert_int_equal(verdict.refused.count, 1);
	assert_string_equal(verdict.refused.items[0].change, "Too many open files");
	was_taken("small", "new");
}

static void test_as_root_what_is_made_is_the_owners(void **state)
{
	struct stat st;

	(void)state;
	if (geteuid()) {
		printf("cannot: only root writes for others\n");
		skip();
	}
	assert_int_equal(fchmod(base, 0711), 0);
	assert_int_equal(fchown(to, 61234, 61235), 0);
	assert_int_equal(mkdirat(from, "d", 0755), 0);
	unit_write(from, "d/f", "x", 1);
	/* Root does not write to what the owner may not write to. */
	assert_int_equal(mkdirat(to, "roots", 0755), 0);
	assert_int_equal(mkdirat(from, "roots", 0755), 0);
	unit_write(from, "roots/f", "x", 1);
	collect(100);
	was_refused("roots/f", "@stage_failed#written");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fstatat(to, i ? "d/f" : "d", &st, 0), 0);
		assert_int_equal(st.st_uid, 61234);
		assert_int_equal(st.st_gid, 61235);
	}
	assert_int_equal(geteuid(), 0);
	assert_int_equal(faccessat(to, "roots", W_OK, AT_EACCESS), 0);
}

static void map_id(const char *file, unsigned id)
{
	char line[32];

	snprintf(line, sizeof(line), "%u %u 1", id, id);
	if (io_put(AT_FDCWD, file, line))
		_exit(2);
}

static void enter_namespaces(void)
{
	unsigned uid = geteuid();
	unsigned gid = getegid();

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)))
		_exit(2);
	if (!uid)
		return;
	io_put(AT_FDCWD, "/proc/self/setgroups", "deny");
	map_id("/proc/self/uid_map", uid);
	map_id("/proc/self/gid_map", gid);
}

/*
 * Runs in a process of its own. Returns whether the root of a new tmpfs, or a directory in it, can
 * be collected.
 */
static int judge_new_tmpfs(bool root)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int context;
		int mount;
		int fd;

		enter_namespaces();
		context = (int)syscall(SYS_fsopen, "tmpfs", 0);
		if (syscall(SYS_fsconfig, context, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0))
			_exit(3);
		mount = (int)syscall(SYS_fsmount, context, 0, 0);
		if (mount < 0 || mkdirat(mount, "d", 0755))
			_exit(4);
		fd = openat(mount, root ? "." : "d", O_RDONLY | O_DIRECTORY);
		_exit(stage_check(fd, &e) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void test_stage_is_a_tmpfs_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(judge_new_tmpfs(true), 0);
	assert_int_equal(judge_new_tmpfs(false), 1);
}

static void test_directories_of_the_host_are_no_stage(void **state)
{
	static const char *const paths[] = {"/",    "/tmp",  "/dev/shm",
					    "/run", "/proc", "/etc/passwd"};

	(void)state;
	refuses(stage_check(from, &e), "an ordinary directory", ERR_SYSTEM, "nothing is collected");
	for (size_t i = 0; i < COUNT(paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		refuses(stage_check(fd, &e), paths[i], ERR_SYSTEM, "nothing is collected");
		close(fd);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_directories, end_directories)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_files_and_directories_are_copied),
		TEST(test_nothing_to_collect),
		TEST(test_a_large_file_is_copied_whole),
		TEST(test_only_files_and_directories_are_taken),
		TEST(test_a_file_larger_than_the_limit_is_refused),
		TEST(test_the_limit_is_of_all_files_together),
		TEST(test_hard_links_count_as_often_as_they_are_copied),
		TEST(test_modes_lose_what_is_special),
		TEST(test_a_directory_without_rights_is_read_all_the_same),
		TEST(test_existing_files_are_replaced_and_called_changed),
		TEST(test_a_link_in_the_target_is_replaced_not_followed),
		TEST(test_a_linked_directory_in_the_target_is_not_entered),
		TEST(test_a_file_and_a_directory_do_not_replace_each_other),
		TEST(test_an_existing_directory_is_filled),
		TEST(test_names_of_any_bytes),
		TEST(test_nesting_is_bounded),
		TEST(test_sixty_levels_are_taken),
		TEST(test_no_descriptor_is_left_open),
		TEST(test_what_a_killed_run_left_is_in_nobodys_way),
		TEST(test_root_changes_nothing_of_what_it_reads),
		TEST(test_lease_of_a_living_process_does_not_hold_us),
		TEST(test_entries_are_bounded),
		TEST(test_what_does_not_fit_on_the_disk_is_refused_alone),
		TEST(test_without_descriptors_the_reason_is_said),
		TEST(test_as_root_what_is_made_is_the_owners),
		TEST(test_stage_is_a_tmpfs_of_its_own),
		TEST(test_directories_of_the_host_are_no_stage),
		TEST(test_the_target_is_made_or_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
