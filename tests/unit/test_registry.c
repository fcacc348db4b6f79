/*
 * test_registry - places in the registry of what runs: taken, read, left, and what the killed
 * leave.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/registry.h"
#include "fs/private_dir.h"
#include "unit.h"

#define RUNNING "running"

static const struct registry_entry entry = {.kind = REGISTRY_RUN,
					    .id = "0123456789abcdef",
					    .image = "image:tag",
					    .command = "say \"x\"\n",
					    .memory = "",
					    .started_us = 7};

/* This program's own place is XDG_RUNTIME_DIR; root's is /run/glovebox whatever it says. */
static char name[64];

static int set_up(void **state)
{
	static unsigned number;

	(void)state;
	snprintf(name, sizeof(name), "unit-%d-%u", (int)getpid(), number++);
	return 0;
}

/* A process that holds a place until it is told to end. */
struct holder {
	pid_t pid;
	int talk[2];
};

static struct holder begin(const char *of, bool leaves)
{
	struct holder h;
	int ready[2];
	char byte;

	assert_int_equal(pipe(h.talk), 0);
	assert_int_equal(pipe(ready), 0);
	h.pid = fork();
	if (!h.pid) {
		struct registration r;
		struct err e;

		close(h.talk[1]);
		if (registry_enter(of, &entry, &r, &e) || write(ready[1], "", 1) != 1)
			_exit(1);
		(void)!read(h.talk[0], &byte, 1);
		if (leaves)
			registry_leave(&r);
		_exit(0);
	}
	close(h.talk[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return h;
}

static void end(struct holder *h)
{
	close(h->talk[1]);
	assert_int_equal(waitpid(h->pid, NULL, 0), h->pid);
}

struct seen {
	unsigned count;
	struct registered last;
	char command[64];
};

static void look(void *context, const struct registered *r)
{
	struct seen *s = context;

	if (strcmp(r->name, name) != 0)
		return;
	s->count++;
	s->last = *r;
	snprintf(s->command, sizeof(s->command), "%s", r->entry.command);
	assert_string_equal(r->entry.image, entry.image);
	assert_string_equal(r->entry.id, entry.id);
	assert_int_equal(r->entry.started_us, entry.started_us);
}

static struct seen list(void)
{
	struct seen s = {0};
	struct err e;

	assert_int_equal(registry_each(look, &s, &e), 0);
	return s;
}

static void path_of(char *out, size_t size)
{
	char dir[4096];
	struct err e;

	if (geteuid() == 0)
		snprintf(dir, sizeof(dir), "%s", PRIVATE_DIR_ROOT);
	else
		assert_int_equal(private_dir_of_user(true, dir, sizeof(dir), &e), 0);
	snprintf(out, size, "%s/" RUNNING "/%s", dir, name);
}

static bool is_there(void)
{
	char path[5000];

	path_of(path, sizeof(path));
	return access(path, F_OK) == 0;
}

static void test_a_place_names_its_process(void **state)
{
	struct holder h = begin(name, true);
	struct seen s = list();
	struct err e;
	int pidfd;

	(void)state;
	assert_int_equal(s.count, 1);
	assert_int_equal(s.last.pid, h.pid);
	assert_string_equal(s.command, entry.command);
	pidfd = registry_open(&s.last, &e);
	assert_true(pidfd >= 0);
	end(&h);
	assert_int_equal(poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0), 1);
	close(pidfd);
	assert_int_equal(registry_open(&s.last, &e), -1);
	assert_int_equal(e.kind, ERR_GONE);
	assert_int_equal(list().count, 0);
	assert_false(is_there());
}

static void look_supervisor(void *context, const struct registered *r)
{
	if (!strcmp(r->name, name))
		snprintf(context, REGISTRY_SUPERVISOR, "%s", r->entry.supervisor);
}

/* The supervisor that the entry names, after this was written. */
static const char *supervisor(const struct registration *r, const char *where)
{
	static char said[REGISTRY_SUPERVISOR];
	struct err e;

	registry_name_supervisor(r, where);
	assert_int_equal(registry_each(look_supervisor, said, &e), 0);
	return said;
}

/* A list in the process that holds a place would end its lock: another process reads. */
static void test_a_supervisor_is_an_absolute_path(void **state)
{
	char long_path[REGISTRY_SUPERVISOR + 1] = "";
	struct holder h = begin(name, true);
	char path[5000];
	struct registration r = {.dir = -1};

	(void)state;
	memset(long_path, '/', REGISTRY_SUPERVISOR);
	path_of(path, sizeof(path));
	r.fd = open(path, O_RDWR | O_CLOEXEC);
	assert_string_equal(supervisor(&r, "/tmp/x"), "/tmp/x");
	assert_string_equal(supervisor(&r, "tmp/x"), "");
	assert_string_equal(supervisor(&r, long_path), "");
	assert_string_equal(supervisor(&r, NULL), "");
	assert_int_equal(list().count, 1);
	close(r.fd);
	end(&h);
}

static void test_a_name_is_one_process_at_a_time(void **state)
{
	struct holder h = begin(name, true);
	struct registration r;
	struct err e;

	(void)state;
	assert_int_equal(registry_enter(name, &entry, &r, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_non_null(strstr(e.text, name));
	end(&h);
	assert_int_equal(registry_enter(name, &entry, &r, &e), 0);
	registry_leave(&r);
	registry_leave(&r);
	assert_false(is_there());
}

static void test_what_the_killed_leave_goes_when_somebody_lists(void **state)
{
	struct holder h = begin(name, false);

	(void)state;
	end(&h);
	assert_true(is_there());
	assert_int_equal(list().count, 0);
	assert_false(is_there());
}

static void test_what_the_killed_leave_goes_at_the_next_start(void **state)
{
	struct holder h = begin(name, false);
	struct registration r;
	struct err e;
	char next[80];

	(void)state;
	end(&h);
	assert_true(is_there());
	snprintf(next, sizeof(next), "%s-next", name);
	assert_int_equal(registry_enter(next, &entry, &r, &e), 0);
	assert_false(is_there());
	registry_leave(&r);
}

/* Another process of the user is removing the entry. */
static void test_a_remover_is_no_holder(void **state)
{
	const struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
	const struct flock alone = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
	char path[5000];
	struct holder h = begin(name, false);
	int ready[2];
	char byte;
	pid_t remover;
	struct registration r;
	struct err e;

	(void)state;
	end(&h);
	path_of(path, sizeof(path));
	assert_int_equal(pipe(ready), 0);
	remover = fork();
	if (!remover) {
		int fd = open(path, O_RDWR | O_CLOEXEC);

		if (fcntl(fd, F_SETLK, &alone) || fcntl(fd, F_SETLK, &shared) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		usleep(100000);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(registry_enter(name, &entry, &r, &e), 0);
	assert_int_equal(waitpid(remover, NULL, 0), remover);
	registry_leave(&r);
}

/* Locks the file of a place until it is told to end. */
static struct holder lock_otherwise(const char *path, int command, short type)
{
	const struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
	const struct flock removing = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
	struct holder h;
	int ready[2];
	char byte;

	assert_int_equal(pipe(h.talk), 0);
	assert_int_equal(pipe(ready), 0);
	h.pid = fork();
	if (!h.pid) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		close(h.talk[1]);
		if (fcntl(fd, command, &lock) ||
		    (type == F_RDLCK && fcntl(fd, F_SETLK, &removing)) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		(void)!read(h.talk[0], &byte, 1);
		_exit(0);
	}
	close(h.talk[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return h;
}

static void test_a_remover_that_is_stopped_is_not_waited_for(void **state)
{
	char path[5000];
	struct holder h;
	struct registration r;
	struct err e;

	(void)state;
	path_of(path, sizeof(path));
	h = lock_otherwise(path, F_SETLK, F_RDLCK);
	assert_int_equal(registry_enter(name, &entry, &r, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	end(&h);
	assert_int_equal(list().count, 0);
}

static void look_at_process(void *context, const struct registered *r)
{
	if (!strcmp(r->name, name))
		*(struct registered *)context = *r;
}

/* The lock of an open file description is of no process: fcntl(2) says -1. */
static void test_a_lock_without_a_process(void **state)
{
	char path[5000];
	struct registered seen = {.pid = -2};
	struct holder h;
	struct err e;

	(void)state;
	path_of(path, sizeof(path));
	h = lock_otherwise(path, F_OFD_SETLK, F_WRLCK);
	assert_int_equal(registry_each(look_at_process, &seen, &e), 0);
	assert_int_equal(seen.pid, 0);
	assert_int_equal(registry_open(&seen, &e), -1);
	assert_int_equal(e.kind, ERR_UNSUPPORTED);
	end(&h);
	assert_int_equal(list().count, 0);
}

/* In a directory that others can write to, entries may be theirs, and names lead to other files. */
static void test_places_of_others_are_not_listed(void **state)
{
	char dir[] = "/tmp/test_registry-XXXXXX";
	bool root = geteuid() == 0;
	const char *before = getenv("XDG_RUNTIME_DIR");
	char *kept = before ? strdup(before) : NULL;
	char path[3][100];
	struct seen s = {0};
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path[0], sizeof(path[0]), "%s/glovebox", dir);
	snprintf(path[1], sizeof(path[1]), "%s/glovebox/" RUNNING, dir);
	snprintf(path[2], sizeof(path[2]), "%s/glovebox/" RUNNING "/file", dir);
	assert_false(chmod(dir, 0755) || mkdir(path[0], 0700) || mkdir(path[1], 0700));
	assert_false(chmod(path[0], 0777) || chmod(path[1], 0777));
	close(open(path[2], O_WRONLY | O_CREAT, 0666));
	assert_int_equal(root ? seteuid(65534) : 0, 0);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	assert_int_equal(registry_each(look, &s, &e), -1);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_int_equal(root ? seteuid(0) : 0, 0);
	kept ? setenv("XDG_RUNTIME_DIR", kept, 1) : unsetenv("XDG_RUNTIME_DIR");
	free(kept);
	assert_int_equal(unlink(path[2]), 0);
	assert_false(rmdir(path[1]) || rmdir(path[0]) || rmdir(dir));
}

static void test_without_a_place_a_process_is_not_listed(void **state)
{
	bool root = geteuid() == 0;
	struct registration r;

	(void)state;
	assert_int_equal(root ? seteuid(65534) : 0, 0); /* root's place is another */
	setenv("XDG_RUNTIME_DIR", "/proc/none", 1);
	r = registry_enter_face("agent", "image", "task");
	assert_int_equal(r.fd, -1);
	registry_leave(&r);
	unsetenv("XDG_RUNTIME_DIR");
	assert_int_equal(root ? seteuid(0) : 0, 0);
}

/* Other processes of root's remove what the killed leave in /run: here no other sees it. */
static void enter_run_of_our_own(void)
{
	if (geteuid() || unshare(CLONE_NEWNS))
		return;
	(void)(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_place_names_its_process, set_up),
		cmocka_unit_test_setup(test_a_supervisor_is_an_absolute_path, set_up),
		cmocka_unit_test_setup(test_a_name_is_one_process_at_a_time, set_up),
		cmocka_unit_test_setup(test_what_the_killed_leave_goes_when_somebody_lists, set_up),
		cmocka_unit_test_setup(test_what_the_killed_leave_goes_at_the_next_start, set_up),
		cmocka_unit_test_setup(test_a_remover_is_no_holder, set_up),
		cmocka_unit_test_setup(test_a_remover_that_is_stopped_is_not_waited_for, set_up),
		cmocka_unit_test_setup(test_a_lock_without_a_process, set_up),
		cmocka_unit_test_setup(test_places_of_others_are_not_listed, set_up),
		cmocka_unit_test_setup(test_without_a_place_a_process_is_not_listed, set_up),
	};
	int fd;
	int failed;

	enter_run_of_our_own();
	fd = unit_enter();
	failed = cmocka_run_group_tests(tests, NULL, NULL);

	unit_leave(fd);
	return failed;
}
