/*
 * keys_command - `glovebox serve key`: make, list and remove the keys of a server.
 */
#include "tenant/keys_command.h"

#include <stdio.h>
#include <string.h>

#include "base/ago.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "flags/setting_text.h"
#include "flags/setting_words.h"
#include "fs/document.h"
#include "spec/setting_sources.h"
#include "tenant/keys.h"

#define EXIT_OURS 125

struct keys_command_options {
	struct written_path keys; /* as given */
	const char *ceiling;
	bool is_operator;
	bool json;
	bool help;
	const char *name;
	char *path; /* of the file; owned */
};

#define AT(field) offsetof(struct keys_command_options, field)

/* clang-format off */
#define KEYS_ROW {"keys", 0, "FILE", GROUP_PROGRAM, FACE_SERVE, SETTING_WRITTEN, AT(keys), NULL, .min = 1, .words = "/etc/glovebox/keys.json for root, else ~/.config/glovebox/keys.json", .help = "where the keys are"}

static const struct setting add_settings[] = {
	KEYS_ROW,
	{"ceiling", 0, "FILE", GROUP_PROGRAM, FACE_SERVE, SETTING_TEXT, AT(ceiling), NULL, .min = 1, .words = "the server's", .help = "JSON with the most that it may use, as in policy/ceiling.json"},
	{"operator", 0, NULL, GROUP_PROGRAM, FACE_SERVE, SETTING_FLAG, AT(is_operator), NULL, .help = "it may read /metrics, which tells what all keys do together"},
	SETTING_END,
};
static const struct setting ls_settings[] = {
	KEYS_ROW,
	{"json", 0, NULL, GROUP_RESULT, FACE_SERVE, SETTING_FLAG, AT(json), NULL, .help = "print JSON, for programs, instead of a table"},
	SETTING_END,
};
static const struct setting rm_settings[] = {
	KEYS_ROW,
	SETTING_END,
};
/* clang-format on */

/* -- add ------------------------------------------------------------------------------------- */

static int keys_command_read_ceiling(const char *path, struct json **document, struct err *e)
{
	struct ceiling shipped;
	struct ceiling asked;
	int bad;

	*document = document_read(path, e);
	if (!*document)
		return err_prefix(e, "--ceiling");
	ceiling_init(&shipped);
	bad = ceiling_read(*document, &shipped, &asked, e) ? err_prefix(e, "--ceiling %.200s", path)
							   : 0;
	ceiling_fini(&asked);
	ceiling_fini(&shipped);
	return bad;
}

/* Change the file under its lock. */
static int keys_command_change(const struct keys_command_options *o, bool make,
			       int (*change)(const struct keys_command_options *o,
					     struct keys *keys, void *context, struct err *e),
			       void *context, struct err *e)
{
	auto_fd int lock = keys_file_lock(o->path, make, e);
	struct keys keys;
	int bad;

	if (lock < 0)
		return !make && e->number == ENOENT
			       ? err_set(e, ERR_NOT_FOUND, "there are no keys in %.300s", o->path)
			       : -1;
	bad = keys_load(o->path, NULL, &keys, e);
	if (bad && make && e->kind == ERR_NOT_FOUND)
		bad = 0;
	if (bad || change(o, &keys, context, e) || keys_file_save(o->path, &keys, e))
		bad = -1;
	keys_fini(&keys);
	return bad;
}

struct keys_command_addition {
	struct json *ceiling; /* owned, or NULL */
	char token[KEY_BYTES];
};

static int keys_command_add_to(const struct keys_command_options *o, struct keys *keys,
			       void *context, struct err *e)
{
	struct keys_command_addition *a = context;

	if (keys_by_name(keys, o->name))
		return err_set(
			e, ERR_EXISTS,
			"there is a key \"%s\" already: remove it first (key rm), which ends "
			"its use",
			o->name);
	key_make(keys, o->name, o->is_operator, a->ceiling, a->token);
	return 0;
}

static int keys_command_add(const struct keys_command_options *o, struct err *e)
{
	struct keys_command_addition a = {0};
	int bad = 0;

	if (!key_name_is_valid(o->name))
		return err_input(e, "\"%.60s\" is not a name: 1 to %d of a-z, 0-9 and -", o->name,
				 KEY_NAME_MOST);
	if (o->ceiling)
		bad = keys_command_read_ceiling(o->ceiling, &a.ceiling, e);
	if (!bad)
		bad = keys_command_change(o, true, keys_command_add_to, &a, e);
	json_free(a.ceiling);
	if (bad)
		return -1;
	puts(a.token);
	errno = io_flush_output();
	if (errno) {
		err_sys(e, "write to standard output");
		return err_prefix(e, "the new key was not printed: remove it (key rm %s)", o->name);
	}
	fprintf(stderr,
		"It is kept as its hash only, so this is the one time that it is shown. A "
		"server that runs reads it on SIGHUP.\n");
	return 0;
}

/* -- rm -------------------------------------------------------------------------------------- */

static int keys_command_rm_from(const struct keys_command_options *o, struct keys *keys,
				void *context, struct err *e)
{
	struct key *key = keys_by_name(keys, o->name);

	(void)context;
	if (!key)
		return err_set(e, ERR_NOT_FOUND, "there is no key \"%.60s\" in %.300s", o->name,
			       o->path);
	keys_drop(keys, key);
	return 0;
}

static int keys_command_rm(const struct keys_command_options *o, struct err *e)
{
	return keys_command_change(o, false, keys_command_rm_from, NULL, e);
}

/* -- ls -------------------------------------------------------------------------------------- */

static void keys_command_put(const struct key *key, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "name", key->name);
	json_put_bytes(out, "id", key->id, KEY_ID_SHOWN);
	json_put_text(out, "created", key->created);
	json_put_bool(out, "operator", key->is_operator);
	json_put_key(out, "ceiling");
	buf_text(out, key->ceiling_text ? key->ceiling_text : "null");
	json_put_end(out, '}');
}

static void keys_command_print(const struct keys *keys)
{
	char age[32];

	printf("%-*s  %-*s  %-14s  %-8s  %s\n", KEY_NAME_MOST, "NAME", KEY_ID_SHOWN, "ID",
	       "CREATED", "ROLE", "CEILING");
	for (size_t i = 0; i < keys->count; i++) {
		const struct key *key = keys->items[i];

		printf("%-*s  %.*s  %-14s  %-8s  %s\n", KEY_NAME_MOST, key->name, KEY_ID_SHOWN,
		       key->id, ago_text(key->created, age), key->is_operator ? "operator" : "-",
		       key->ceiling_text ? key->ceiling_text : "-");
	}
}

static int keys_command_ls(const struct keys_command_options *o, struct err *e)
{
	auto_buf struct buf out = {0};
	struct keys keys;
	int bad = keys_load(o->path, NULL, &keys, e);

	if (bad && e->kind == ERR_NOT_FOUND)
		bad = 0;
	if (!bad && o->json) {
		json_put_begin(&out, NULL, '[');
		for (size_t i = 0; i < keys.count; i++)
			keys_command_put(keys.items[i], &out);
		json_put_end(&out, ']');
		puts(buf_string(&out));
	} else if (!bad) {
		keys_command_print(&keys);
	}
	keys_fini(&keys);
	return bad;
}

/* -- the commands ---------------------------------------------------------------------------- */

static const struct keys_command_row {
	const char *name;
	const char *usage;
	const char *summary;
	const struct setting *settings;
	bool named; /* takes the name of a key */
	int (*run)(const struct keys_command_options *o, struct err *e);
} keys_command_rows[] = {
	{"add", "NAME [FLAGS]", "make a key and print it, once",                      add_settings, true,
	 keys_command_add												 },
	{"ls",  "[FLAGS]",      "list the keys, each by its name",                    ls_settings,  false, keys_command_ls},
	{"rm",  "NAME [FLAGS]",
	 "remove a key: at SIGHUP its runs and sessions end; its files are nobody's", rm_settings,
	 true,											     keys_command_rm},
	{NULL,  NULL,           NULL,						 NULL,         false, NULL           },
};

static struct settings keys_command_settings(const struct keys_command_row *row,
					     struct keys_command_options *o)
{
	return (struct settings){.face = FACE_SERVE,
				 .grammar = WORDS_ANYWHERE,
				 .tables = {{row->settings, o, NULL}},
				 .hint = "see \"glovebox serve key --help\"",
				 .help = o ? &o->help : NULL};
}

void keys_command_help(struct buf *out)
{
	static const struct setting_layout layout = {.indent = 6, .width = 16};
	static const struct settings none = {0};

	buf_text(out,
		 "Usage: glovebox serve key COMMAND\n\n"
		 "Who may use a server that listens on a network.\n\nCommands:\n");
	for (const struct keys_command_row *row = keys_command_rows; row->name; row++) {
		const struct settings settings = keys_command_settings(row, NULL);

		buf_printf(out, "  %s %s\n      %s\n", row->name, row->usage, row->summary);
		setting_text_help_all(&settings, GROUP_COUNT, &layout, out);
	}
	buf_text(out, "\nA ceiling has the members of policy/ceiling.json, and beside them:\n");
	for (const struct setting *s = quota_settings; s->name; s++) {
		auto_buf struct buf name = {0};

		setting_json_path(&none, s, &name);
		buf_printf(out, "  %-20s %s\n", buf_string(&name), s->help);
	}
}

void keys_command_man(struct buf *out)
{
	for (const struct keys_command_row *row = keys_command_rows; row->name; row++) {
		const struct settings settings = keys_command_settings(row, NULL);

		buf_printf(out, ".SS serve key %s %s\n", row->name, row->usage);
		setting_text_roff(row->summary, out);
		buf_text(out, ".\n");
		setting_text_man_all(&settings, GROUP_COUNT, out);
	}
}

void keys_command_words(struct buf *out)
{
	for (const struct keys_command_row *row = keys_command_rows; row->name; row++)
		buf_printf(out, "%s\n", row->name);
}

static int keys_command_read(const struct keys_command_row *row, int argc, char **argv,
			     struct keys_command_options *o, struct err *e)
{
	const struct settings settings = keys_command_settings(row, o);
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return -1;
	if (o->help)
		return 0;
	if (argc - 1 - used != row->named)
		return err_input(e, "usage: glovebox serve key %s %s", row->name, row->usage);
	o->name = row->named ? argv[1 + used] : NULL;
	o->path = o->keys.text ? own_strdup(o->keys.text) : keys_file_default(e);
	return o->path ? 0 : -1;
}

static int keys_command_run(const struct keys_command_row *row, int argc, char **argv,
			    struct err *e)
{
	struct keys_command_options o = {0};
	int bad = keys_command_read(row, argc, argv, &o, e);

	if (!bad && o.help) {
		auto_buf struct buf text = {0};

		keys_command_help(&text);
		fputs(buf_string(&text), stdout);
	} else if (!bad) {
		bad = row->run(&o, e);
	}
	own_free(&o.path);
	return bad;
}

static int keys_command_do(int argc, char **argv, struct err *e)
{
	const struct keys_command_row *row = keys_command_rows;
	auto_buf struct buf help = {0};

	keys_command_help(&help);
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(buf_string(&help), stdout);
		return 0;
	}
	while (argc > 1 && row->name && strcmp(row->name, argv[1]) != 0)
		row++;
	if (argc > 1 && row->name)
		return keys_command_run(row, argc - 1, argv + 1, e);
	if (argc > 1)
		return err_input(
			e,
			"\"%.100s\" is not a command of serve key, which takes one of: add, ls, rm",
			argv[1]);
	return err_input(e, "serve key takes one of: add, ls, rm");
}

int keys_command(int argc, char **argv)
{
	struct err e;
	int bad = keys_command_do(argc, argv, &e);

	if (!bad) {
		errno = io_flush_output();
		bad = errno ? err_sys(&e, "write to standard output") : 0;
	}
	if (bad)
		say_error(&e);
	return bad ? EXIT_OURS : 0;
}
