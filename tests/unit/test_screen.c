/*
 * test_screen - what a person sees of a task: on a terminal, in files, and when the text is
 * hostile.
 */
#include "emulator.h"

#include <sys/mman.h>

#include "agent/show/screen.h"
#include "base/io.h"
#include "events.h"

static struct err e;
static struct emulator t;
static struct event_sink *sink;
static int files[2]; /* stdout, stderr */

static void begin_terminal(struct screen_options options)
{
	setenv("TERM", "xterm-256color", 1);
	unsetenv("NO_COLOR");
	unsetenv("KITTY_WINDOW_ID");
	emulator_open(&t, 24, 60);
	options.out = t.slave;
	options.progress = t.slave;
	options.output_name = "./output";
	sink = screen_new(&options);
}

static void end_terminal(void)
{
	screen_free(sink);
	emulator_read(&t);
	emulator_close(&t);
}

static void begin_files(struct screen_options options)
{
	for (int i = 0; i < 2; i++) {
		files[i] = memfd_create("screen", MFD_CLOEXEC);
		assert_true(files[i] >= 0);
	}
	options.out = files[0];
	options.progress = files[1];
	options.output_fd = -1;
	sink = screen_new(&options);
}

static void ends_with_files(const char *out, const char *progress)
{
	screen_free(sink);
	for (int i = 0; i < 2; i++) {
		auto_buf struct buf text = {0};

		lseek(files[i], 0, SEEK_SET);
		accepts(io_read_fd(files[i], "screen", 1 << 20, &text, &e), "screen");
		assert_string_equal(buf_string(&text), i ? progress : out);
		close(files[i]);
	}
}

static void sees(const char *wanted)
{
	assert_string_equal(emulator_text(&t), wanted);
}

static void send_pieces(const char *text, size_t step)
{
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at += step) {
		send_piece(sink, CHAT_CONTENT, text + at, length - at < step ? length - at : step);
		if (step > 100)
			emulator_read(&t);
	}
}

static void send_ran(const char *out)
{
	struct execution x = {.verdict = CODE_OK, .duration_us = 120000};

	buf_text(&x.output[0], out);
	send_executed(sink, &x);
	buf_fini(&x.output[0]);
}

static const char code_reply[] = "Let me see.\n```python\nprint(6 * 7)\n```\n";

/* Two rounds, from the first request to the result. */
static void whole_task(void)
{
	struct chat_message m = {.role = CHAT_USER, .content = (char *)(uintptr_t) "6 * 7?"};
	struct task_result r = {.outcome = OUTCOME_ANSWERED,
				.answer = "It is 42.",
				.iterations = 2,
				.reply_tokens = 30,
				.model_us = 1500000,
				.sandbox_us = 120000,
				.total_us = 1700000};

	send_text(sink, EVENT_TASK, "6 * 7?");
	send_request(sink, &m, 1);
	send_piece(sink, CHAT_THINKING, "Hm.", 3);
	send_pieces(code_reply, 5);
	send_reply(sink, code_reply, "Hm.");
	send_execute(sink, "print(6 * 7)\n", "multiply");
	send_ran("42\n");
	send_request(sink, &m, 1);
	send_pieces("<FINAL_ANSWER>It is 42.</FINAL_ANSWER>", 7);
	send_reply(sink, "<FINAL_ANSWER>It is 42.</FINAL_ANSWER>", NULL);
	send_text(sink, EVENT_ANSWER, "It is 42.");
	send_result(sink, &r);
}

static void test_a_task_on_a_terminal(void **state)
{
	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	whole_task();
	sees("Hm.\n"
	     "Let me see.\n"
	     "```python\n"
	     "print(6 * 7)\n"
	     "```\n"
	     "> run: multiply\n"
	     "| 42\n"
	     "ran, 0.12 s\n"
	     "It is 42.\n"
	     "2 iterations, 1.7 s (model 1.5 s, sandbox 0.12 s), 30 tokens");
	assert_non_null(memmem(t.bytes.data, t.bytes.length, "\033[36mprint\033[0m", 14));
	assert_non_null(memmem(t.bytes.data, t.bytes.length, "\033[2mHm.\033[0m", 11));
	assert_false(t.styled);
	end_terminal();
}

static void send_result_that_waited(uint64_t start_us, uint64_t person_us)
{
	struct task_result r = {.outcome = OUTCOME_ANSWERED,
				.iterations = 1,
				.start_us = start_us,
				.person_us = person_us};

	send_result(sink, &r);
}

/* A start and an approval are parts of the whole time. */
static void test_what_was_waited_for_is_named(void **state)
{
	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_result_that_waited(99999, 99999);
	send_result_that_waited(400000, 17700000);
	send_result_that_waited(12000000, 0);
	sees("1 iteration, 0.0 s (model 0.0 s, sandbox 0.00 s)\n"
	     "1 iteration, 0.0 s (model 0.0 s, start 0.4 s, sandbox 0.00 s\n"
	     ", you 17.7 s)\n"
	     "1 iteration, 0.0 s (model 0.0 s, start 12.0 s, sandbox 0.00\n"
	     "s); \"glovebox warm start\" spares the start");
	end_terminal();
}

static void test_code_of_two_blocks_is_shown_once(void **state)
{
	static const char blocks[] = "```python\na = 1\n```\n```py3\nb = 2\n```\n";

	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_pieces(blocks, 7);
	send_reply(sink, blocks, NULL);
	send_execute(sink, "a = 1\n# %% next block\nb = 2\n", NULL);
	send_ran("");
	sees("```python\na = 1\n```\n```py3\nb = 2\n```\n> run\nran, 0.12 s");
	end_terminal();
}

static void test_a_task_in_files(void **state)
{
	(void)state;
	setenv("TERM", "xterm-256color", 1);
	begin_files((struct screen_options){0});
	whole_task();
	ends_with_files("It is 42.\n",
			"Hm.\n"
			"Let me see.\n"
			"```python\n"
			"print(6 * 7)\n"
			"```\n"
			"> run: multiply\n"
			"| 42\n"
			"ran, 0.12 s\n"
			"2 iterations, 1.7 s (model 1.5 s, sandbox 0.12 s), 30 tokens\n");
}

static void test_status_while_something_is_going_on(void **state)
{
	struct chat_message m = {.role = CHAT_USER, .content = (char *)(uintptr_t) "x"};

	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_request(sink, &m, 1);
	sees("[1/6] waiting for qwen  0 s");
	send_piece(sink, CHAT_CONTENT, "", 0);
	sees("[1/6] waiting for qwen  0 s");
	send_piece(sink, CHAT_CONTENT, "Hel lo", 6);
	assert_non_null(strstr(emulator_text(&t), "Hel\n[1/6] writing  "));
	send_reply(sink, "Hel lo", NULL);
	sees("Hel lo");
	send_execute(sink, "1", "a\nb");
	sees("Hel lo\n> run: a\\nb\n1\n[1/6] preparing the sandbox  0 s");
	send_text(sink, EVENT_BEGIN, "");
	sees("Hel lo\n> run: a\\nb\n1\n[1/6] running  0 s");
	send_ran("");
	sees("Hel lo\n> run: a\\nb\n1\nran, 0.12 s");
	send_request(sink, &m, 1);
	end_terminal();
}

static void send_output(int stream, const char *text)
{
	struct event event = event_of(EVENT_OUTPUT, text);

	event.stream = stream;
	sink->take(sink, &event);
}

static void test_output_is_shown_as_it_comes_and_once(void **state)
{
	struct execution x = {.verdict = CODE_OK, .duration_us = 120000};

	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_execute(sink, "1", NULL);
	send_text(sink, EVENT_BEGIN, "");
	send_output(0, "one\ntw");
	sees("> run\n1\n| one\n[1/6] running  0 s");
	send_output(1, "oh\n");
	send_output(0, "o\nthree");
	sees("> run\n1\n| one\n| oh\n| two\n[1/6] running  0 s");
	buf_text(&x.output[0], "one\ntwo\nthree");
	buf_text(&x.output[1], "oh\n");
	send_executed(sink, &x);
	sees("> run\n1\n| one\n| oh\n| two\n| three\nran, 0.12 s");
	buf_fini(&x.output[0]);
	buf_fini(&x.output[1]);
	end_terminal();
}

static void test_code_of_a_call_is_shown(void **state)
{
	(void)state;
	begin_files((struct screen_options){0});
	send_reply(sink, "", NULL);
	send_execute(sink, "a = 1\nprint(a)", NULL);
	send_ran("1");
	ends_with_files("", "> run\na = 1\nprint(a)\n| 1\nran, 0.12 s\n");
}

static void test_a_reply_without_stream_is_shown_whole(void **state)
{
	(void)state;
	begin_files((struct screen_options){0});
	send_reply(sink, "text\n```py\nx\n```", "thought");
	send_execute(sink, "x", NULL);
	ends_with_files("", "thought\ntext\n```py\nx\n```\n> run\n");
}

static void test_an_answer_that_was_not_seen_is_written(void **state)
{
	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_pieces("Some text with 42 in it", 100);
	send_reply(sink, "Some text with 42 in it", NULL);
	send_text(sink, EVENT_ANSWER, "42");
	sees("Some text with 42 in it\n42");
	send_text(sink, EVENT_ANSWER, "Some text  with 42 in it\n");
	sees("Some text with 42 in it\n42");
	end_terminal();
}

static const char code_answer[] =
	"Done. <FINAL_ANSWER>Use this:\n```python\nx = 1\n```\nThat is all.</FINAL_ANSWER>";
static const char code_text[] = "Use this:\n```python\nx = 1\n```\nThat is all.";

static void test_an_answer_with_code_is_not_repeated(void **state)
{
	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_pieces(code_answer, 5);
	send_reply(sink, code_answer, NULL);
	send_text(sink, EVENT_ANSWER, code_text);
	sees("Done.\nUse this:\n```python\nx = 1\n```\nThat is all.");
	end_terminal();
}

static void test_an_answer_to_a_file_is_not_in_progress(void **state)
{
	static const char plain[] = "There is no network.\n";
	struct chat_message m = {.role = CHAT_USER, .content = (char *)(uintptr_t) "x"};

	(void)state;
	begin_files((struct screen_options){0});
	send_pieces(code_answer, 5);
	send_reply(sink, code_answer, NULL);
	send_text(sink, EVENT_ANSWER, code_text);
	send_request(sink, &m, 1);
	send_pieces(plain, 3);
	send_reply(sink, plain, NULL);
	send_text(sink, EVENT_NOTICE, "qwen runs on the CPU alone");
	send_text(sink, EVENT_ANSWER, plain);
	ends_with_files(
		"Use this:\n```python\nx = 1\n```\nThat is all.\n"
		"There is no network.\n",
		"Done. \nglovebox: qwen runs on the CPU alone\n");
}

/* Words behind the answer are no part of it; code there is shown if it runs. */
static void test_words_behind_an_answer_are_not_shown(void **state)
{
	static const char reply[] =
		"Done.\n<FINAL_ANSWER>It is 42.</FINAL_ANSWER>\nLet me know!\n```python\nx\n```\n";
	struct chat_message m = {.role = CHAT_USER, .content = (char *)(uintptr_t) "x"};

	(void)state;
	for (size_t step = 7; step < 200; step += 100) {
		begin_terminal((struct screen_options){.output_fd = -1});
		send_pieces(reply, step);
		send_reply(sink, reply, NULL);
		send_text(sink, EVENT_ANSWER, "It is 42.");
		sees("Done.\nIt is 42.");
		send_request(sink, &m, 1);
		send_pieces(reply, step);
		send_reply(sink, reply, NULL);
		send_execute(sink, "x", NULL);
		sees("Done.\nIt is 42.\nDone.\nIt is 42.\n\nLet me know!\n```python\nx\n```\n> "
		     "run\n"
		     "[1/6] preparing the sandbox  0 s");
		end_terminal();
	}
	begin_files((struct screen_options){0});
	send_reply(sink, reply, NULL);
	send_text(sink, EVENT_ANSWER, "It is 42.");
	send_request(sink, &m, 1);
	send_reply(sink, "It is 43.</FINAL_ANSWER> Bye!", NULL);
	send_text(sink, EVENT_ANSWER, "It is 43.");
	ends_with_files("It is 42.\nIt is 43.\n", "Done.\n");
	begin_terminal((struct screen_options){.output_fd = -1});
	send_pieces("It is 43.</FINAL_ANSWER> Bye!", 3);
	send_reply(sink, "It is 43.</FINAL_ANSWER> Bye!", NULL);
	send_text(sink, EVENT_ANSWER, "It is 43.");
	sees("It is 43.");
	end_terminal();
}

static void test_an_answer_that_quotes_the_tags_is_whole(void **state)
{
	static const char reply[] = "I use <FINAL_ANSWER>the answer</FINAL_ANSWER> at the end.";

	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1});
	send_reply(sink, reply, NULL);
	send_text(sink, EVENT_ANSWER, "I use the answer at the end.");
	sees("I use\nthe answer\n at the end.");
	end_terminal();
}

static const char hostile[] =
	"\033[2J\033]0;x\a\033[31m \xc2\x9b"
	"5n\b\r\xff \xe2\x80\xae.";
#define HARMLESS "\\x1b[2J\\x1b]0;x\\x07\\x1b[31m \\x9b5n\\x08\\r\\xff \\u202e."

/* The emulator ends the test at any escape sequence that is not ours. */
static void send_hostile(void)
{
	char *text = (char *)(uintptr_t)hostile;
	struct execution_file file = {text, 1};
	struct execution x = {.verdict = CODE_ERROR,
			      .value = text,
			      .traceback = text,
			      .files = &file,
			      .file_count = 1};
	struct chat_call call = {text, text, text};
	struct chat_message m = {.role = CHAT_ASSISTANT,
				 .content = text,
				 .thinking = text,
				 .calls = &call,
				 .call_count = 1};
	struct chat_request request = {.model = text, .messages = &m, .message_count = 1};
	struct task_result r = {.outcome = OUTCOME_MODEL, .error = hostile};
	struct event event = event_of(EVENT_REQUEST, NULL);

	event.request = &request;
	sink->take(sink, &event);
	send_piece(sink, CHAT_THINKING, hostile, strlen(hostile));
	send_pieces("```python\n", 100);
	send_pieces(hostile, 1);
	send_pieces("\n```\n", 1);
	send_pieces("```\033[1m\n```\n", 1);
	send_pieces("<think>", 1);
	send_pieces(hostile, 1);
	send_pieces("</think><FINAL_ANSWER>", 1);
	send_pieces(hostile, 1);
	send_reply(sink, hostile, hostile);
	send_execute(sink, hostile, hostile);
	buf_text(&x.output[0], hostile);
	buf_text(&x.output[1], hostile);
	send_executed(sink, &x);
	send_text(sink, EVENT_FEEDBACK, hostile);
	send_text(sink, EVENT_NOTICE, hostile);
	send_text(sink, EVENT_ANSWER, hostile);
	send_result(sink, &r);
	buf_fini(&x.output[0]);
	buf_fini(&x.output[1]);
}

static void test_no_control_sequence_comes_through(void **state)
{
	(void)state;
	begin_terminal((struct screen_options){.output_fd = -1, .verbose = true});
	emulator_resize(&t, 150, 200);
	send_hostile();
	emulator_read(&t);
	end_terminal();
}

static void test_no_control_character_comes_into_files(void **state)
{
	(void)state;
	begin_files((struct screen_options){.verbose = true});
	send_hostile();
	screen_free(sink);
	for (int i = 0; i < 2; i++) {
		auto_buf struct buf text = {0};

		lseek(files[i], 0, SEEK_SET);
		accepts(io_read_fd(files[i], "screen", 1 << 20, &text, &e), "screen");
		assert_non_null(strstr(buf_string(&text), HARMLESS));
		for (size_t k = 0; k < text.length; k++)
			assert_true(text.data[k] == '\n' ||
				    (text.data[k] >= 0x20 && text.data[k] < 0x7f));
		close(files[i]);
	}
}

static void test_raw_lets_everything_through(void **state)
{
	auto_buf struct buf wanted = {0};

	(void)state;
	buf_printf(&wanted, "%s\n", hostile);
	begin_files((struct screen_options){.raw = true});
	send_text(sink, EVENT_ANSWER, hostile);
	ends_with_files(wanted.data, "");
}

static void test_output_cannot_look_like_ours(void **state)
{
	(void)state;
	begin_files((struct screen_options){0});
	send_ran("a\r\n\nglovebox: answered\n> run: rm\nend");
	ends_with_files("", "| a\n| \n| glovebox: answered\n| > run: rm\n| end\nran, 0.12 s\n");
}

static void send_many_lines(void)
{
	struct execution x = {
		.verdict = CODE_OK, .truncated = {true, false}
        };

	for (int i = 0; i < 1000; i++)
		buf_printf(&x.output[0], "line %d\n", i);
	for (int i = 0; i < 5000; i++)
		buf_text(&x.output[1], "\xe2\x82\xac");
	send_executed(sink, &x);
	buf_fini(&x.output[0]);
	buf_fini(&x.output[1]);
}

static void progress_has(const char *wanted, size_t most)
{
	auto_buf struct buf text = {0};

	lseek(files[1], 0, SEEK_SET);
	accepts(io_read_fd(files[1], "screen", 1 << 20, &text, &e), "screen");
	if (!strstr(buf_string(&text), wanted))
		fail_msg("no \"%s\" in %s", wanted, buf_string(&text));
	assert_true(text.length <= most);
}

static void test_long_output_is_shortened(void **state)
{
	(void)state;
	begin_files((struct screen_options){0});
	send_many_lines();
	progress_has("| line 29\n| ... 955 lines more ...\n| line 985\n", 4000);
	progress_has("| line 999\n| ... cut by the sandbox's limit\n| \xe2\x82\xac", 4000);
	progress_has("\xe2\x82\xac ... 13002 bytes more\n", 4000);
	screen_free(sink);
	begin_files((struct screen_options){.verbose = true});
	send_many_lines();
	progress_has("| line 500\n", 1 << 20);
	progress_has("\xe2\x82\xac\nran", 1 << 20);
	screen_free(sink);
}

static void test_every_verdict_and_outcome_has_words(void **state)
{
	static const char *const verdicts[] = {
		[CODE_OK] = "ran, ",
		[CODE_ERROR] = "failed, ",
		[CODE_EXIT] = "exit status 3, ",
		[CODE_TIMEOUT] = "stopped: more than 1.5 s, ",
		[CODE_MEMORY] = "stopped: more than 512m of memory, ",
		[CODE_CRASHED] = "the interpreter crashed (exit status 3), ",
		[CODE_CANCELLED] = "stopped by you, ",
	};
	static const char *const outcomes[] = {
		[OUTCOME_ANSWERED] = "1 iteration, ",
		[OUTCOME_CAP] = "glovebox: no answer after 1 iterations (--iterations)\n",
		[OUTCOME_DEADLINE] = "glovebox: no answer in time (--deadline)\n",
		[OUTCOME_MODEL] = "glovebox: why\n",
		[OUTCOME_SANDBOX] = "glovebox: sandbox: why\n",
		[OUTCOME_CANCELLED] = "glovebox: stopped\n",
	};

	(void)state;
	begin_files((struct screen_options){0});
	for (size_t i = 0; i < COUNT(verdicts); i++) {
		struct execution x = {.verdict = (enum code_verdict)i,
				      .exit_code = 3,
				      .limit_ms = 1500,
				      .limit_bytes = 512u << 20,
				      .state_lost = true};

		send_executed(sink, &x);
		progress_has(verdicts[i], 4000);
	}
	progress_has("variables are lost\n", 4000);
	for (size_t i = 0; i < COUNT(outcomes); i++) {
		struct task_result r = {
			.outcome = (enum outcome)i, .iterations = 1, .error = "why"};

		send_result(sink, &r);
		progress_has(outcomes[i], 4000);
	}
	screen_free(sink);
}

static void test_conversation_is_shown_when_verbose(void **state)
{
	struct chat_call call = {NULL, (char *)(uintptr_t) "execute_python",
				 (char *)(uintptr_t) "{\"code\":\"1\"}"};
	struct chat_message m[] = {
		{.role = CHAT_SYSTEM,    .content = (char *)(uintptr_t) "rules\nmore"},
		{.role = CHAT_ASSISTANT,
		 .content = (char *)(uintptr_t) "",
		 .calls = &call,
		 .call_count = 1},
		{.role = CHAT_TOOL,        .content = (char *)(uintptr_t) "done"                                                   },
	};

	(void)state;
	begin_files((struct screen_options){.verbose = true});
	send_request(sink, m, 3);
	ends_with_files("",
			"[system]\n| rules\n| more\n[assistant]\n"
			"| execute_python {\"code\":\"1\"}\n[tool]\n| done\n");
}

static void test_images_are_shown_or_named(void **state)
{
	static const unsigned char png[] = {
		0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0,   0,   0,   13, 'I', 'H', 'D',
		'R',  0,   0,   0,   1,    0,    0,    0,    1,   8,   0,   0,  0,   0,   0,
		0,    0,   0,   0,   0,    0,    0,    'I',  'E', 'N', 'D', 0,  0,   0,   0,
	};
	char name[] = "a.PNG";
	struct execution_file file = {name, 45};
	struct execution x = {.verdict = CODE_OK, .files = &file, .file_count = 1};
	int dir = unit_enter();

	(void)state;
	unit_write(dir, "a.PNG", png, sizeof(png));
	for (int images = 0; images < 2; images++) {
		char bytes[4096];
		ssize_t n;

		begin_terminal((struct screen_options){.output_fd = dir, .images = false});
		screen_free(sink);
		setenv("KITTY_WINDOW_ID", "1", 1);
		sink = screen_new(&(struct screen_options){.out = t.slave,
							   .progress = t.slave,
							   .images = images,
							   .output_fd = dir,
							   .output_name = "./output"});
		send_executed(sink, &x);
		n = read(t.master, bytes, sizeof(bytes)); /* the emulator knows no images */
		assert_true(n > 0);
		assert_non_null(memmem(bytes, (size_t)n, "./output/a.PNG", 14));
		assert_int_equal(memmem(bytes, (size_t)n, "\033_Ga=T", 6) != NULL, images);
		end_terminal();
	}
	unsetenv("KITTY_WINDOW_ID");
	unit_leave(dir);
}

/* However every reply is cut, the same is seen in the end. */
static void test_pieces_may_be_cut_anywhere(void **state)
{
	static const char *const replies[] = {
		"Gr\xc3\xbc\xc3\x9f"
		"e\n```python\nx = '\xe2\x82\xac'\n```\nend",
		"<think>a\xf0\x9f\x98\x80</think>b",
		"a\r\nb\r\n```\r\ncode\r\n```\r\n",
	};
	static const char *const seen[] = {
		"Gr\xc3\xbc\xc3\x9f"
		"e\n```python\nx = '\xe2\x82\xac'\n```\nend\n",
		"a\xf0\x9f\x98\x80\nb\n",
		"a\nb\n```\ncode\n```\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(replies); i++) {
		for (size_t step = 1; step < 12; step++) {
			begin_files((struct screen_options){0});
			send_pieces(replies[i], step);
			send_reply(sink, replies[i], NULL);
			ends_with_files("", seen[i]);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_task_on_a_terminal),
		cmocka_unit_test(test_what_was_waited_for_is_named),
		cmocka_unit_test(test_code_of_two_blocks_is_shown_once),
		cmocka_unit_test(test_a_task_in_files),
		cmocka_unit_test(test_status_while_something_is_going_on),
		cmocka_unit_test(test_output_is_shown_as_it_comes_and_once),
		cmocka_unit_test(test_code_of_a_call_is_shown),
		cmocka_unit_test(test_a_reply_without_stream_is_shown_whole),
		cmocka_unit_test(test_an_answer_that_was_not_seen_is_written),
		cmocka_unit_test(test_an_answer_with_code_is_not_repeated),
		cmocka_unit_test(test_an_answer_to_a_file_is_not_in_progress),
		cmocka_unit_test(test_words_behind_an_answer_are_not_shown),
		cmocka_unit_test(test_an_answer_that_quotes_the_tags_is_whole),
		cmocka_unit_test(test_no_control_sequence_comes_through),
		cmocka_unit_test(test_no_control_character_comes_into_files),
		cmocka_unit_test(test_raw_lets_everything_through),
		cmocka_unit_test(test_output_cannot_look_like_ours),
		cmocka_unit_test(test_long_output_is_shortened),
		cmocka_unit_test(test_every_verdict_and_outcome_has_words),
		cmocka_unit_test(test_conversation_is_shown_when_verbose),
		cmocka_unit_test(test_images_are_shown_or_named),
		cmocka_unit_test(test_pieces_may_be_cut_anywhere),
	};

	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
