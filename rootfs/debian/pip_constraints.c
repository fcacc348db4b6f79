/*
 * pip_constraints - pass the files that PIP_CONSTRAINT names to pip in a chamber.
 */
#include "pip_constraints.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"

#define BLANKS "\t\n "
#define THERE  "/tmp/glovebox-pip/constraints" /* in the new root (hooks/wheels.sh) */

/* Split the variable into words. */
static void pip_constraints_split(struct list *words)
{
	const char *text = getenv("PIP_CONSTRAINT");
	auto_free char *copy = own_strdup(text ? text : "");
	char *save = NULL;

	for (char *word = strtok_r(copy, BLANKS, &save); word; word = strtok_r(NULL, BLANKS, &save))
		list_add(words, word);
}

static bool pip_constraints_is_path(const char *word)
{
	return !strstr(word, "://");
}

int pip_constraints_check(struct err *e)
{
	auto_list struct list words = {0};
	struct stat st;

	pip_constraints_split(&words);
	for (size_t i = 0; i < words.count; i++) {
		const char *word = words.items[i];

		if (!pip_constraints_is_path(word))
			continue;
		if (stat(word, &st) || access(word, R_OK))
			return err_sys(e, "read %.300s, which PIP_CONSTRAINT names", word);
		if (!S_ISREG(st.st_mode))
			return err_input(e, "%.300s, which PIP_CONSTRAINT names, is not a file",
					 word);
	}
	return 0;
}

void pip_constraints_show(struct chamber_inputs *inputs)
{
	auto_list struct list words = {0};

	pip_constraints_split(&words);
	for (size_t i = 0; i < words.count; i++) {
		if (!pip_constraints_is_path(words.items[i]))
			continue;
		list_add(&inputs->files, words.items[i]);
		list_addf(&inputs->file_names, "constraints/%zu.txt", i);
	}
}

void pip_constraints_set(struct list *env)
{
	auto_list struct list words = {0};
	auto_buf struct buf text = {0};

	pip_constraints_split(&words);
	for (size_t i = 0; i < words.count; i++) {
		buf_text(&text, i ? " " : "PIP_CONSTRAINT=");
		if (pip_constraints_is_path(words.items[i]))
			buf_printf(&text, THERE "/%zu.txt", i);
		else
			buf_text(&text, words.items[i]);
	}
	if (words.count)
		list_add(env, buf_string(&text));
}
