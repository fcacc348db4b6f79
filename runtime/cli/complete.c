/*
 * complete - `glovebox generate words ...`: print what the last word of a command line may become.
 *
 * A shell's completion runs it with the words so far (cli/generate.c). So it reports no errors, and
 * asks no process that could make it wait.
 */
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/docker_verbs.h"
#include "client/client.h"
#include "client/registry.h"
#include "flags/setting_complete.h"
#include "flags/setting_words.h"
#include "fs/names.h"
#include "image/image.h"
#include "record/record.h"
#include "root/volume.h"

static void complete_print(const char *word)
{
	say_line(stdout, word);
	putchar('\n');
}

static int complete_print_image(const struct image *image, void *context)
{
	const char *word = context;
	const char *tag = strrchr(image->reference, ':');
	struct buf name = {0};

	buf_add(&name, image->reference, (size_t)(tag - image->reference));
	complete_print(strchr(word, ':') || strcmp(tag, ":latest") != 0 ? image->reference
									: buf_string(&name));
	buf_fini(&name);
	return 0;
}

static void complete_images(const char *word)
{
	struct err ignored;

	complete_print("host");
	(void)image_list(complete_print_image, (void *)word, &ignored);
}

static void complete_sessions(void)
{
	struct sessions_request request = {.name = ""};
	struct op_answer answer;
	struct err ignored;

	do {
		const struct session_entry *entries;

		if (client_ask_once(NULL, OP_SESSIONS, &request, &answer, &ignored))
			return;
		entries = answer.sessions.sessions.items;
		for (unsigned i = 0; i < answer.sessions.sessions.count; i++)
			complete_print(entries[i].name);
		request.after = answer.sessions.after;
		op_answer_fini(&answer);
	} while (request.after);
}

static void complete_process(void *context, const struct registered *r)
{
	(void)context;
	if (!invoked_as_docker() || !strcmp(r->entry.kind, REGISTRY_RUN))
		complete_print(r->name);
}

static void complete_running(void)
{
	struct err ignored;

	(void)registry_each(complete_process, NULL, &ignored);
	if (!invoked_as_docker())
		complete_sessions();
}

static void complete_kept(void *context, const struct record *r)
{
	(void)context;
	complete_print(record_name(r));
}

static void complete_checkpoints(const char *session)
{
	struct op_answer answer;
	struct err ignored;
	const struct listed_checkpoint *items;

	if (client_checkpoints(NULL, session, &answer, &ignored))
		return;
	items = answer.checkpoints.checkpoints.items;
	for (unsigned i = 0; i < answer.checkpoints.checkpoints.count; i++)
		complete_print(items[i].name);
	op_answer_fini(&answer);
}

static void complete_volumes(void)
{
	struct err ignored;
	auto_fd int folder = volume_open_folder(&ignored);
	auto_list struct list names = {0};

	(void)names_read(folder, SIZE_MAX, &names);
	for (size_t i = 0; i < names.count; i++)
		complete_print(names.items[i]);
}

static void complete_commands(const struct command *rows)
{
	for (const struct command *c = rows; c->name; c++)
		complete_print(c->name);
	if (rows == commands && invoked_as_docker())
		docker_verbs_tell(complete_print);
}

static const struct command *complete_find(const struct command *rows, const char *name)
{
	struct err ignored;

	return find_command(rows, "", name, &ignored);
}

/* Complete names of commands after "help", as long as they have sub-commands. */
static void complete_help(int argc, char **argv)
{
	const struct command *rows = commands;

	for (int i = 0; i + 1 < argc && rows; i++) {
		const struct command *c = complete_find(rows, argv[i]);

		rows = c ? c->rows : NULL;
	}
	if (rows)
		complete_commands(rows);
}

static void complete_operand(const struct command *c, int number, int argc, char **argv)
{
	const char *word = argv[argc - 1];
	enum operands o = c->operands;
	struct err ignored;

	if (o == OPERANDS_IMAGES || o == OPERANDS_INSPECTED || (o == OPERANDS_IMAGE && number == 0))
		complete_images(word);
	if (o == OPERANDS_SESSIONS ||
	    (number == 0 && (o == OPERANDS_SESSION || o == OPERANDS_CHECKPOINT)))
		complete_sessions();
	if (o == OPERANDS_RUNNING || o == OPERANDS_REMOVED)
		complete_running();
	if (o == OPERANDS_ALL_KEPT || o == OPERANDS_REMOVED || o == OPERANDS_INSPECTED ||
	    (o == OPERANDS_KEPT && number == 0))
		(void)record_each(complete_kept, NULL, &ignored);
	if (o == OPERANDS_VOLUMES)
		complete_volumes();
	if (o == OPERANDS_CHECKPOINT && number == 1)
		complete_checkpoints(argv[argc - 2]);
}

static void complete_words(const struct command *c, int argc, char **argv)
{
	const struct settings own = {
		.face = ~0u, .grammar = WORDS_ANYWHERE, .tables = {{c->settings, NULL, NULL}}};
	const struct settings settings = c->all ? c->all() : own;
	auto_buf struct buf lines = {0};
	struct setting_place place = setting_complete(&settings, argc, argv, &lines);

	fputs(buf_string(&lines), stdout);
	if (place.value_of && place.value_of->arg && !strcmp(place.value_of->arg, "IMAGE"))
		complete_images(argv[argc - 1]);
	if (place.operand >= 0)
		complete_operand(c, place.operand, argc, argv);
}

/* Let a sibling program complete its own words. */
static int complete_by_sibling(const char *program, int argc, char **argv)
{
	char *words[64] = {NULL, (char *)"generate", (char *)"words"};

	for (int i = 0; i < argc && i + 4 < 64; i++)
		words[i + 3] = argv[i];
	return exec_sibling(program, argc + 3, words);
}

/* "serve key" belongs to glovebox-serve; our tables have all other words. */
static int complete_serve(const struct command *c, int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[0], "key"))
		return complete_by_sibling("glovebox-serve", 0, NULL);
	if (argc == 1 && argv[0][0] != '-')
		complete_print("key");
	complete_words(c, argc, argv);
	return 0;
}

/* Complete another docker name of a command of ours. Returns false if it is not one. */
static bool complete_docker_verb(int argc, char **argv)
{
	const char *image = argc > 2 ? docker_verb_of_image(argv[1]) : NULL;

	if (image) {
		argv[1] = (char *)image;
		(void)complete_by_sibling("glovebox-image", argc - 1, argv + 1);
		return true;
	}
	if (argc < 3 || strcmp(argv[1], "container") != 0)
		return false;
	for (const char *const *verb = docker_container_verbs; argc == 3 && *verb; verb++)
		complete_print(*verb);
	if (argc == 3)
		complete_print("ls");
	if (argc > 3)
		(void)command_complete(argc - 1, argv + 1);
	return true;
}

int command_complete(int argc, char **argv)
{
	const struct command *rows = commands;
	const struct command *c = NULL;
	int at = 1;

	if (complete_docker_verb(argc, argv))
		return 0;
	for (; rows && at + 1 < argc; at++) {
		c = complete_find(rows, argv[at]);
		if (!c)
			return 0;
		rows = c->rows;
	}
	if (!c || rows)
		complete_commands(rows);
	else if (c->operands == OPERANDS_COMMAND)
		complete_help(argc - at, argv + at);
	else if (!strcmp(c->name, "image"))
		return complete_by_sibling("glovebox-image", argc - at, argv + at);
	else if (!strcmp(c->name, "agent"))
		return complete_by_sibling("glovebox-agent", 0, NULL);
	else if (!strcmp(c->name, "serve"))
		return complete_serve(c, argc - at, argv + at);
	else
		complete_words(c, argc - at, argv + at);
	return 0;
}
