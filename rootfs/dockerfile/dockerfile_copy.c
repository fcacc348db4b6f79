/*
 * dockerfile_copy - pack the sources of COPY into one archive: from the context, an image, another
 * stage.
 */
#include "dockerfile_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/io.h"
#include "base/own.h"
#include "fs/resolve.h"
#include "fs/walk.h"
#include "rootfs/archive/interrupt.h"
#include "rootfs/archive/pack.h"

#define MATCHES_MAX 10000

/* The choice among the files below a source. */
struct below {
	const struct dockerfile_ignore *ignore;
	const char *source; /* clean */
	bool may_return;    /* a pattern with "!" may name entries below an ignored directory */
};

static int dockerfile_copy_sink(void *context, const void *bytes, size_t length)
{
	return io_write_all(*(const int *)context, bytes, length);
}

static int dockerfile_copy_open(const struct dockerfile_copy *c, const char *path, int flags)
{
	uint64_t where = c->is_root ? RESOLVE_IN_ROOT : RESOLVE_BENEATH;

	return resolve_open(c->root_fd, *path ? path : ".", flags, where | RESOLVE_NO_MAGICLINKS);
}

/* Open a file or directory for reading. Other types are never opened so. */
static int dockerfile_copy_open_source(const struct dockerfile_copy *c, const char *path,
				       struct stat *st, struct err *e)
{
	auto_fd int place = dockerfile_copy_open(c, path, O_PATH);
	int fd;

	if (place < 0 && errno == EXDEV)
		return err_input(e, "\"%.200s\": a link leads out of the context", path);
	if (place < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_input(e, "\"%.200s\" is missing", path);
	if (place < 0 || fstat(place, st))
		return err_sys(e, "open %.200s", path);
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return err_input(e, "\"%.200s\" is neither a file nor a directory", path);
	fd = open(fd_path(place).text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open %.200s", path) : fd;
}

static enum pack_choice dockerfile_copy_choose(const void *context, const char *path)
{
	const struct below *b = context;
	auto_free char *whole = own_printf("%s%s%s", b->source, *b->source ? "/" : "", path);

	if (!dockerfile_ignore_has(b->ignore, whole))
		return PACK_IT;
	return b->may_return ? PACK_NOT : PACK_NOTHING_BELOW;
}

static bool dockerfile_copy_may_return(const struct dockerfile_ignore *ignore)
{
	for (size_t i = 0; i < ignore->patterns.count; i++) {
		if (*ignore->patterns.items[i] == '!')
			return true;
	}
	return false;
}

/* An ignored directory may contain entries that are not ignored. */
static bool dockerfile_copy_is_ignored(const struct dockerfile_copy *c, const char *path,
				       bool is_directory)
{
	return c->ignore && *path && dockerfile_ignore_has(c->ignore, path) &&
	       !(is_directory && dockerfile_copy_may_return(c->ignore));
}

static int dockerfile_copy_add_directory(const struct dockerfile_copy *c, const char *path, int fd,
					 const struct packing *packing, struct err *e)
{
	struct below below = {.ignore = c->ignore, .source = path};
	struct packing chosen = *packing;

	if (pack_alone(packing, fd, ".", e))
		return -1;
	if (c->ignore) {
		below.may_return = dockerfile_copy_may_return(c->ignore);
		chosen.choose = dockerfile_copy_choose;
		chosen.context = &below;
	}
	return pack_tree(&chosen, fd, e);
}

/* Add one file or directory. */
static int dockerfile_copy_add(const struct dockerfile_copy *c, const char *path,
			       struct packing *packing, struct err *e)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	auto_fd int fd = dockerfile_copy_open_source(c, path, &st, e);

	if (fd < 0)
		return -1;
	if (dockerfile_copy_is_ignored(c, path, S_ISDIR(st.st_mode)))
		return err_input(e, "\"%.200s\" is left out by .dockerignore", path);
	return S_ISDIR(st.st_mode) ? dockerfile_copy_add_directory(c, path, fd, packing, e)
				   : pack_alone(packing, fd, slash ? slash + 1 : path, e);
}

static size_t dockerfile_copy_depth(const char *path)
{
	size_t depth = 1;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

/* Find all paths that match a pattern, without following links on the way. */
static int dockerfile_copy_find(const struct dockerfile_copy *c, const char *pattern,
				struct list *out, struct err *e)
{
	auto_fd int root = openat(c->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_walk struct walk w = {.room = SIZE_MAX};
	size_t depth = dockerfile_copy_depth(pattern);

	if (root < 0 || walk_begin(&w, root, -1, ""))
		return err_sys(e, "read the context");
	while (walk_next(&w) > 0) {
		struct stat st;

		if (interrupt_check(e))
			return -1;

		if (w.depth == depth) {
			if (!dockerfile_match(pattern, w.path) ||
			    dockerfile_copy_is_ignored(c, w.path, true))
				continue;
			if (out->count == MATCHES_MAX)
				return err_input(e, "\"%.200s\" means more than %d files", pattern,
						 MATCHES_MAX);
			list_add(out, w.path);
		} else if (!fstatat(w.dir_fd, w.name, &st, AT_SYMLINK_NOFOLLOW) &&
			   S_ISDIR(st.st_mode)) {
			(void)walk_enter(&w, walk_open(&w), -1);
		}
	}
	return out->count ? 0 : err_input(e, "\"%.200s\" means no file", pattern);
}

/* Find the paths of a source. */
static int dockerfile_copy_resolve(const struct dockerfile_copy *c, const char *source,
				   struct list *out, struct err *e)
{
	auto_free char *path = dockerfile_clean(source, c->is_root);

	if (!path)
		return err_input(e, "\"%.200s\" leads out of the context", source);
	if (dockerfile_is_pattern(path))
		return dockerfile_copy_find(c, path, out, e);
	list_add(out, path);
	return 0;
}

static int dockerfile_copy_resolve_all(const struct dockerfile_copy *c, struct list *out,
				       struct err *e)
{
	for (size_t i = 0; i < c->sources->count; i++) {
		if (dockerfile_copy_resolve(c, c->sources->items[i], out, e))
			return -1;
	}
	return 0;
}

/* Add a file whose content the Dockerfile contains. */
static int dockerfile_copy_add_inline(const struct heredoc *h, struct writer *w,
				      struct digest *digest, struct err *e)
{
	const struct entry entry = {
		.type = ENTRY_FILE, .path = h->name, .mode = 0644, .size = strlen(h->text)};

	if (digest) {
		auto_free char *head =
			own_printf("inline %zu %zu ", strlen(h->name), strlen(h->text));

		digest_add(digest, head, strlen(head));
		digest_add(digest, h->name, strlen(h->name));
		digest_add(digest, h->text, strlen(h->text));
	}
	return writer_entry(w, &entry, e) || writer_data(w, h->text, strlen(h->text), e) ? -1 : 0;
}

int dockerfile_copy_pack(const struct dockerfile_copy *c, int out_fd, struct digest *digest,
			 struct err *e)
{
	auto_writer struct writer *w = writer_open(WRITER_PLAIN, dockerfile_copy_sink, &out_fd, e);
	auto_list struct list paths = {0};

	if (!w || dockerfile_copy_resolve_all(c, &paths, e))
		return -1;
	for (size_t i = 0; i < paths.count; i++) {
		struct packing packing = {.out = w, .digest = digest, .room = c->room};

		if (dockerfile_copy_add(c, paths.items[i], &packing, e))
			return -1;
	}
	for (size_t i = 0; i < c->inline_count; i++) {
		if (dockerfile_copy_add_inline(&c->inlines[i], w, digest, e))
			return -1;
	}
	return writer_finish(w, e) ? -1 : (int)(paths.count + c->inline_count);
}

int dockerfile_copy_open_file(const struct dockerfile_copy *c)
{
	auto_list struct list paths = {0};
	auto_fd int fd = -1;
	struct err ignored;
	struct stat st;

	if (dockerfile_copy_resolve_all(c, &paths, &ignored) || paths.count != 1)
		return -1;
	fd = dockerfile_copy_open_source(c, paths.items[0], &st, &ignored);
	return fd >= 0 && S_ISREG(st.st_mode) ? take_fd(&fd) : -1;
}
