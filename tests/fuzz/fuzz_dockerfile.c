/*
 * fuzz_dockerfile - a Dockerfile and a .dockerignore: paths never lead out, and nothing grows.
 */
#include "fuzz.h"

#include "../../rootfs/dockerfile/dockerfile.h"
#include "../../rootfs/dockerfile/dockerfile_ignore.h"
#include "../../rootfs/dockerfile/dockerfile_state.h"
#include "../../rootfs/dockerfile/dockerfile_words.h"
#include "base/own.h"

static void check_path(const char *path)
{
	MUST(*path != '/');
	MUST(!strstr(path, "//"));
	for (const char *p = path; *p; p += strcspn(p, "/"), p += *p == '/')
		MUST(strncmp(p, "../", 3) != 0 && strcmp(p, "..") != 0);
}

static void check_word(const struct dockerfile_state *s, const char *word)
{
	const struct dockerfile_words words = dockerfile_state_words(s);
	auto_buf struct buf out = {0};
	struct err e = {0};
	auto_free char *below = NULL;
	auto_free char *inside = NULL;

	if (dockerfile_expand(&words, word, &out, &e)) {
		fuzz_check_error(&e);
		return;
	}
	MUST(out.length <= DOCKERFILE_WORD_MAX);
	below = dockerfile_clean(buf_string(&out), false);
	inside = dockerfile_state_path(s, buf_string(&out));
	if (below)
		check_path(below);
	if (inside)
		check_path(inside + 1);
	(void)dockerfile_match(buf_string(&out), word);
}

static void check_instruction(struct dockerfile_state *s, const struct instruction *i)
{
	auto_list struct list words = {0};
	struct err e = {0};

	MUST(i->line > 0 && i->text);
	dockerfile_cut(i->text, &words);
	for (size_t n = 0; n < words.count; n++)
		check_word(s, words.items[n]);
	if (dockerfile_state_apply(s, i, &e))
		fuzz_check_error(&e);
	MUST(!*s->meta.workdir || *s->meta.workdir == '/');
	for (size_t n = 0; n < s->meta.env.count; n++)
		MUST(strchr(s->meta.env.items[n], '=') > s->meta.env.items[n]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_dockerfile struct dockerfile d = {0};
	struct dockerfile_arguments arguments = {0};
	struct dockerfile_ignore ignore = {0};
	struct dockerfile_state s;
	struct err e = {0};

	if (dockerfile_parse((const char *)data, size, &d, &e))
		fuzz_check_error(&e);
	MUST(d.count <= DOCKERFILE_INSTRUCTIONS_MAX);
	dockerfile_state_init(&s, d.escape ? d.escape : '\\', &arguments);
	for (size_t i = 0; i < d.count; i++) {
		if (d.items[i].text)
			check_instruction(&s, &d.items[i]);
	}
	dockerfile_state_fini(&s);
	dockerfile_arguments_fini(&arguments);
	e = (struct err){0};
	if (dockerfile_ignore_parse((const char *)data, size, &ignore, &e))
		fuzz_check_error(&e);
	for (size_t i = 0; i < ignore.patterns.count; i++)
		check_path(ignore.patterns.items[i] + (*ignore.patterns.items[i] == '!'));
	(void)dockerfile_ignore_has(&ignore, "a/b/c.py");
	dockerfile_ignore_fini(&ignore);
	return 0;
}
