/*
 * command - commands at the prompt of a conversation, which begin with a slash or "!".
 */
#include "agent/command.h"

#include <stdio.h>
#include <string.h>

#include "agent/conversation_file.h"
#include "agent/loop.h"
#include "agent/resume.h"
#include "agent/watcher.h"
#include "base/own.h"
#include "base/say.h"
#include "fs/changes.h"

#define FILES_LOOKED_AT 10000
#define FILES_SHOWN     200
#define LETTERS         "abcdefghijklmnopqrstuvwxyz"

struct command {
	const char *name;
	const char *argument; /* NULL: none; in brackets: optional */
	const char *help;
	enum turn (*run)(struct talk *t, const char *argument);
};

static enum turn command_new(struct talk *t, const char *argument)
{
	(void)argument;
	talk_forget(t);
	fputs("(forgotten)\n", stderr);
	return TURN_ON;
}

static enum turn command_undo(struct talk *t, const char *argument)
{
	struct err e;
	const bool force = !strcmp(argument, "force");

	if (*argument && !force) {
		fputs("glovebox: /undo, or /undo force\n", stderr);
		return TURN_ON;
	}
	if (talk_undo(t, force, &e))
		say_error(&e);
	else
		fputs("(the last task is forgotten; files in /output stay as they are)\n", stderr);
	return TURN_ON;
}

static enum turn command_model(struct talk *t, const char *argument)
{
	struct err e;

	if (*argument && talk_change_model(t, argument, &e)) {
		say_error(&e);
		return TURN_ON;
	}
	fputs("(the model is ", stderr);
	say_line(stderr, t->loop->model_name);
	fputs(")\n", stderr);
	return TURN_ON;
}

static void command_list(const char *folder, int dir_fd)
{
	struct file_marks files = {0};

	if (dir_fd >= 0)
		changes_look(dir_fd, FILES_LOOKED_AT, &files);
	if (!files.count)
		fprintf(stderr, "%s is empty\n", folder);
	for (size_t i = 0; i < files.count && i < FILES_SHOWN; i++) {
		fprintf(stderr, "%12llu  %s/", (unsigned long long)files.items[i].size_bytes,
			folder);
		say_line(stderr, files.items[i].path);
		fputc('\n', stderr);
	}
	if (files.count > FILES_SHOWN || files.truncated)
		fprintf(stderr, "%12s  and more in %s\n", "...", folder);
	changes_fini(&files);
}

static enum turn command_files(struct talk *t, const char *argument)
{
	(void)argument;
	command_list("/data", t->loop->data_fd);
	command_list("/output", t->loop->output_fd);
	return TURN_ON;
}

static enum turn command_save(struct talk *t, const char *argument)
{
	struct err e;

	if (conversation_file_save(&t->loop->conversation, t->loop->cells, t->loop->model_name,
				   argument, &e))
		say_error(&e);
	else
		fputs("(saved: what was said, not the variables)\n", stderr);
	return TURN_ON;
}

static enum turn command_load(struct talk *t, const char *argument)
{
	struct conversation loaded;
	struct cells cells;
	struct err e;

	cells_init(&cells);
	if (conversation_file_load(argument, &loaded, &cells, &e)) {
		say_error(&e);
		return TURN_ON;
	}
	fprintf(stderr,
		"(loaded: %zu messages; there are no variables, /rerun runs the code for them)\n",
		loaded.count);
	talk_replace(t, &loaded, &cells);
	return TURN_ON;
}

static enum turn command_rerun(struct talk *t, const char *argument)
{
	(void)argument;
	resume_rerun(t->loop);
	return TURN_ON;
}

static enum turn command_quit(struct talk *t, const char *argument)
{
	(void)t;
	(void)argument;
	return TURN_END;
}

static enum turn command_help(struct talk *t, const char *argument);

static const struct command commands[] = {
	{"new",   NULL,      "forget what was said, and the variables",                    command_new  },
	{"undo",  "[force]", "return to before the last task, variables included",         command_undo },
	{"model", "[NAME]",  "say which model answers, or go on with another",             command_model},
	{"files", NULL,      "list what is in /data and /output",                          command_files},
	{"save",  "FILE",    "write what was said to a file; X.ipynb: as a notebook",      command_save },
	{"load",  "FILE",    "go on with what was said there",                             command_load },
	{"rerun", NULL,      "run the code of this conversation again, for its variables",
	 command_rerun										  },
	{"help",  NULL,      "this",						       command_help },
	{"quit",  NULL,      "leave; so do Ctrl-D, and Ctrl-C twice on an empty line",     command_quit },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static enum turn command_help(struct talk *t, const char *argument)
{
	(void)t;
	(void)argument;
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(stderr, "/%-5s %-7s  %s\n", commands[i].name,
			commands[i].argument ? commands[i].argument : "", commands[i].help);
	fputs("!LINE          run a line of shell in the sandbox; the model is not told\n"
	      "A line that ends in a backslash goes on in the next one.\n",
	      stderr);
	return TURN_ON;
}

bool command_is(const char *text)
{
	size_t letters = text[0] == '/' ? strspn(text + 1, LETTERS) : 0;

	return text[0] == '!' || (letters && !text[1 + letters]) ||
	       (letters && strchr(" \t\n", text[1 + letters]));
}

static enum turn command_refuse(const char *name)
{
	fputs("glovebox: ", stderr);
	say_line(stderr, name);
	fputs(" is not a command:", stderr);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(stderr, " /%s", commands[i].name);
	fputc('\n', stderr);
	return TURN_ON;
}

static enum turn command_refuse_argument(const struct command *c)
{
	fprintf(stderr, "glovebox: /%s takes %s\n", c->name, c->argument ? c->argument : "nothing");
	return TURN_ON;
}

/* Trim blanks. Owned by the caller. */
static char *command_argument(const char *text)
{
	char *argument = own_strdup(text + strspn(text, " \t\n"));
	size_t length = strlen(argument);

	while (length && strchr(" \t\n", argument[length - 1]))
		argument[--length] = '\0';
	return argument;
}

/* Use one expression, so that the session gets no new names. The line is in hexadecimal. */
static void command_write_shell(const char *line, struct buf *out)
{
	buf_text(out,
		 "(lambda p: print('exit status', p.returncode) if p.returncode else None)("
		 "__import__('subprocess').run(['/bin/sh', '-c', bytes.fromhex('");
	for (const unsigned char *p = (const unsigned char *)line; *p; p++)
		buf_printf(out, "%02x", *p);
	buf_text(out, "')], stdin=-3))");
}

/*
 * Run one line of shell in the conversation's sandbox to its end, within --timeout; its output goes
 * to the sinks. The line is the user's; its output is hostile.
 */
static void command_run_shell(struct agent_loop *l, const char *line)
{
	const struct execution_bounds bounds = {.timeout_ms = l->options->timeout_ms,
						.deadline_us = UINT64_MAX,
						.signal_fd = l->signal_fd,
						.watcher = watcher_of(l)};
	auto_buf struct buf code = {0};
	struct execution x;
	struct err e;

	command_write_shell(line, &code);
	if (executor_run(l->executor, buf_string(&code), &bounds, &x, &e)) {
		say_error(&e);
		return;
	}
	loop_tell(l, &(struct event){.kind = EVENT_EXECUTED, .execution = &x, .text = ""});
	execution_fini(&x);
}

enum turn command_run(struct talk *t, const char *text)
{
	char word[40];
	size_t length = strcspn(text, " \t\n");
	auto_free char *argument = command_argument(text + length);

	if (text[0] == '!') {
		command_run_shell(t->loop, text + 1);
		return TURN_ON;
	}
	snprintf(word, sizeof(word), "%.*s", (int)(length < 30 ? length : 30), text);
	if (!strcmp(word, "/exit"))
		return TURN_END;
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		if (strcmp(word + 1, c->name) != 0)
			continue;
		if (*argument ? !c->argument : c->argument && c->argument[0] != '[')
			return command_refuse_argument(c);
		return c->run(t, argument);
	}
	return command_refuse(word);
}
