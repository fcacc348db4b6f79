/*
 * test_files_child - the process that reaches into a session's /workspace: its rights, its
 * descriptors and its end; and that its caller is not changed.
 */
#include "unit.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "client/files.h"

#define FOREIGN 0x70001000 /* a user id that nobody has */
#define MANY    50

static struct files_request request;
static struct files_result result;
static struct err e;
static int base;
static int root;
static int content[2]; /* a pipe; the child reads from the first end */
static unsigned open_before;

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* If we are root, the sandbox has other ids than ours; otherwise it has ours. */
static int new_root(void **state)
{
	(void)state;
	open_before = unit_count_open();
	base = unit_enter();
	assert_int_equal(fchmod(base, 0755), 0);
	assert_int_equal(mkdirat(base, "root", 0755), 0);
	root = openat(base, "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(pipe2(content, O_CLOEXEC), 0);
	request = (struct files_request){
		.action = FILES_PUT,
		.root_fd = root,
		.path = "file",
		.content_fd = content[0],
		.mode = 0644,
	};
	files_rules_init(&request.rules, geteuid(), getegid());
	if (!geteuid()) {
		request.rules.uid = FOREIGN;
		request.rules.gid = FOREIGN + 1;
		assert_int_equal(fchown(root, FOREIGN, FOREIGN + 1), 0);
	}
	request.rules.max_ms = 120000; /* generous, because the machine may be busy */
	return 0;
}

/* Check that no child is left, not even a zombie, and no descriptor. */
static int end_root(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	close(content[0]);
	close(content[1]);
	close(root);
	unit_leave(base);
	assert_int_equal(unit_count_open(), open_before);
	return 0;
}

static struct files *start(void)
{
	struct files *files = NULL;

	accepts(files_start(&request, &files, &e), request.path);
	return files;
}

static int finish(struct files *files)
{
	do
		loop_wait(files_loop(files), -1);
	while (!files_step(files));
	return files_end(files, NULL, &result, &e);
}

/* The only child of this thread. */
static pid_t only_child(void)
{
	char text[64] = "";
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	assert_true(n > 0);
	close(fd);
	return (pid_t)atoi(text);
}

static void say(const char *text)
{
	assert_int_equal(write(content[1], text, strlen(text)), strlen(text));
}

/* Wait until the child has read what was written: then it is at work and waits for more. */
static pid_t at_work(void)
{
	int unread = 1;

	say("half");
	while (!ioctl(content[0], FIONREAD, &unread) && unread)
		usleep(500);
	return only_child();
}

/* Returns the lines of a status that begin with one of these words. */
static const char *status(const char *task, const char *words, struct buf *out)
{
	char path[300];
	char line[2000];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", task);
	file = fopen(path, "re");
	if (!file)
		return buf_string(out);
	while (fgets(line, sizeof(line), file)) {
		char word[64];

		line[strcspn(line, "\n")] = '\0';
		snprintf(word, sizeof(word), " %.*s ", (int)strcspn(line, ":"), line);
		if (strstr(words, word))
			buf_printf(out, "%s\n", line);
	}
	fclose(file);
	return buf_string(out);
}

static void has(pid_t pid, const char *word, const char *wanted)
{
	auto_buf struct buf text = {0};
	char task[32];
	char words[64];
	char line[200];

	snprintf(task, sizeof(task), "%d", (int)pid);
	snprintf(words, sizeof(words), " %s ", word);
	snprintf(line, sizeof(line), "%s:\t%s\n", word, wanted);
	assert_string_equal(status(task, words, &text), line);
}

/* --- the caller ------------------------------------------------------------ */

/* The state of each of our threads, and of the process as a whole. */
static void look_at_us(struct buf *out)
{
	static const char words[] =
		" Umask Uid Gid Groups SigBlk SigIgn SigCgt CapInh CapPrm CapEff "
		"CapBnd CapAmb NoNewPrivs Seccomp Threads ";
	DIR *dir = opendir("/proc/self/task");
	char place[256] = "";
	int number = 0;

	for (const struct dirent *entry; (entry = readdir(dir));) {
		char task[300];

		snprintf(task, sizeof(task), "self/task/%s", entry->d_name);
		if (*entry->d_name != '.')
			status(task, words, out);
	}
	closedir(dir);
	prctl(PR_GET_PDEATHSIG, &number);
	assert_non_null(getcwd(place, sizeof(place)));
	buf_printf(out, "%s %d %d %d", place, number, prctl(PR_GET_DUMPABLE),
		   getpriority(PRIO_PROCESS, 0));
}

static atomic_bool allocating;
static atomic_bool enough;

/* A second thread, which holds the heap's lock most of the time. */
static void *allocate(void *argument)
{
	sigset_t some;

	(void)argument;
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	allocating = true;
	while (!enough) {
		void *volatile some_bytes = malloc(100000); /* or the compiler removes both calls */

		free(some_bytes);
	}
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

static void test_the_caller_is_not_touched(void **state)
{
	auto_buf struct buf before = {0};
	auto_buf struct buf during = {0};
	auto_buf struct buf after = {0};
	mode_t mask = umask(027);
	struct files *files;
	pthread_t thread;

	(void)state;
	needs_no_valgrind("one thread waits for the other too long");
	signal(SIGUSR2, on_signal);
	allocating = enough = false;
	assert_int_equal(pthread_create(&thread, NULL, allocate, NULL), 0);
	while (!allocating)
		usleep(1000);
	look_at_us(&before);
	files = start();
	at_work();
	look_at_us(&during);
	files_cancel(files);
	assert_int_equal(finish(files), -1);
	for (int i = 0; i < 50; i++) {
		request.action = i % 2 ? FILES_LIST : FILES_DELETE;
		request.path = i % 2 ? "" : "missing";
		assert_int_equal(finish(start()), i % 2 ? 0 : -1);
		buf_fini(&result.json);
	}
	look_at_us(&after);
	enough = true;
	pthread_join(thread, NULL);
	signal(SIGUSR2, SIG_DFL);
	umask(mask);
	assert_string_equal(buf_string(&during), buf_string(&before));
	assert_string_equal(buf_string(&after), buf_string(&before));
}

static void test_a_caller_that_ignores_its_children(void **state)
{
	(void)state;
	signal(SIGCHLD, SIG_IGN);
	request.action = FILES_LIST;
	request.path = "";
	for (int i = 0; i < 20; i++) {
		accepts(finish(start()), "list");
		assert_string_equal(buf_string(&result.json), "[]");
		buf_fini(&result.json);
	}
	signal(SIGCHLD, SIG_DFL);
}

static void test_without_descriptors_nothing_begins(void **state)
{
	struct rlimit limit;
	struct files *files;
	rlim_t old;

	(void)state;
	needs_no_valgrind("a limit of descriptors is not the kernel's");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	old = limit.rlim_cur;
	for (rlim_t more = 0; more < 3; more++) {
		int next = dup(root);

		close(next);
		limit.rlim_cur = (rlim_t)next + more;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		refuses(files_start(&request, &files, &e), "start", ERR_SYSTEM, "");
		assert_int_equal(e.number, EMFILE);
		limit.rlim_cur = old;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	}
}

/* --- the child ------------------------------------------------------------- */

/* Its open descriptors and its directories. */
static void check_descriptors(pid_t pid, const char *name)
{
	char path[64];
	char place[64];
	char target[300];
	struct stat here;
	struct stat there;
	unsigned count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (n < 0)
			continue; /* "." */
		target[n] = '\0';
		if (strstr(target, name))
			fail_msg("it has %s", target);
		count++;
	}
	closedir(dir);
	assert_in_range(count, 7,
			8); /* the three that it needs, 0 to 2, a directory, and the new file */
	snprintf(place, sizeof(place), "/proc/%d/cwd", (int)pid);
	assert_int_equal(stat(place, &there), 0);
	assert_int_equal(fstat(root, &here), 0);
	assert_true(here.st_ino == there.st_ino && here.st_dev == there.st_dev);
}

static void check_ids(pid_t pid)
{
	char ids[100];

	snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u", request.rules.uid, request.rules.uid,
		 request.rules.uid, request.rules.uid);
	has(pid, "Uid", ids);
	snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u", request.rules.gid, request.rules.gid,
		 request.rules.gid, request.rules.gid);
	has(pid, "Gid", ids);
}

/* A set of signals without the two that libc reserves for itself and does not let us change. */
static uint64_t signals(pid_t pid, const char *word)
{
	auto_buf struct buf text = {0};
	char task[32];
	char words[32];

	snprintf(task, sizeof(task), "%d", (int)pid);
	snprintf(words, sizeof(words), " %s ", word);
	status(task, words, &text);
	return strtoull(buf_string(&text) + strlen(word) + 1, NULL, 16) & ~(3ull << 31);
}

static void test_it_is_the_sandboxs_user_and_nothing_more(void **state)
{
	static const char none[] = "0000000000000000";
	struct files *files;
	struct stat st;
	int secret;
	char path[64];
	pid_t pid;

	(void)state;
	needs_no_valgrind("a process has more signals and descriptors");
	secret = openat(base, "secret", O_RDWR | O_CREAT, 0600); /* not close-on-exec */
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	files = start();
	pid = at_work();
	check_ids(pid);
	has(pid, "CapInh", none);
	has(pid, "CapPrm", none);
	has(pid, "CapEff", none);
	has(pid, "CapAmb", none);
	has(pid, "NoNewPrivs", "1");
	has(pid, "SigBlk", none);
	assert_int_equal(signals(pid, "SigCgt"), 0);
	assert_int_equal(signals(pid, "SigIgn"), 1u << (SIGPIPE - 1) | 1u << (SIGXFSZ - 1));
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid,
			 0); /* files of a process that is not dumpable belong to root (proc(5)) */
	if (!geteuid()) {
		has(pid, "Groups", " ");
		check_descriptors(pid, "secret");
	}
	close(content[1]);
	content[1] = -1;
	accepts(finish(files), "put");
	assert_string_equal(unit_read(root, "file"), "half");
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	close(secret);
	assert_int_equal(unlinkat(base, "secret", 0), 0);
}

/* The caller's standard descriptors may be closed, or may be those of the request. */
static void test_it_works_whatever_the_numbers_are(void **state)
{
	int saved[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
	for (int i = 0; i < 3; i++) {
		close(0);
		close(1);
		close(2);
		say("content");
		assert_int_equal(dup2(content[0], i), i);
		request.content_fd = i;
		request.rules.max_bytes = 7;
		say("!");
		if (finish(start()) != -1 || e.kind != ERR_INPUT)
			e.number = -1; /* nobody can have been told yet */
		for (int fd = 0; fd < 3; fd++)
			assert_int_equal(dup2(saved[fd], fd), fd);
		assert_int_equal(e.number, 0);
	}
	for (int i = 0; i < 3; i++)
		close(saved[i]);
}

static void test_a_pipe_that_does_not_block_is_waited_for(void **state)
{
	struct files *files;

	(void)state;
	assert_int_equal(fcntl(content[0], F_SETFL, O_NONBLOCK), 0);
	files = start();
	at_work();
	usleep(20000);
	say(" and half");
	close(content[1]);
	content[1] = -1;
	accepts(finish(files), "put");
	assert_string_equal(unit_read(root, "file"), "half and half");
}

/* --- its end --------------------------------------------------------------- */

static unsigned names(void)
{
	DIR *dir = fdopendir(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	unsigned count = 0;

	for (const struct dirent *entry; (entry = readdir(dir));)
		count += strncmp(entry->d_name, ".", 1) != 0;
	closedir(dir);
	return count;
}

static void put_old(void)
{
	unit_write(root, "file", "old", 3);
	if (!geteuid())
		assert_int_equal(fchownat(root, "file", FOREIGN, FOREIGN + 1, 0), 0);
}

static void old_is_whole(void)
{
	assert_string_equal(unit_read(root, "file"), "old");
	assert_int_equal(names(), 1);
}

static void test_killed_in_the_middle_it_leaves_the_old_file(void **state)
{
	struct files *files;

	(void)state;
	put_old();
	files = start();
	kill(at_work(), SIGKILL);
	refuses(finish(files), "put", ERR_SYSTEM, "@files_no_answer#killed file");
	assert_int_equal(e.number, 0);
	old_is_whole();
}

static void test_cancelled_it_leaves_the_old_file(void **state)
{
	uint64_t begun = now_ms();
	struct files *files;

	(void)state;
	put_old();
	files = start();
	at_work();
	files_cancel(files);
	files_cancel(files);
	refuses(finish(files), "put", ERR_SYSTEM, "file: given up");
	assert_int_equal(e.number, ECANCELED);
	assert_true(now_ms() - begun < 20000);
	old_is_whole();
}

/* Who serves others does not wait for its end, and nothing of it is left. */
static void test_given_up_while_others_are_served(void **state)
{
	struct endings endings = {0};
	struct files *files;

	(void)state;
	put_old();
	files = start();
	at_work();
	refuses(files_end(files, &endings, &result, &e), "put", ERR_SYSTEM, "file: given up");
	for (; endings.count; usleep(1000))
		endings_look(&endings);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	endings_fini(&endings);
	old_is_whole();
}

/*
 * Killed at any moment, it leaves the whole old file or the whole new one; after a reported
 * success, the new one.
 */
static void test_given_up_at_any_moment(void **state)
{
	int done[2] = {0};

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct files *files;
		bool bad;

		unlinkat(root, "file", 0);
		put_old();
		request.content_fd = memfd_create("new", MFD_CLOEXEC);
		assert_int_equal(pwrite(request.content_fd, "new", 3, 0), 3);
		files = start();
		close(request.content_fd); /* the child has its own copy */
		usleep(i * 7);
		if (i % 3 == 0)
			files_step(files);
		bad = files_end(files, NULL, &result, &e);
		done[bad]++;
		if (!bad)
			assert_string_equal(unit_read(root, "file"), "new");
		else if (strcmp(unit_read(root, "file"), "old") != 0)
			assert_string_equal(unit_read(root, "file"), "new");
		assert_int_equal(names(), 1);
	}
	assert_true(done[1] > 0);
}

static void test_what_hangs_is_killed_in_time(void **state)
{
	uint64_t begun = now_ms();
	struct files *files;

	(void)state;
	put_old();
	request.rules.max_ms = 10;
	files = start();
	kill(only_child(), SIGSTOP);
	refuses(finish(files), "put", ERR_SYSTEM, "@files_no_answer#time file");
	assert_int_equal(e.number, ETIMEDOUT);
	assert_true(now_ms() - begun < 20000);
	old_is_whole();
}

static bool is_dead(pid_t pid)
{
	auto_buf struct buf text = {0};
	char task[32];

	snprintf(task, sizeof(task), "%d", (int)pid);
	status(task, " State ", &text);
	return !text.length || strstr(buf_string(&text), "zombie");
}

static void test_it_ends_with_its_caller(void **state)
{
	int ends[2];
	pid_t parent;
	pid_t pid = 0;

	(void)state;
	put_old();
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	parent = fork();
	if (!parent) {
		start();
		pid = at_work();
		if (write(ends[1], &pid, sizeof(pid)) == sizeof(pid))
			pause();
		_exit(1);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_false(is_dead(pid));
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	for (uint64_t begun = now_ms(); !is_dead(pid); usleep(1000))
		assert_true(now_ms() - begun < 20000);
	close(ends[0]);
	close(ends[1]);
	old_is_whole();
}

/* --- many ------------------------------------------------------------------ */

struct member {
	struct files *files;
	char path[32];
};

static void start_member(struct member *m, unsigned i, int epoll)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = m};

	snprintf(m->path, sizeof(m->path), "d/%u", i);
	request.path = m->path;
	request.content_fd = memfd_create("content", MFD_CLOEXEC);
	assert_int_equal(pwrite(request.content_fd, m->path, strlen(m->path), 0), strlen(m->path));
	m->files = start();
	close(request.content_fd);
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, loop_fd(files_loop(m->files), &e), &event),
			 0);
}

static void test_many_at_once_by_one_thread(void **state)
{
	struct member members[MANY];
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	unsigned left = MANY;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		start_member(&members[i], i, epoll);
	while (left) {
		struct epoll_event events[MANY];
		int ready = epoll_wait(epoll, events, MANY, -1);

		for (int i = 0; i < ready; i++) {
			struct member *m = events[i].data.ptr;

			if (!files_step(m->files))
				continue;
			accepts(files_end(m->files, NULL, &result, &e), m->path);
			assert_string_equal(unit_read(root, m->path), m->path);
			left--;
		}
	}
	close(epoll);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_root, end_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_caller_is_not_touched),
		TEST(test_a_caller_that_ignores_its_children),
		TEST(test_without_descriptors_nothing_begins),
		TEST(test_it_is_the_sandboxs_user_and_nothing_more),
		TEST(test_it_works_whatever_the_numbers_are),
		TEST(test_a_pipe_that_does_not_block_is_waited_for),
		TEST(test_killed_in_the_middle_it_leaves_the_old_file),
		TEST(test_cancelled_it_leaves_the_old_file),
		TEST(test_given_up_while_others_are_served),
		TEST(test_given_up_at_any_moment),
		TEST(test_what_hangs_is_killed_in_time),
		TEST(test_it_ends_with_its_caller),
		TEST(test_many_at_once_by_one_thread),
	};
	const gid_t groups[] = {1, 2};

	/* A session's workspace is a tmpfs; use one here, too, where that is possible. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	signal(SIGPIPE, SIG_IGN);
	if (!geteuid() && setgroups(2, groups))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
