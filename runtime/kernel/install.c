/*
 * install - write a kernelspec, by which Jupyter's programs find and start the kernel.
 */
#include "kernel/install.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "client/program_path.h"
#include "fs/replaced_file.h"
#include "fs/trusted_path.h"

#define NAME_MAX_BYTES 100

static int install_check_name(const char *name, struct err *e)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (*name && strlen(name) <= NAME_MAX_BYTES && *name != '.' && !name[strspn(name, letters)])
		return 0;
	return err_input(e, "--name: letters, digits, \".\", \"_\" and \"-\", not \"%.100s\"",
			 name);
}

/* Where Jupyter looks (jupyter_core.paths); owned. */
static char *install_data_dir(const struct kernel_options *o, struct err *e)
{
	const char *own = getenv("JUPYTER_DATA_DIR");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (!o->user)
		return own_printf("%s/share/jupyter",
				  o->prefix.text ? o->prefix.text : "/usr/local");
	if (own && *own)
		return own_strdup(own);
	if (data && *data)
		return own_printf("%s/jupyter", data);
	if (home && *home)
		return own_printf("%s/.local/share/jupyter", home);
	err_input(e, "--user: HOME is not set");
	return NULL;
}

static void install_put_title(const struct kernel_options *o, const char *name, struct buf *out)
{
	auto_free char *title = NULL;

	if (o->display_name)
		title = own_strdup(o->display_name);
	else if (strcmp(name, INSTALL_NAME) != 0)
		title = own_printf("Python (sandboxed, %s)", name);
	json_put_text(out, "display_name", title ? title : "Python (sandboxed)");
}

static int install_put(const struct kernel_options *o, const char *name, const struct list *words,
		       struct buf *out, struct err *e)
{
	char program[PROGRAM_PATH_SIZE];

	if (program_path(program))
		return err_sys(e, "find our own program");
	buf_text(out, "{");
	json_put_begin(out, "argv", '[');
	json_put(out, "%s, 'kernel', '-f', '{connection_file}'", program);
	for (size_t i = 0; i < words->count; i++)
		json_put_text(out, NULL, words->items[i]);
	json_put_end(out, ']');
	install_put_title(o, name, out);
	json_put(out, "language:'python', interrupt_mode:'message', metadata:{}");
	buf_text(out, "}\n");
	return 0;
}

static int install_write_file(const char *path, const struct buf *text, struct err *e)
{
	struct replaced_file file;
	bool bad;

	if (replaced_file_open(&file, written_path(path), LINKS_OF_CALLER, 0644, e))
		return -1;
	bad = io_write_all(file.fd, text->data, text->length);
	if (replaced_file_end(&file, !bad) || bad)
		return err_sys(e, "write %.300s", path);
	return 0;
}

int install_write(const struct kernel_options *o, const char *name, const struct list *words,
		  struct err *e)
{
	auto_free char *data = install_check_name(name, e) ? NULL : install_data_dir(o, e);
	auto_free char *directory = data ? own_printf("%s/kernels/%s", data, name) : NULL;
	auto_free char *path = data ? own_printf("%s/kernel.json", directory) : NULL;
	auto_buf struct buf text = {0};
	auto_fd int made = -1;

	if (!path || install_put(o, name, words, &text, e))
		return -1;
	made = trusted_path_make(written_path(directory), LINKS_OF_CALLER, e);
	if (made < 0)
		return e->number == EACCES && !o->user
			       ? err_prefix(e, "--user installs it for you alone")
			       : -1;
	if (install_write_file(path, &text, e))
		return -1;
	say_line(stdout, directory);
	puts("");
	return 0;
}

/* -- words ----------------------------------------------------------------------------------- */

/* Whether a word is a flag of the kernelspec; *takes: a value follows it as the next word. */
static bool install_is_own(const char *word, bool *takes)
{
	static const char *const flags[] = {"--user", "--prefix", "--display-name", "--name"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		const size_t length = strlen(flags[i]);

		if (strncmp(word, flags[i], length) != 0 || (word[length] && word[length] != '='))
			continue;
		*takes = i && !word[length];
		return true;
	}
	return false;
}

void install_words(int argc, char **argv, struct list *out)
{
	bool takes;

	for (int i = 0; i < argc; i++) {
		if (!install_is_own(argv[i], &takes))
			list_add(out, argv[i]);
		else
			i += takes;
	}
}
