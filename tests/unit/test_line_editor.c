/*
 * test_line_editor - lines typed at a pty, lines from a pipe, and the history file.
 *
 * The editor reads the process's own stdin: each case runs in a child.
 */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>

#include "base/buf.h"
#include "prompt/line_editor.h"

static struct err e;

struct child {
	pid_t pid;
	int type;   /* into its stdin */
	int result; /* what it read, one result per line: "T:text", "I" (interrupted), "E" (end) */
};

/* The child reads lines until the end and reports each. */
static void read_all(const char *history, int out)
{
	struct line_editor *l;
	sigset_t signals;
	char *text;
	enum line got;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	l = line_editor_open(history, signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC), &e);
	if (!l)
		_exit(2);
	while ((got = line_editor_read(l, "ask> ", &text)) != LINE_END) {
		dprintf(out,
			got == LINE_TEXT      ? "T:%s;"
			: got == LINE_CLEARED ? "C;"
					      : "I;",
			got == LINE_TEXT ? text : "");
		if (got == LINE_TEXT)
			free(text);
	}
	line_editor_close(l);
	dprintf(out, "E;");
	_exit(0);
}

static struct child start(bool terminal, const char *history)
{
	struct child c;
	int in[2];
	int result[2];
	const char *name;

	assert_int_equal(pipe2(result, O_CLOEXEC), 0);
	if (terminal) {
		in[1] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		assert_true(in[1] >= 0);
		assert_int_equal(grantpt(in[1]), 0);
		assert_int_equal(unlockpt(in[1]), 0);
		name = ptsname(in[1]);
	} else {
		assert_int_equal(pipe2(in, O_CLOEXEC), 0);
		name = "/dev/null";
	}
	c.pid = fork();
	assert_true(c.pid >= 0);
	if (!c.pid) {
		alarm(30); /* it ends in any case */
		setsid();
		close(in[1]); /* otherwise its input would never end */
		if (terminal)
			in[0] = open(name, O_RDWR); /* it becomes the controlling terminal */
		dup2(in[0], STDIN_FILENO);
		dup2(terminal ? in[0] : open(name, O_WRONLY), STDERR_FILENO);
		setenv("TERM", "xterm", 1);
		setenv("HOME", "/nonexistent", 1);
		setenv("LC_ALL", "C", 1);
		read_all(history, result[1]);
	}
	close(result[1]);
	if (!terminal)
		close(in[0]);
	c.type = in[1];
	c.result = result[0];
	return c;
}

/* Wait for its prompt, so that nothing is typed before it listens. */
static void wait_for(struct child *c, const char *wanted)
{
	auto_buf struct buf seen = {0};

	while (!seen.length || !memmem(seen.data, seen.length, wanted, strlen(wanted))) {
		struct pollfd ready = {.fd = c->type, .events = POLLIN};
		char bytes[512];
		ssize_t n;

		if (poll(&ready, 1, 20000) != 1)
			fail_msg("no \"%s\" in \"%s\"", wanted, buf_string(&seen));
		n = read(c->type, bytes, sizeof(bytes));
		assert_true(n > 0);
		buf_add(&seen, bytes, (size_t)n);
	}
}

/* Wait for the prompt: only after it is the terminal in the editor's mode. */
static void wait_for_prompt(struct child *c, const char *prompt)
{
	struct termios mode;

	wait_for(c, prompt);
	for (;;) {
		assert_int_equal(tcgetattr(c->type, &mode), 0);
		if (!(mode.c_lflag & ICANON))
			return;
		usleep(1000);
	}
}

static void type(struct child *c, const char *text)
{
	assert_int_equal(write(c->type, text, strlen(text)), strlen(text));
}

static void gave(struct child *c, const char *wanted)
{
	auto_buf struct buf got = {0};
	char bytes[512];
	ssize_t n;
	int status;

	while ((n = read(c->result, bytes, sizeof(bytes))) > 0)
		buf_add(&got, bytes, (size_t)n);
	close(c->result);
	close(c->type);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_string_equal(buf_string(&got), wanted);
	assert_int_equal(status, 0);
}

static void test_lines_are_typed_and_edited(void **state)
{
	struct child c = start(true, NULL);

	(void)state;
	wait_for_prompt(&c, "ask> ");
	type(&c, "helo\033[Dl\r");
	wait_for_prompt(&c, "ask> ");
	type(&c,
	     "gr\xc3\xbc\xc3\x9f\x7f"
	     "n\r");
	wait_for_prompt(&c, "ask> ");
	type(&c, "\033[A\033[A\r"); /* two lines back */
	wait_for_prompt(&c, "ask> ");
	type(&c, "\004");
	gave(&c, "T:hello;T:gr\xc3\xbcn;T:hello;E;");
}

static void test_a_backslash_goes_on(void **state)
{
	struct child c = start(true, NULL);

	(void)state;
	wait_for_prompt(&c, "ask> ");
	type(&c, "one\\\r");
	wait_for_prompt(&c, "... ");
	type(&c, "two\r");
	wait_for_prompt(&c, "ask> ");
	type(&c, "\004");
	gave(&c, "T:one\ntwo;E;");
}

static void test_control_c_forgets_the_line(void **state)
{
	struct child c = start(true, NULL);

	(void)state;
	wait_for_prompt(&c, "ask> ");
	type(&c, "never mind");
	wait_for(&c, "never mind");
	type(&c, "\003");
	wait_for_prompt(&c, "ask> ");
	type(&c, "\003");
	wait_for_prompt(&c, "ask> ");
	type(&c, "next\r");
	wait_for_prompt(&c, "ask> ");
	type(&c, "\004");
	gave(&c, "C;I;T:next;E;");
}

static void test_a_paste_is_one_text(void **state)
{
	struct child c = start(true, NULL);

	(void)state;
	wait_for_prompt(&c, "ask> ");
	type(&c, "see: \033[200~one\r\ttwo\rgr\xc3\xbc\xc3\x9f\033[2J\001\r\033[201~!\r");
	wait_for_prompt(&c, "ask> ");
	type(&c, "next\r");
	wait_for_prompt(&c, "ask> ");
	type(&c, "\004");
	gave(&c, "T:see: one\n\ttwo\ngr\xc3\xbc\xc3\x9f[2J!;T:next;E;");
}

static void test_a_change_of_the_window_is_harmless(void **state)
{
	struct child c = start(true, NULL);
	struct winsize size = {.ws_row = 10, .ws_col = 30};

	(void)state;
	wait_for_prompt(&c, "ask> ");
	type(&c, "wi");
	wait_for(&c, "wi");
	assert_int_equal(ioctl(c.type, TIOCSWINSZ, &size), 0);
	type(&c, "de\r");
	wait_for_prompt(&c, "ask> ");
	type(&c, "\004");
	gave(&c, "T:wide;E;");
}

static void test_history_is_kept(void **state)
{
	int dir = unit_enter();
	char path[300];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/history", unit_directory);
	for (int i = 0; i < 2; i++) {
		struct child c = start(true, path);

		wait_for_prompt(&c, "ask> ");
		type(&c, i ? "\033[A\r" : "remember me\r");
		wait_for_prompt(&c, "ask> ");
		type(&c, "\004");
		gave(&c, "T:remember me;E;");
	}
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	unit_leave(dir);
}

static void test_history_that_is_no_file_is_left_alone(void **state)
{
	int dir = unit_enter();
	char path[300];
	struct child c;

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", unit_directory);
	assert_int_equal(mkfifo(path, 0600), 0);
	c = start(true, path);
	wait_for_prompt(&c, "ask> ");
	type(&c, "\004");
	gave(&c, "E;");
	unit_leave(dir);
}

static void test_lines_from_a_pipe(void **state)
{
	struct child c = start(false, NULL);

	(void)state;
	type(&c, "one\ntwo\r\nfour\\\nfive\n\nbad \xff\nlast");
	close(c.type);
	c.type = -1;
	gave(&c, "T:one;T:two;T:four\nfive;T:;T:bad \xef\xbf\xbd;T:last;E;");
}

static void test_nul_ends_no_text(void **state)
{
	struct child c = start(false, NULL);

	(void)state;
	assert_int_equal(write(c.type, "a\0b\n", 4), 4);
	close(c.type);
	c.type = -1;
	gave(&c,
	     "T:a\xef\xbf\xbd"
	     "b;E;");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_typed_and_edited),
		cmocka_unit_test(test_a_backslash_goes_on),
		cmocka_unit_test(test_control_c_forgets_the_line),
		cmocka_unit_test(test_a_paste_is_one_text),
		cmocka_unit_test(test_a_change_of_the_window_is_harmless),
		cmocka_unit_test(test_history_is_kept),
		cmocka_unit_test(test_history_that_is_no_file_is_left_alone),
		cmocka_unit_test(test_lines_from_a_pipe),
		cmocka_unit_test(test_nul_ends_no_text),
	};

	return cmocka_run_group_tests_name("line_editor", tests, NULL, NULL);
}
