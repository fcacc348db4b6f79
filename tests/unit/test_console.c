/*
 * test_console - the status line stays below the text and disappears when it should; where there is
 * no terminal, the text is plain.
 */
#include "emulator.h"

#include <errno.h>
#include <sys/mman.h>

#include "agent/show/console.h"

static struct emulator t;
static struct console c;

static void begin(unsigned rows, unsigned columns)
{
	setenv("TERM", "xterm-256color", 1);
	unsetenv("NO_COLOR");
	emulator_open(&t, rows, columns);
	console_open(&c, t.slave);
}

static void end(void)
{
	console_close(&c);
	emulator_read(&t);
	emulator_close(&t);
}

static void sees(const char *wanted)
{
	assert_string_equal(emulator_text(&t), wanted);
}

static void add(const char *text)
{
	console_text(&c, STYLE_PLAIN, text);
	console_flush(&c);
}

static void test_status_is_below_the_text_and_goes(void **state)
{
	(void)state;
	begin(24, 40);
	add("Hello");
	console_status(&c, "waiting");
	console_flush(&c);
	sees("Hello\nwaiting");
	add(", you.");
	sees("Hello, you.\nwaiting");
	console_status(&c, "still waiting");
	console_flush(&c);
	sees("Hello, you.\nstill waiting");
	add("\nnext\n");
	sees("Hello, you.\nnext\nstill waiting");
	console_status(&c, NULL);
	console_flush(&c);
	sees("Hello, you.\nnext");
	end();
}

static void test_status_at_the_bottom_scrolls_once(void **state)
{
	(void)state;
	begin(3, 20);
	add("1\n2\n3\n4\n5");
	console_status(&c, "status");
	for (int i = 0; i < 5; i++) {
		add(".");
		sees(i == 0   ? "1\n2\n3\n4\n5.\nstatus"
		     : i == 1 ? "1\n2\n3\n4\n5..\nstatus"
		     : i == 2 ? "1\n2\n3\n4\n5...\nstatus"
		     : i == 3 ? "1\n2\n3\n4\n5....\nstatus"
			      : "1\n2\n3\n4\n5.....\nstatus");
	}
	add("\n6\n");
	sees("1\n2\n3\n4\n5.....\n6\nstatus");
	end();
}

/* Write each character alone, followed by a status, in windows of every small size. */
static void test_no_text_is_lost_in_any_window(void **state)
{
	static const char text[] =
		"The quick brown fox\njumps over\n\n\nthe lazy dog, "
		"twice and a third time.";

	(void)state;
	for (unsigned rows = 2; rows < 6; rows++) {
		for (unsigned columns = 2; columns < 30; columns++) {
			auto_buf struct buf wanted = {0};
			unsigned column = 0;

			begin(rows, columns);
			for (size_t i = 0; i < sizeof(text) - 1; i++) {
				char status[20];

				snprintf(status, sizeof(status), "S %zu of many", i);
				console_status(&c, status);
				console_add(&c, STYLE_DIM, text + i, 1);
				console_flush(&c);
				emulator_read(&t);
				if (text[i] != '\n' && column++ == columns) {
					buf_text(&wanted, "\n");
					column = 1;
				}
				if (text[i] == '\n')
					column = 0;
				/* A blank at the end of a row is invisible. */
				if (text[i] != ' ' || (column < columns && text[i + 1]))
					buf_add(&wanted, text + i, 1);
			}
			console_status(&c, NULL);
			console_flush(&c);
			sees(buf_string(&wanted));
			assert_false(t.styled);
			end();
		}
	}
}

static void test_status_is_cut_to_the_width(void **state)
{
	(void)state;
	begin(5, 10);
	console_status(&c, "a very long status line");
	console_flush(&c);
	sees("a very lo");
	emulator_resize(&t, 5, 6);
	console_status(&c, "another long one");
	console_flush(&c);
	sees("anoth");
	console_close(&c);
	sees("");
	emulator_close(&t);
}

static void test_no_colours_when_asked(void **state)
{
	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	emulator_open(&t, 5, 40);
	console_open(&c, t.slave);
	console_text(&c, STYLE_ERROR, "red\n");
	console_status(&c, "status");
	console_flush(&c);
	sees("red\nstatus");
	assert_null(memmem(t.bytes.data, t.bytes.length, "m", 1));
	unsetenv("NO_COLOR");
	end();
}

static void test_dumb_terminals_get_text_alone(void **state)
{
	static const char *const names[] = {"dumb", ""};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		setenv("TERM", names[i], 1);
		emulator_open(&t, 5, 40);
		console_open(&c, t.slave);
		console_text(&c, STYLE_ERROR, "red");
		console_status(&c, "status");
		console_flush(&c);
		sees("red");
		assert_null(memchr(t.bytes.data, '\033', t.bytes.length));
		end();
	}
}

static void test_files_get_text_alone(void **state)
{
	int fd = memfd_create("out", MFD_CLOEXEC);
	char text[100] = {0};

	(void)state;
	setenv("TERM", "xterm", 1);
	console_open(&c, fd);
	console_status(&c, "status");
	console_text(&c, STYLE_HEAD, "head");
	console_fresh_line(&c);
	console_fresh_line(&c);
	console_printf(&c, STYLE_BOLD, "%d", 42);
	console_close(&c);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, "head\n42\n");
	close(fd);
}

static void test_failed_writes_end_it(void **state)
{
	(void)state;
	console_open(&c, -1);
	console_text(&c, STYLE_PLAIN, "x");
	console_flush(&c);
	assert_int_equal(c.error, EBADF);
	for (int i = 0; i < 100000; i++)
		console_text(&c, STYLE_PLAIN, "more and more and more");
	assert_true(c.pending.length < 100);
	console_close(&c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_is_below_the_text_and_goes),
		cmocka_unit_test(test_status_at_the_bottom_scrolls_once),
		cmocka_unit_test(test_no_text_is_lost_in_any_window),
		cmocka_unit_test(test_status_is_cut_to_the_width),
		cmocka_unit_test(test_no_colours_when_asked),
		cmocka_unit_test(test_dumb_terminals_get_text_alone),
		cmocka_unit_test(test_files_get_text_alone),
		cmocka_unit_test(test_failed_writes_end_it),
	};

	return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
