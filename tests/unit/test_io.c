/*
 * test_io - whole reads and writes, over pipes and files.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/io.h"

static struct err e;

static void test_write_all_gets_through_a_slow_reader(void **state)
{
	size_t length = 1 << 20; /* many times what a pipe holds */
	char *bytes = malloc(length);
	uint32_t sum = 0;
	int ends[2];
	int status;
	pid_t child;

	(void)state;
	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)(i * 7);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(io_write_all(ends[1], bytes, length) ? 1 : 0);
	}
	close(ends[1]);
	for (size_t got = 0;;) {
		char chunk[777];
		ssize_t n = read(ends[0], chunk, sizeof(chunk));

		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++, got++)
			sum += chunk[i] != bytes[got];
		if (got == length)
			sum += 0x10000;
	}
	assert_int_equal(sum, 0x10000); /* everything arrives, in order, and nothing follows */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(ends[0]);
	free(bytes);
}

static void test_write_all_fails_with_errno(void **state)
{
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	errno = 0;
	assert_int_equal(io_write_all(ends[1], "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(io_write_all(ends[1], "", 0), 0);
	close(ends[1]);
	assert_int_equal(io_write_all(-1, "x", 1), -1);
	assert_int_equal(errno, EBADF);
}

static void test_read_file_takes_up_to_max_bytes(void **state)
{
	int dir = unit_enter();
	static char bytes[40000];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	unit_write(dir, "f", bytes, sizeof(bytes));
	for (size_t max = sizeof(bytes) - 1; max <= sizeof(bytes) + 1; max++) {
		auto_buf struct buf out = {0};

		if (max < sizeof(bytes)) {
			refuses(io_read_file(dir, "f", max, &out, &e), "f", ERR_INPUT,
				"@io_read_fd#larger f");
			continue;
		}
		accepts(io_read_file(dir, "f", max, &out, &e), "f");
		assert_int_equal(out.length, sizeof(bytes));
		assert_memory_equal(out.data, bytes, sizeof(bytes));
	}
	unit_leave(dir);
}

static void test_read_file_appends(void **state)
{
	auto_buf struct buf out = {0};
	int dir = unit_enter();

	(void)state;
	unit_write(dir, "f", "two", 3);
	unit_write(dir, "empty", "", 0);
	buf_text(&out, "one");
	accepts(io_read_file(dir, "f", 3, &out, &e),
		"f"); /* the maximum applies to the file, not to the buffer */
	accepts(io_read_file(dir, "empty", 0, &out, &e), "empty");
	assert_string_equal(buf_string(&out), "onetwo");
	unit_leave(dir);
}

static void test_read_file_without_end_stops_at_max(void **state)
{
	auto_buf struct buf out = {0};

	(void)state;
	refuses(io_read_file(AT_FDCWD, "/dev/zero", 1 << 20, &out, &e), "/dev/zero", ERR_INPUT,
		"@io_read_fd#larger 1m");
	assert_true(out.length <= 1 << 20);
}

static void test_read_file_errors_name_the_path(void **state)
{
	auto_buf struct buf out = {0};
	int dir = unit_enter();

	(void)state;
	refuses(io_read_file(dir, "missing", 9, &out, &e), "missing", ERR_SYSTEM, "open missing");
	assert_int_equal(e.number, ENOENT);
	refuses(io_read_file(dir, ".", 9, &out, &e), "directory", ERR_SYSTEM, "read .");
	assert_int_equal(e.number, EISDIR);
	unit_leave(dir);
}

static void test_read_fd_takes_a_pipe_to_its_end(void **state)
{
	auto_buf struct buf out = {0};
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "a\0b", 3), 3);
	close(ends[1]);
	accepts(io_read_fd(ends[0], "the pipe", 3, &out, &e), "pipe");
	assert_int_equal(out.length, 3);
	assert_memory_equal(out.data, "a\0b", 4);
	close(ends[0]);
}

static void test_put_and_peek_one_value(void **state)
{
	int dir = unit_enter();
	char out[8];

	(void)state;
	assert_int_equal(io_put(dir, "limit", "1"), -1); /* it never creates a file */
	assert_int_equal(errno, ENOENT);
	unit_write(dir, "limit", "", 0);
	assert_int_equal(io_put(dir, "limit", "512\n"), 0);
	assert_string_equal(unit_read(dir, "limit"), "512\n");
	assert_int_equal(io_peek(dir, "limit", out, sizeof(out)), 0);
	assert_string_equal(out, "512");
	unit_write(dir, "limit", "12345678\n", 9);
	assert_int_equal(io_peek(dir, "limit", out, sizeof(out)), 0);
	assert_string_equal(out, "1234567"); /* cut to the size of the buffer */
	unit_write(dir, "limit", "a\nb\n", 4);
	assert_int_equal(io_peek(dir, "limit", out, sizeof(out)), 0);
	assert_string_equal(out, "a\nb");
	unit_write(dir, "limit", "", 0);
	assert_int_equal(io_peek(dir, "limit", out, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(io_peek(dir, "missing", out, sizeof(out)), -1);
	assert_int_equal(errno, ENOENT);
	unit_leave(dir);
}

/* A writer that has left a FIFO: nothing that it wrote is lost. */
static void test_read_file_waits_for_a_fifo(void **state)
{
	auto_buf struct buf out = {0};
	int dir = unit_enter();
	pid_t child;

	(void)state;
	assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
	child = fork();
	if (child == 0) {
		unit_write(dir, "fifo", "said", 4);
		_exit(0);
	}
	accepts(io_read_file(dir, "fifo", 100, &out, &e), "a fifo");
	assert_string_equal(buf_string(&out), "said");
	assert_int_equal(waitpid(child, NULL, 0), child);
	unit_leave(dir);
}

static void test_read_file_does_not_wait_for_a_lease(void **state)
{
	auto_buf struct buf out = {0};
	int dir = unit_enter();
	int fd;

	(void)state;
	unit_write(dir, "f", "x", 1);
	fd = openat(dir, "f", O_RDWR | O_CLOEXEC);
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	refuses(io_read_file(dir, "f", 100, &out, &e), "a leased file", ERR_SYSTEM, "open f");
	assert_int_equal(e.number, EAGAIN);
	close(fd);
	signal(SIGIO, SIG_DFL);
	unit_leave(dir);
}

static void test_no_descriptor_is_left_open(void **state)
{
	auto_buf struct buf out = {0};
	int dir = unit_enter();
	int before = dup(0);
	char value[8];
	int after;

	(void)state;
	close(before);
	unit_write(dir, "f", "1234567890", 10);
	io_read_file(dir, "f", 100, &out, &e);
	io_read_file(dir, "f", 1, &out, &e);
	io_read_file(dir, ".", 1, &out, &e);
	io_put(dir, "f", "x");
	io_peek(dir, "f", value, sizeof(value));
	io_peek(dir, ".", value, sizeof(value));
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
	unit_leave(dir);
}

static int complain(const struct err *why)
{
	return why->kind == ERR_SYSTEM && why->number == ENOSPC ? 125 : 99;
}

/* Runs: a child, so that the test's own standard output stays. */
static _Noreturn void print_and_finish(int to)
{
	signal(SIGPIPE, SIG_IGN);
	if (dup2(to, STDOUT_FILENO) < 0)
		_exit(98);
	printf("hello");
	_exit(io_finish(7, complain));
}

static int finished(int to)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		print_and_finish(to);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void test_a_command_ends_with_what_its_output_came_to(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_int_equal(finished(null), 7);
	assert_int_equal(finished(full), 125);
	assert_int_equal(finished(ends[1]), 128 + SIGPIPE);
	close(ends[1]);
	close(full);
	close(null);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_all_gets_through_a_slow_reader),
		cmocka_unit_test(test_write_all_fails_with_errno),
		cmocka_unit_test(test_read_file_takes_up_to_max_bytes),
		cmocka_unit_test(test_read_file_appends),
		cmocka_unit_test(test_read_file_without_end_stops_at_max),
		cmocka_unit_test(test_read_file_errors_name_the_path),
		cmocka_unit_test(test_read_fd_takes_a_pipe_to_its_end),
		cmocka_unit_test(test_read_file_waits_for_a_fifo),
		cmocka_unit_test(test_read_file_does_not_wait_for_a_lease),
		cmocka_unit_test(test_put_and_peek_one_value),
		cmocka_unit_test(test_a_command_ends_with_what_its_output_came_to),
		cmocka_unit_test(test_no_descriptor_is_left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
