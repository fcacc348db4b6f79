/*
 * dockerfile_sources - read COPY or ADD: what to copy, from where, and for which owner.
 */
#include "dockerfile_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "dockerfile_context.h"
#include "dockerfile_copy.h"
#include "dockerfile_lines.h"
#include "dockerfile_stages.h"
#include "rootfs/archive/interrupt.h"

/* The words of an instruction. */
struct reading {
	const struct plan_request *q;
	const struct plan_stage *stage;
	const struct instruction *i;
	struct dockerfile_words words;
	struct list sources;
	struct heredoc *inlines; /* expanded; as many as in the instruction */
};

static void dockerfile_sources_fini(struct reading *r)
{
	list_fini(&r->sources);
	for (size_t n = 0; r->inlines && n < r->i->heredoc_count; n++) {
		free(r->inlines[n].name);
		free(r->inlines[n].text);
	}
	free(r->inlines);
}

/* Heredocs are files of their own: skip their words. */
static int dockerfile_sources_words(struct reading *r, struct list *out, struct err *e)
{
	auto_list struct list words = {0};

	if (!r->i->is_json)
		dockerfile_cut(r->i->text, &words);
	for (size_t n = 0; n < r->i->words.count; n++)
		list_add(&words, r->i->words.items[n]);
	for (size_t n = 0; n < words.count; n++) {
		struct dockerfile_heredoc h;
		auto_buf struct buf word = {0};

		if (!r->i->is_json && dockerfile_lines_heredoc(words.items[n], &h))
			continue;
		if (dockerfile_expand(&r->words, words.items[n], &word, e))
			return -1;
		if (!word.length)
			return err_input(e, "%.100s is empty", words.items[n]);
		list_add(out, buf_string(&word));
	}
	return 0;
}

static int dockerfile_sources_inlines(struct reading *r, struct err *e)
{
	r->inlines = own_zeroed(r->i->heredoc_count + 1, sizeof(*r->inlines));
	for (size_t n = 0; n < r->i->heredoc_count; n++) {
		const struct heredoc *h = &r->i->heredocs[n];
		auto_buf struct buf text = {0};

		if (strchr(h->name, '/') || *h->name == '.')
			return err_input(e, "<<%.60s cannot be the name of a file", h->name);
		if (!h->literal && dockerfile_expand_lines(&r->words, h->text, &text, e))
			return err_prefix(e, "<<%.60s", h->name);
		r->inlines[n].name = own_strdup(h->name);
		r->inlines[n].text = own_strdup(h->literal ? h->text : buf_string(&text));
	}
	return 0;
}

/* "x/", "." and "x/." are directories, even if missing. */
static bool dockerfile_sources_is_directory(const char *to)
{
	size_t length = strlen(to);

	return to[length - 1] == '/' || !strcmp(to, ".") || !strcmp(to, "..") ||
	       (length > 1 && !strcmp(to + length - 2, "/.")) ||
	       (length > 2 && !strcmp(to + length - 3, "/.."));
}

static int dockerfile_sources_set_places(struct reading *r, struct plan_copy *out, struct err *e)
{
	auto_list struct list words = {0};

	if (dockerfile_sources_words(r, &words, e) || dockerfile_sources_inlines(r, e))
		return -1;
	if (words.count + r->i->heredoc_count < 2 || !words.count)
		return err_input(e, "a source and a destination are needed");
	for (size_t n = 0; n + 1 < words.count; n++)
		list_add(&r->sources, words.items[n]);
	out->is_directory = dockerfile_sources_is_directory(words.items[words.count - 1]);
	out->to = dockerfile_state_path(&r->stage->state, words.items[words.count - 1]);
	return out->to ? 0 : err_input(e, "the destination is too long");
}

static int dockerfile_sources_set_flags(const struct reading *r, struct plan_copy *out,
					struct err *e)
{
	const char *chown = instruction_flag(r->i, "chown");
	const char *chmod = instruction_flag(r->i, "chmod");
	auto_buf struct buf owner = {0};
	auto_buf struct buf mode = {0};
	uint32_t bits;

	if (chown) {
		if (dockerfile_expand(&r->words, chown, &owner, e))
			return -1;
		if (!owner.length)
			return err_input(e, "--chown: a user is missing");
		out->owner = own_strdup(buf_string(&owner));
	}
	if (!chmod)
		return 0;
	if (dockerfile_expand(&r->words, chmod, &mode, e) ||
	    parse_octal(buf_string(&mode), 07777, &bits, e))
		return err_prefix(e, "--chmod");
	out->has_mode = true;
	out->mode = bits;
	return 0;
}

/* -- files of the build ---------------------------------------------------------------------- */

static int dockerfile_sources_new_file(const struct plan_request *q, struct err *e)
{
	int fd = openat(q->store->tmp_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? err_sys(e, "make a file in %s", q->store->path) : fd;
}

static int dockerfile_sources_rewind(struct plan_copy *out, struct err *e)
{
	return lseek(out->archive, 0, SEEK_SET) ? err_sys(e, "read what is copied") : 0;
}

/* Pack all files that the sources name, and files of the Dockerfile. */
static int dockerfile_sources_pack(const struct reading *r, const struct dockerfile_copy *copy,
				   struct plan_copy *out, char content[DIGEST_HEX], struct err *e)
{
	struct digest *digest = digest_begin();
	int count = -1;

	out->archive = dockerfile_sources_new_file(r->q, e);
	if (out->archive >= 0)
		count = dockerfile_copy_pack(copy, out->archive, digest, e);
	digest_end(digest, content);
	if (count < 0)
		return -1;
	if (count > 1 && !out->is_directory)
		return err_input(e, "of several sources the destination must end with /");
	return dockerfile_sources_rewind(out, e);
}

/* Copy it, because the file may change while it is read. */
static int dockerfile_sources_take(int from, uint64_t *room, struct plan_copy *out,
				   char content[DIGEST_HEX], struct err *e)
{
	static char chunk[1 << 17];
	struct digest *digest = digest_begin();
	ssize_t n;

	do {
		n = read(from, chunk, sizeof(chunk));
		if (n > 0 && (uint64_t)n > *room) {
			errno = EFBIG;
			break;
		}
		if (n > 0) {
			*room -= (uint64_t)n;
			digest_add(digest, chunk, (size_t)n);
			if (io_write_all(out->archive, chunk, (size_t)n))
				break;
		}
	} while (n > 0 && !interrupt_signal());
	digest_end(digest, content);
	if (interrupt_check(e))
		return -1;
	if (n)
		return err_sys(e, "copy the archive");
	return dockerfile_sources_rewind(out, e);
}

/* ADD unpacks one local archive. 1: it was one. */
static int dockerfile_sources_unpack(const struct reading *r, const struct dockerfile_copy *copy,
				     struct plan_copy *out, char content[DIGEST_HEX], struct err *e)
{
	auto_fd int fd = -1;

	if (r->i->kind != INSTRUCTION_ADD || copy->sources->count != 1 || copy->inline_count)
		return 0;
	fd = dockerfile_copy_open_file(copy);
	if (fd < 0 || !dockerfile_context_is_archive(fd))
		return 0;
	out->archive = dockerfile_sources_new_file(r->q, e);
	if (out->archive < 0)
		return -1;
	if (lseek(fd, 0, SEEK_SET))
		return err_sys(e, "read the archive");
	out->is_archive = out->is_directory = true;
	return dockerfile_sources_take(fd, r->q->room, out, content, e) ? -1 : 1;
}

/* -- from where ------------------------------------------------------------------------------ */

static int dockerfile_sources_refuse_urls(const struct reading *r, struct err *e)
{
	static const char *const remote[] = {"http://", "https://", "git@",
					     "git://",  "ssh://",   "ftp://"};

	for (size_t n = 0; n < r->sources.count; n++) {
		for (size_t k = 0; k < sizeof(remote) / sizeof(remote[0]); k++) {
			if (!strncmp(r->sources.items[n], remote[k], strlen(remote[k])))
				return err_set(
					e, ERR_UNSUPPORTED,
					"only local files are copied: fetch %.100s in a RUN, "
					"which may reach what --egress names",
					r->sources.items[n]);
		}
	}
	return 0;
}

static int dockerfile_sources_of_context(const struct reading *r, struct plan_copy *out,
					 char content[DIGEST_HEX], struct err *e)
{
	const struct dockerfile_copy copy = {.root_fd = r->q->context_fd,
					     .ignore = r->q->ignore,
					     .sources = &r->sources,
					     .room = r->q->room,
					     .inlines = r->inlines,
					     .inline_count = r->i->heredoc_count};
	int unpacked;

	if (r->q->context_fd < 0 && r->sources.count)
		return err_input(e, "a Dockerfile of standard input has no files to copy");
	if (r->i->kind == INSTRUCTION_ADD && dockerfile_sources_refuse_urls(r, e))
		return -1;
	unpacked = dockerfile_sources_unpack(r, &copy, out, content, e);
	if (unpacked)
		return unpacked < 0 ? -1 : 0;
	return dockerfile_sources_pack(r, &copy, out, content, e);
}

static int dockerfile_sources_of_image(const struct reading *r, const char *name,
				       struct plan_copy *out, char content[DIGEST_HEX],
				       struct err *e)
{
	struct dockerfile_copy copy = {.is_root = true, .sources = &r->sources, .room = r->q->room};
	struct image image;
	int status;

	if (r->q->open_image(name, &image, e))
		return -1;
	copy.root_fd = image.root_fd;
	status = image.is_host ? err_input(e, "the image host has no files of its own")
			       : dockerfile_sources_pack(r, &copy, out, content, e);
	image_close(&image);
	return status;
}

static int dockerfile_sources_from(struct reading *r, const struct plan *p, const char *name,
				   struct plan_copy *out, char content[DIGEST_HEX], struct err *e)
{
	struct plan_stage *other =
		dockerfile_stages_find_source(p, name, (size_t)(r->stage - p->stages));

	if (r->i->heredoc_count)
		return err_input(e, "--from has no heredocs");
	if (!other)
		return dockerfile_sources_of_image(r, name, out, content, e)
			       ? err_prefix(e, "--from=%.100s", name)
			       : 0;
	out->stage = (size_t)(other - p->stages);
	out->sources = r->sources;
	r->sources = (struct list){0};
	memcpy(content, other->key, DIGEST_HEX);
	return out->sources.count > 1 && !out->is_directory
		       ? err_input(e, "of several sources the destination must end with /")
		       : 0;
}

int dockerfile_sources_read(const struct plan_request *q, const struct plan *p,
			    const struct plan_stage *stage, const struct instruction *i,
			    struct plan_copy *out, char content[DIGEST_HEX], struct err *e)
{
	const char *from = instruction_flag(i, "from");
	__attribute__((cleanup(dockerfile_sources_fini))) struct reading r = {
		.q = q, .stage = stage, .i = i, .words = dockerfile_state_words(&stage->state)};

	out->archive = -1;
	if (dockerfile_sources_set_places(&r, out, e) || dockerfile_sources_set_flags(&r, out, e))
		return -1;
	return from ? dockerfile_sources_from(&r, p, from, out, content, e)
		    : dockerfile_sources_of_context(&r, out, content, e);
}
