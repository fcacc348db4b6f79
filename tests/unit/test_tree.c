/*
 * test_tree - the trees of binds are cloned without privilege: the right ones, all or none, and no
 * process or descriptor is left.
 */
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/own.h"
#include "root/tree.h"

#define SHARING "no process shares memory with its parent"
#define OPS     4

static struct err e;
static struct root_op ops[OPS];
static char sources[OPS][300];
static int directory;

/* Each operation binds a directory or file of its own, as root_plan_bind() makes it. */
static int make_binds(void **state)
{
	(void)state;
	directory = unit_enter();
	for (int i = 0; i < OPS; i++) {
		struct stat st;
		char name[2] = {(char)('0' + i), '\0'};

		if (i % 2)
			unit_write(directory, name, name, 1);
		else
			assert_int_equal(mkdirat(directory, name, 0755), 0);
		snprintf(sources[i], sizeof(sources[i]), "%s/%s", unit_directory, name);
		assert_int_equal(fstatat(directory, name, &st, 0), 0);
		ops[i] = (struct root_op){.kind = ROOT_BIND,
					  .source = sources[i],
					  .device = st.st_dev,
					  .inode = st.st_ino,
					  .tree_fd = -1};
	}
	ops[0].kind = ROOT_BASE;
	return 0;
}

static int close_trees(void **state)
{
	(void)state;
	for (int i = 0; i < OPS; i++)
		own_close(&ops[i].tree_fd);
	unit_leave(directory);
	return 0;
}

static void must_have_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, __WALL), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_every_bind_has_a_tree_of_its_source(void **state)
{
	(void)state;
	needs_no_valgrind(SHARING);
	accepts(tree_clone(ops, OPS, TREE_ALL, &e), "four binds");
	must_have_no_child();
	for (int i = 0; i < OPS; i++) {
		struct stat st;

		assert_int_equal(fcntl(ops[i].tree_fd, F_GETFD), FD_CLOEXEC);
		assert_int_equal(fstat(ops[i].tree_fd, &st), 0);
		assert_int_equal(st.st_ino, ops[i].inode);
	}
}

static void test_what_needs_no_tree(void **state)
{
	unsigned before;

	(void)state;
	ops[0].kind = ROOT_TMPFS;
	ops[0].source = "size=1m";
	ops[1].kind = ROOT_LINK;
	ops[2].in_image = true;
	ops[3].tree_fd = dup(directory); /* already made, as for root */
	before = unit_count_open();
	accepts(tree_clone(ops, OPS, TREE_ALL, &e), "nothing to do");
	assert_int_equal(unit_count_open(), before);
	assert_int_equal(ops[2].tree_fd, -1);
	must_have_no_child();
}

static void test_source_that_is_another_by_now_is_refused(void **state)
{
	(void)state;
	needs_no_valgrind(SHARING);
	assert_int_equal(mkdirat(directory, "other", 0755), 0);
	assert_int_equal(renameat(directory, "other", directory, "2"), 0);
	refuses(tree_clone(ops, OPS, TREE_ALL, &e), "a directory in its place", ERR_SYSTEM,
		"mount source changed");
	assert_non_null(strstr(e.text, sources[2]));
	assert_int_equal(ops[2].tree_fd, -1);
	must_have_no_child();
}

static void test_source_that_is_a_link_by_now_is_refused(void **state)
{
	(void)state;
	needs_no_valgrind(SHARING);
	/* Made while the file still exists: otherwise the link could get its inode number. */
	assert_int_equal(symlinkat("1", directory, "link"), 0);
	assert_int_equal(renameat(directory, "link", directory, "3"), 0);
	refuses(tree_clone(ops, OPS, TREE_ALL, &e), "a link", ERR_SYSTEM, "mount source changed");
}

static void test_source_that_is_gone_is_refused(void **state)
{
	unsigned before = unit_count_open();

	(void)state;
	needs_no_valgrind(SHARING);
	assert_int_equal(unlinkat(directory, "3", 0), 0);
	refuses(tree_clone(ops, OPS, TREE_ALL, &e), "a missing file", ERR_SYSTEM,
		"open mount source");
	assert_int_equal(e.number, ENOENT);
	assert_int_equal(unit_count_open(), before + OPS - 1); /* root_ops_fini() closes these */
	must_have_no_child();
}

/* No SIGCHLD handler is called, and a process that ignores SIGCHLD still gets the status. */
static void test_signal_of_children_does_not_matter(void **state)
{
	sigset_t set;
	sigset_t pending;

	(void)state;
	needs_no_valgrind(SHARING);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	accepts(tree_clone(ops, 2, TREE_ALL, &e), "with the signal blocked");
	sigpending(&pending);
	assert_false(sigismember(&pending, SIGCHLD));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGCHLD, SIG_IGN);
	accepts(tree_clone(ops, OPS, TREE_ALL, &e), "with the signal ignored");
	signal(SIGCHLD, SIG_DFL);
	assert_true(ops[OPS - 1].tree_fd >= 0);
}

/* Runs in a process of its own, where one system call fails with this errno. */
static void must_refuse_when(long call, uint32_t action, const char *text)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {COUNT(code), code};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/*
		 * Not dumpable: before Linux 5.16 a process that was killed could take along those
		 * that share its memory.
		 */
		bool ready = !prctl(PR_SET_DUMPABLE, 0) &&
			     !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
			     !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);

		_exit(ready && tree_clone(ops, OPS, TREE_ALL, &e) && strstr(e.text, text) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("status %x, without \"%s\"", (unsigned)status, text);
}

static void test_process_that_dies_is_noticed(void **state)
{
	(void)state;
	needs_no_valgrind(SHARING);
	must_refuse_when(SYS_open_tree, SECCOMP_RET_KILL_PROCESS, "was killed");
}

static void test_calls_that_are_refused(void **state)
{
	(void)state;
	needs_no_valgrind(SHARING);
	must_refuse_when(SYS_clone, SECCOMP_RET_ERRNO | EPERM, "create namespaces");
	must_refuse_when(SYS_mount, SECCOMP_RET_ERRNO | EPERM, "private");
	must_refuse_when(SYS_open_tree, SECCOMP_RET_ERRNO | EMFILE, "open mount source");
}

int main(void)
{
#define WITH_BINDS(test) cmocka_unit_test_setup_teardown(test, make_binds, close_trees)
	const struct CMUnitTest tests[] = {
		WITH_BINDS(test_every_bind_has_a_tree_of_its_source),
		WITH_BINDS(test_what_needs_no_tree),
		WITH_BINDS(test_source_that_is_another_by_now_is_refused),
		WITH_BINDS(test_source_that_is_a_link_by_now_is_refused),
		WITH_BINDS(test_source_that_is_gone_is_refused),
		WITH_BINDS(test_signal_of_children_does_not_matter),
		WITH_BINDS(test_process_that_dies_is_noticed),
		WITH_BINDS(test_calls_that_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
