/*
 * dockerfile_state - the state of a stage after its instructions: variables, user, command.
 */
#include "dockerfile_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "dockerfile_ignore.h"
#include "rootfs/archive/exposed.h"

#define PATHS         "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define LETTERS       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS        "0123456789"
#define PATH_BYTES    4096
#define VARIABLES_MAX 1000 /* each is compared with all others */

/* Arguments that are known without ARG. */
static const char *const predefined[] = {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
					 "FTP_PROXY",  "ftp_proxy",  "NO_PROXY",    "no_proxy",
					 "ALL_PROXY",  "all_proxy"};

void dockerfile_arguments_fini(struct dockerfile_arguments *a)
{
	list_fini(&a->given);
	list_fini(&a->used);
	list_fini(&a->global);
}

static const char *dockerfile_state_find(const struct list *l, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < l->count; i++) {
		if (!strncmp(l->items[i], name, length) && l->items[i][length] == '=')
			return l->items[i] + length + 1;
	}
	return NULL;
}

static int dockerfile_state_set(struct list *l, const char *pair, struct err *e)
{
	size_t length = strcspn(pair, "=") + 1;

	for (size_t i = 0; i < l->count; i++) {
		if (!strncmp(l->items[i], pair, length)) {
			free(l->items[i]);
			l->items[i] = own_strdup(pair);
			return 0;
		}
	}
	if (l->count == VARIABLES_MAX)
		return err_input(e, "more than %d variables", VARIABLES_MAX);
	list_add(l, pair);
	return 0;
}

static void dockerfile_state_copy(const struct list *from, struct list *to)
{
	list_fini(to);
	*to = (struct list){0};
	for (size_t i = 0; i < from->count; i++)
		list_add(to, from->items[i]);
}

static void dockerfile_state_replace(char **slot, const char *text)
{
	free(*slot);
	*slot = own_strdup(text);
}

void dockerfile_state_init(struct dockerfile_state *s, char escape,
			   struct dockerfile_arguments *arguments)
{
	*s = (struct dockerfile_state){.escape = escape, .arguments = arguments};
	s->meta.user = own_strdup("");
	s->meta.workdir = own_strdup("");
	list_add(&s->shell, "/bin/sh");
	list_add(&s->shell, "-c");
	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		const char *value = dockerfile_state_find(&arguments->given, predefined[i]);

		if (value)
			list_addf(&s->args, "%s=%s", predefined[i], value);
		if (value && !list_has(&arguments->used, predefined[i]))
			list_add(&arguments->used, predefined[i]);
	}
}

void dockerfile_state_fini(struct dockerfile_state *s)
{
	meta_fini(&s->meta);
	list_fini(&s->args);
	list_fini(&s->shell);
}

void dockerfile_state_inherit(struct dockerfile_state *s, const struct dockerfile_state *from)
{
	dockerfile_state_copy(&from->meta.env, &s->meta.env);
	dockerfile_state_copy(&from->meta.cmd, &s->meta.cmd);
	dockerfile_state_copy(&from->meta.entrypoint, &s->meta.entrypoint);
	dockerfile_state_copy(&from->meta.exposed, &s->meta.exposed);
	dockerfile_state_copy(&from->meta.preload, &s->meta.preload);
	if (from->shell.count)
		dockerfile_state_copy(&from->shell, &s->shell);
	dockerfile_state_replace(&s->meta.user, from->meta.user ? from->meta.user : "");
	dockerfile_state_replace(&s->meta.workdir, from->meta.workdir);
}

static const char *dockerfile_state_value(void *context, const char *name)
{
	const struct dockerfile_state *s = context;
	const char *value = dockerfile_state_find(&s->meta.env, name);

	return value ? value : dockerfile_state_find(&s->args, name);
}

struct dockerfile_words dockerfile_state_words(const struct dockerfile_state *s)
{
	return (struct dockerfile_words){.escape = s->escape,
					 .value = dockerfile_state_value,
					 .context = (void *)s,
					 .expanded = &s->arguments->expanded};
}

/* -- ARG ------------------------------------------------------------------------------------- */

/* Docker gives these values about the machine to every build. */
static const char *dockerfile_state_platform(const char *name)
{
	static const struct {
		const char *name;
		const char *part; /* NULL: the architecture; "": both */
	} parts[] = {
		{"TARGETPLATFORM", ""     },
                {"TARGETOS",       "linux"},
                {"TARGETARCH",     NULL   },
		{"BUILDPLATFORM",  ""     },
                {"BUILDOS",        "linux"},
                {"BUILDARCH",      NULL   },
	};
	static const char *const both[] = {"linux/amd64", "linux/arm64"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(parts[i].name, name) != 0)
			continue;
		if (!parts[i].part)
			return meta_arch();
		return *parts[i].part ? parts[i].part : both[!strcmp(meta_arch(), "arm64")];
	}
	return NULL;
}

/* The value of an ARG without a default. */
static const char *dockerfile_state_global_value(const struct dockerfile_state *s, const char *name)
{
	const char *value = dockerfile_state_find(&s->arguments->global, name);

	return value ? value : dockerfile_state_platform(name);
}

static int dockerfile_state_arg(struct dockerfile_state *s, const char *word, struct list *to,
				struct err *e)
{
	const struct dockerfile_words words = dockerfile_state_words(s);
	size_t length = strspn(word, LETTERS DIGITS);
	auto_free char *name = own_strndup(word, length);
	const char *value = dockerfile_state_find(&s->arguments->given, name);
	auto_buf struct buf text = {0};

	if (!length || (word[length] && word[length] != '='))
		return err_input(e, "\"%.60s\" is neither NAME nor NAME=VALUE", word);
	if (value && !list_has(&s->arguments->used, name))
		list_add(&s->arguments->used, name);
	if (!value && word[length]) {
		if (dockerfile_expand(&words, word + length + 1, &text, e))
			return err_prefix(e, "%.60s", name);
		value = buf_string(&text);
	}
	if (!value)
		value = dockerfile_state_global_value(s, name);
	if (value) {
		auto_free char *pair = own_printf("%s=%s", name, value);

		return dockerfile_state_set(&s->args, pair, e) || dockerfile_state_set(to, pair, e)
			       ? -1
			       : 0;
	}
	return 0;
}

static int dockerfile_state_args(struct dockerfile_state *s, const char *text, struct list *to,
				 struct err *e)
{
	auto_list struct list words = {0};

	dockerfile_cut_quoted(s->escape, text, &words);
	for (size_t i = 0; i < words.count; i++) {
		if (dockerfile_state_arg(s, words.items[i], to, e))
			return -1;
	}
	return 0;
}

int dockerfile_state_global(struct dockerfile_state *s, const struct instruction *i, struct err *e)
{
	return dockerfile_state_args(s, i->text, &s->arguments->global, e);
}

/* -- the others ------------------------------------------------------------------------------ */

static int dockerfile_state_env(struct dockerfile_state *s, const char *text, struct list *to,
				struct err *e)
{
	const struct dockerfile_words words = dockerfile_state_words(s);
	auto_list struct list pairs = {0};

	/* All of them expand to values from before this instruction. */
	if (dockerfile_pairs(&words, text, &pairs, e))
		return -1;
	for (size_t i = 0; to && i < pairs.count; i++) {
		if (dockerfile_state_set(to, pairs.items[i], e))
			return -1;
	}
	return 0;
}

char *dockerfile_state_path(const struct dockerfile_state *s, const char *path)
{
	auto_free char *whole = own_printf("%s/%s", *path == '/' ? "" : s->meta.workdir, path);
	auto_free char *clean = dockerfile_clean(whole, true);

	return strlen(clean) < PATH_BYTES ? own_printf("/%s", clean) : NULL;
}

static int dockerfile_state_word(const struct dockerfile_state *s, const char *text,
				 struct buf *out, struct err *e)
{
	const struct dockerfile_words words = dockerfile_state_words(s);

	if (dockerfile_expand(&words, text, out, e))
		return -1;
	return out->length ? 0 : err_input(e, "%.100s is empty", text);
}

static int dockerfile_state_workdir(struct dockerfile_state *s, const char *text, struct err *e)
{
	auto_buf struct buf word = {0};
	char *path;

	if (dockerfile_state_word(s, text, &word, e))
		return -1;
	path = dockerfile_state_path(s, buf_string(&word));
	if (!path)
		return err_input(e, "%.100s is too long", text);
	free(s->meta.workdir);
	s->meta.workdir = path;
	return 0;
}

static int dockerfile_state_user(struct dockerfile_state *s, const char *text, struct err *e)
{
	auto_buf struct buf word = {0};

	if (dockerfile_state_word(s, text, &word, e))
		return -1;
	if (strpbrk(buf_string(&word), " \t\n"))
		return err_input(e, "\"%.60s\" cannot be a user", buf_string(&word));
	dockerfile_state_replace(&s->meta.user, buf_string(&word));
	return 0;
}

static int dockerfile_state_expose(struct dockerfile_state *s, const char *text, struct err *e)
{
	const struct dockerfile_words words = dockerfile_state_words(s);
	auto_list struct list ports = {0};

	dockerfile_cut(text, &ports);
	for (size_t i = 0; i < ports.count; i++) {
		auto_buf struct buf port = {0};

		if (dockerfile_expand(&words, ports.items[i], &port, e) ||
		    exposed_add(&s->meta.exposed, buf_string(&port), e))
			return -1;
	}
	return 0;
}

void dockerfile_state_command(const struct dockerfile_state *s, const struct instruction *i,
			      struct list *out)
{
	list_fini(out);
	*out = (struct list){0};
	if (i->is_json) {
		dockerfile_state_copy(&i->words, out);
		return;
	}
	dockerfile_state_copy(&s->shell, out);
	list_add(out, i->text);
}

static void dockerfile_state_entrypoint(struct dockerfile_state *s, const struct instruction *i)
{
	dockerfile_state_command(s, i, &s->meta.entrypoint);
	if (s->has_cmd)
		return;
	list_fini(&s->meta.cmd);
	s->meta.cmd = (struct list){0};
}

int dockerfile_state_apply(struct dockerfile_state *s, const struct instruction *i, struct err *e)
{
	switch (i->kind) {
	case INSTRUCTION_ARG: {
		auto_list struct list ignored = {0};

		return dockerfile_state_args(s, i->text, &ignored, e);
	}
	case INSTRUCTION_ENV:
		return dockerfile_state_env(s, i->text, &s->meta.env, e);
	case INSTRUCTION_LABEL:
		return dockerfile_state_env(s, i->text, NULL, e);
	case INSTRUCTION_WORKDIR:
		return dockerfile_state_workdir(s, i->text, e);
	case INSTRUCTION_USER:
		return dockerfile_state_user(s, i->text, e);
	case INSTRUCTION_EXPOSE:
		return dockerfile_state_expose(s, i->text, e);
	case INSTRUCTION_SHELL:
		dockerfile_state_copy(&i->words, &s->shell);
		return 0;
	case INSTRUCTION_CMD:
		dockerfile_state_command(s, i, &s->meta.cmd);
		s->has_cmd = true;
		return 0;
	case INSTRUCTION_ENTRYPOINT:
		dockerfile_state_entrypoint(s, i);
		return 0;
	case INSTRUCTION_HEALTHCHECK: /* without effect here */
	case INSTRUCTION_MAINTAINER:
	case INSTRUCTION_STOPSIGNAL:
	case INSTRUCTION_ADD: /* handled by the plan */
	case INSTRUCTION_COPY:
	case INSTRUCTION_FROM:
	case INSTRUCTION_RUN:
		return 0;
	}
	return 0;
}

static int dockerfile_state_add(const struct dockerfile_state *s, const struct list *from,
				struct list *out, struct err *e)
{
	const struct dockerfile_words words = dockerfile_state_words(s);

	for (size_t i = 0; i < from->count; i++) {
		if (dockerfile_spend(&words, strlen(from->items[i]), e) ||
		    dockerfile_state_set(out, from->items[i], e))
			return -1;
	}
	return 0;
}

int dockerfile_state_environment(const struct dockerfile_state *s, struct list *out, struct err *e)
{
	/* Allow pip in a RUN: the image shall contain what it installs (PEP 668). */
	list_add(out, "PIP_BREAK_SYSTEM_PACKAGES=1");
	if (!dockerfile_state_find(&s->meta.env, "PATH"))
		list_add(out, PATHS);
	return dockerfile_state_add(s, &s->args, out, e) ||
			       dockerfile_state_add(s, &s->meta.env, out, e)
		       ? -1
		       : 0;
}
