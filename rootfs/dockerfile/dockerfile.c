/*
 * dockerfile - parse a Dockerfile into a list of instructions.
 */
#include "dockerfile.h"

#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/own.h"
#include "base/utf8.h"
#include "dockerfile_lines.h"

#define BLANKS       " \t\v\f\r"
#define HEREDOCS_MAX 32

/* The forms of an instruction after its flags. */
enum form {
	FORM_TEXT,   /* only text */
	FORM_EITHER, /* a JSON list of strings, or text */
	FORM_LIST,   /* only a JSON list */
};

struct grammar {
	const char *name;
	enum instruction_kind kind;
	enum form form;
	bool heredocs;
	const char *flags; /* "a|b" */
};

/* clang-format off */
static const struct grammar grammars[] = {
	{"ADD",         INSTRUCTION_ADD,         FORM_EITHER, true,  "chown|chmod|link"},
	{"ARG",         INSTRUCTION_ARG,         FORM_TEXT,   false, ""},
	{"CMD",         INSTRUCTION_CMD,         FORM_EITHER, false, ""},
	{"COPY",        INSTRUCTION_COPY,        FORM_EITHER, true,  "from|chown|chmod|link"},
	{"ENTRYPOINT",  INSTRUCTION_ENTRYPOINT,  FORM_EITHER, false, ""},
	{"ENV",         INSTRUCTION_ENV,         FORM_TEXT,   false, ""},
	{"EXPOSE",      INSTRUCTION_EXPOSE,      FORM_TEXT,   false, ""},
	{"FROM",        INSTRUCTION_FROM,        FORM_TEXT,   false, "platform"},
	{"HEALTHCHECK", INSTRUCTION_HEALTHCHECK, FORM_TEXT,   false, "interval|timeout|start-period|start-interval|retries"},
	{"LABEL",       INSTRUCTION_LABEL,       FORM_TEXT,   false, ""},
	{"MAINTAINER",  INSTRUCTION_MAINTAINER,  FORM_TEXT,   false, ""},
	{"RUN",         INSTRUCTION_RUN,         FORM_EITHER, true,  "network|mount"},
	{"SHELL",       INSTRUCTION_SHELL,       FORM_LIST,   false, ""},
	{"STOPSIGNAL",  INSTRUCTION_STOPSIGNAL,  FORM_TEXT,   false, ""},
	{"USER",        INSTRUCTION_USER,        FORM_TEXT,   false, ""},
	{"WORKDIR",     INSTRUCTION_WORKDIR,     FORM_TEXT,   false, ""},
};

static const struct {
	const char *name;
	const char *why;
} refused[] = {
	{"VOLUME",  "nothing of a sandbox is kept; give each run a directory with -v or --tmpfs"},
	{"ONBUILD", "nothing is kept for builds on this image; put the instruction into their Dockerfiles"},
};
/* clang-format on */

static void dockerfile_instruction_fini(struct instruction *i)
{
	list_fini(&i->flags);
	list_fini(&i->words);
	own_free(&i->text);
	for (size_t n = 0; n < i->heredoc_count; n++) {
		own_free(&i->heredocs[n].name);
		own_free(&i->heredocs[n].text);
	}
	own_free(&i->heredocs);
}

void dockerfile_fini(struct dockerfile *d)
{
	for (size_t i = 0; i < d->count; i++)
		dockerfile_instruction_fini(&d->items[i]);
	own_free(&d->items);
	*d = (struct dockerfile){0};
}

int instruction_error(const struct instruction *i, struct err *e)
{
	return err_prefix(e, "line %u: %s", i->line, i->name);
}

const char *instruction_flag(const struct instruction *i, const char *name)
{
	size_t length = strlen(name);

	for (size_t n = 0; n < i->flags.count; n++) {
		const char *flag = i->flags.items[n];

		if (!strncmp(flag, name, length) && (flag[length] == '=' || !flag[length]))
			return flag[length] ? flag + length + 1 : "";
	}
	return NULL;
}

static int dockerfile_no_such(const char *word, size_t length, struct err *e)
{
	struct nearest near = nearest_to(word, length);

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (strlen(refused[i].name) == length &&
		    !strncasecmp(refused[i].name, word, length))
			return err_set(e, ERR_UNSUPPORTED, "%s: %s", refused[i].name,
				       refused[i].why);
	}
	for (size_t i = 0; i < sizeof(grammars) / sizeof(grammars[0]); i++)
		nearest_try(&near, grammars[i].name);
	if (near.name)
		return err_input(e, "no instruction \"%.*s\"; did you mean \"%s\"?",
				 length < 40 ? (int)length : 40, word, near.name);
	return err_input(e, "no instruction \"%.*s\"", length < 40 ? (int)length : 40, word);
}

static const struct grammar *dockerfile_find(const char *word, size_t length, struct err *e)
{
	for (size_t i = 0; i < sizeof(grammars) / sizeof(grammars[0]); i++) {
		if (strlen(grammars[i].name) == length &&
		    !strncasecmp(grammars[i].name, word, length))
			return &grammars[i];
	}
	dockerfile_no_such(word, length, e);
	return NULL;
}

static bool dockerfile_is_in(const char *names, const char *name, size_t length)
{
	while (*names) {
		size_t n = strcspn(names, "|");

		if (n == length && !memcmp(names, name, n))
			return true;
		names += n;
		names += *names == '|';
	}
	return false;
}

/* Read "--name" and "--name=value" in front. Returns what follows them; NULL with *e. */
static const char *dockerfile_read_flags(const struct grammar *g, const char *text,
					 struct instruction *out, struct err *e)
{
	while (!strncmp(text, "--", 2)) {
		size_t length = strcspn(text, BLANKS);
		size_t name = strcspn(text + 2, "=" BLANKS);
		auto_free char *flag = own_strndup(text + 2, length - 2);

		if (!dockerfile_is_in(g->flags, flag, name)) {
			err_set(e, ERR_UNSUPPORTED, "--%.60s is not understood here", flag);
			return NULL;
		}
		if (strpbrk(flag, "\"'\\")) {
			err_input(e, "--%.60s: a flag has no quotes here", flag);
			return NULL;
		}
		list_add(&out->flags, flag);
		text += length;
		text += strspn(text, BLANKS);
	}
	return text;
}

/* Read a list of strings; false: the text is something else. */
static bool dockerfile_read_list(const char *text, struct list *out)
{
	auto_json struct json *json = NULL;
	auto_list struct list words = {0};
	struct err ignored;

	if (*text != '[')
		return false;
	json = json_parse(text, strlen(text), &ignored);
	if (!json || !json_is_array(json))
		return false;
	for (const struct json *n = json_first(json); n; n = json_next(n)) {
		if (!json_string(n))
			return false;
		list_add(&words, json_string(n));
	}
	*out = words;
	words = (struct list){0};
	return true;
}

static void dockerfile_add_heredoc(struct instruction *i, const struct dockerfile_heredoc *h,
				   struct buf *body)
{
	i->heredocs = own_grow(i->heredocs, i->heredoc_count, sizeof(*i->heredocs));
	i->heredocs[i->heredoc_count++] =
		(struct heredoc){.name = own_strndup(h->name, h->name_length),
				 .text = own_strdup(buf_string(body)),
				 .literal = h->literal};
}

/* A shell reads the lines of a heredoc itself, after the command: <<- has removed the tabs. */
static void dockerfile_add_lines(struct buf *command, const struct dockerfile_heredoc *h,
				 const struct buf *body)
{
	buf_text(command, "\n");
	buf_add(command, body->data, body->length);
	buf_add(command, h->name, h->name_length);
}

/*
 * @text: of the instruction. RUN <<EOF alone is a script for the shell; after a command the lines
 * are its input.
 */
static int dockerfile_read_heredocs(struct dockerfile_lines *l, const char *text,
				    struct instruction *out, struct err *e)
{
	auto_buf struct buf command = {0};
	auto_buf struct buf body = {0};
	struct dockerfile_heredoc h;
	bool alone = dockerfile_lines_heredoc(text, &h) && h.word == text && !text[h.length];

	buf_text(&command, text);
	for (const char *p = text; dockerfile_lines_heredoc(p, &h); p = h.word + h.length) {
		if (out->heredoc_count == HEREDOCS_MAX)
			return err_input(e, "more than %d heredocs", HEREDOCS_MAX);
		if (dockerfile_lines_body(l, &h, &body))
			return err_input(e, "<<%.*s: its last line, \"%.*s\", is missing",
					 (int)(h.name_length < 60 ? h.name_length : 60), h.name,
					 (int)(h.name_length < 60 ? h.name_length : 60), h.name);
		dockerfile_add_heredoc(out, &h, &body);
		dockerfile_add_lines(&command, &h, &body);
	}
	if (out->kind == INSTRUCTION_RUN && alone) {
		out->text = own_strdup(out->heredocs[0].text);
		return strncmp(out->text, "#!", 2)
			       ? 0
			       : err_set(e, ERR_UNSUPPORTED,
					 "a script with #! is not understood; name its program: "
					 "RUN python3 <<EOF");
	}
	out->text = own_strdup(out->kind == INSTRUCTION_RUN ? buf_string(&command) : text);
	return 0;
}

static int dockerfile_read_rest(const struct grammar *g, struct dockerfile_lines *l,
				const char *text, struct instruction *out, struct err *e)
{
	text = dockerfile_read_flags(g, text, out, e);
	if (!text)
		return -1;
	out->is_json = g->form != FORM_TEXT && dockerfile_read_list(text, &out->words);
	if (out->is_json) {
		out->text = own_strdup("");
		if (!out->words.count && g->kind != INSTRUCTION_CMD &&
		    g->kind != INSTRUCTION_ENTRYPOINT)
			return err_input(e, "the list is empty");
		return 0;
	}
	if (g->form == FORM_LIST)
		return err_input(e, "a list is needed: [\"/bin/bash\", \"-c\"]");
	if (!*text)
		return err_input(e, "there is nothing behind it");
	if (g->heredocs)
		return dockerfile_read_heredocs(l, text, out, e);
	out->text = own_strdup(text);
	return 0;
}

static int dockerfile_read(struct dockerfile_lines *l, const char *line, unsigned number,
			   struct instruction *out, struct err *e)
{
	size_t length = strcspn(line, BLANKS);
	const struct grammar *g = dockerfile_find(line, length, e);
	auto_free char *text = NULL;
	size_t end;

	if (!g)
		return err_prefix(e, "line %u", number);
	*out = (struct instruction){.kind = g->kind, .name = g->name, .line = number};
	text = own_strdup(line + length + strspn(line + length, BLANKS));
	end = strlen(text);
	while (end && strchr(BLANKS, text[end - 1]))
		text[--end] = '\0';
	return dockerfile_read_rest(g, l, text, out, e) ? instruction_error(out, e) : 0;
}

int dockerfile_parse(const char *text, size_t length, struct dockerfile *out, struct err *e)
{
	auto_buf struct buf line = {0};
	struct dockerfile_lines l;
	unsigned number;

	*out = (struct dockerfile){0};
	if (length > DOCKERFILE_BYTES_MAX)
		return err_input(e, "it is larger than %u KiB", DOCKERFILE_BYTES_MAX >> 10);
	if (memchr(text, '\0', length) || !utf8_is_valid(text, length))
		return err_input(e, "its text must be UTF-8");
	if (dockerfile_lines_begin(&l, text, length, e))
		return -1;
	out->escape = l.escape;
	while (dockerfile_lines_next(&l, &line, &number)) {
		if (out->count == DOCKERFILE_INSTRUCTIONS_MAX)
			return err_input(e, "line %u: more than %d instructions", number,
					 DOCKERFILE_INSTRUCTIONS_MAX);
		out->items = own_grow(out->items, out->count, sizeof(*out->items));
		out->items[out->count++] = (struct instruction){0};
		if (dockerfile_read(&l, buf_string(&line), number, &out->items[out->count - 1], e))
			return -1;
	}
	return out->count ? 0 : err_input(e, "it has no instruction");
}
