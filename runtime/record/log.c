/*
 * log - what the program of a sandbox that stays has printed.
 */
#include "record/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/state_file.h"

#define LOG_FILE  "log"
#define LOG_OLD   "log.old"
#define HEAD_MAX  48
#define PIECE_MAX (1u << 20)

/* -- writing --------------------------------------------------------------------------------- */

static int log_create(int dir)
{
	return state_file_open(dir, LOG_FILE, O_WRONLY | O_CREAT | O_APPEND);
}

static uint64_t log_whole_bytes(int dir);

/* Without a piece that was cut: what follows one cannot be read. */
static int log_cut(const struct log *l)
{
	return ftruncate(l->fd, (off_t)l->written);
}

int log_begin(struct log *l, int dir, uint64_t most, struct err *e)
{
	struct stat st;

	*l = (struct log){.dir = dir, .most = most, .fd = log_create(dir)};
	if (l->fd < 0 || fstat(l->fd, &st))
		return err_sys(e, "make the file " LOG_FILE " of the sandbox");
	if (st.st_size) /* of a sandbox that has started anew */
		l->written = log_whole_bytes(dir);
	return log_cut(l) ? err_sys(e, "go on with the log of the sandbox") : 0;
}

/* A reader that follows has the old file open, and goes on with the new one. */
static void log_rotate(struct log *l)
{
	own_close(&l->fd);
	if (!renameat(l->dir, LOG_FILE, l->dir, LOG_OLD))
		l->fd = log_create(l->dir);
	l->written = 0;
}

/* A disk that was full may have room again. */
static void log_open_again(struct log *l)
{
	struct stat st = {0};

	l->fd = log_create(l->dir);
	if (l->fd >= 0 && !fstat(l->fd, &st))
		l->written = (uint64_t)st.st_size;
}

static void log_add_piece(struct log *l, int stream, const char *bytes, size_t length)
{
	struct timespec now;
	auto_buf struct buf piece = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	buf_printf(&piece, "%llu %d %zu\n",
		   (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec,
		   stream, length);
	buf_add(&piece, bytes, length);
	if (l->fd < 0)
		log_open_again(l);
	if (l->written && l->written + piece.length > l->most / 2)
		log_rotate(l);
	if (l->fd < 0 || io_write_all(l->fd, piece.data, piece.length)) {
		l->error = errno;
		(void)log_cut(l);
	} else {
		l->written += piece.length;
	}
}

/* A piece is not larger than a file may be. */
void log_add(struct log *l, int stream, const char *bytes, size_t length)
{
	const uint64_t room = l->most / 2 > 2 * HEAD_MAX ? l->most / 2 - HEAD_MAX : HEAD_MAX;
	const size_t most = room < PIECE_MAX ? (size_t)room : PIECE_MAX;

	for (size_t n; length; bytes += n, length -= n) {
		n = length < most ? length : most;
		log_add_piece(l, stream, bytes, n);
	}
}

void log_end(struct log *l)
{
	own_close(&l->fd);
}

/* -- reading --------------------------------------------------------------------------------- */

struct log_reader {
	int dir; /* borrowed */
	struct log_wish wish;
	int fd;            /* owned; -1: no file yet */
	uint64_t skip;     /* lines that are not in the tail */
	bool amid_line[3]; /* of each stream: the next byte continues a line */
	struct buf rest;   /* read, and no whole piece yet */
};

struct piece {
	uint64_t time_ns;
	int stream;
	const char *bytes;
	size_t length;
};

/* "TIME STREAM LENGTH", up to a newline that is there. -1: something else. */
static int log_parse_head(const char *head, unsigned long long *time_ns, int *stream,
			  unsigned long *length)
{
	char *end;

	*time_ns = strtoull(head, &end, 10);
	if (*end != ' ')
		return -1;
	*stream = (int)strtol(end + 1, &end, 10);
	if (*end != ' ')
		return -1;
	*length = strtoul(end + 1, &end, 10);
	return *end == '\n' ? 0 : -1;
}

/* Take the piece at the beginning; how many bytes it has; 0: it is not whole yet. */
static size_t log_parse(const struct buf *b, size_t at, struct piece *out)
{
	const char *begin = b->data + at;
	const char *line = b->length > at ? memchr(begin, '\n', b->length - at) : NULL;
	unsigned long long time_ns;
	unsigned long length;

	if (!line || line - begin > HEAD_MAX ||
	    log_parse_head(begin, &time_ns, &out->stream, &length) || length > PIECE_MAX ||
	    out->stream < 1 || out->stream > 2 || (size_t)(b->data + b->length - line - 1) < length)
		return 0;
	out->time_ns = time_ns;
	out->bytes = line + 1;
	out->length = length;
	return (size_t)(line + 1 - begin) + length;
}

static bool log_is_wanted(const struct log_reader *r, const struct piece *p)
{
	return p->time_ns / 1000000 >= r->wish.since_ms && p->time_ns / 1000000 < r->wish.until_ms;
}

static int log_print_time(int stream, uint64_t time_ns)
{
	const time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm tm;
	char text[48];
	size_t n = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &tm));

	n += (size_t)snprintf(text + n, sizeof(text) - n, ".%09uZ ",
			      (unsigned)(time_ns % 1000000000));
	return io_write_all(stream, text, n);
}

/* One line, or the part of one that the piece has. */
static int log_print_line(struct log_reader *r, const struct piece *p, const char *line,
			  size_t length)
{
	bool amid = r->amid_line[p->stream];

	r->amid_line[p->stream] = line[length - 1] != '\n';
	if (r->skip) {
		r->skip -= !r->amid_line[p->stream];
		return 0;
	}
	if (!amid && r->wish.times && log_print_time(p->stream, p->time_ns))
		return -1;
	return io_write_all(p->stream, line, length);
}

static int log_print(struct log_reader *r, const struct piece *p)
{
	const char *at = p->bytes;
	const char *end = p->bytes + p->length;

	if (!r->skip && !r->wish.times && p->length) { /* all of it, at once */
		r->amid_line[p->stream] = end[-1] != '\n';
		return io_write_all(p->stream, p->bytes, p->length);
	}
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((newline ? newline + 1 : end) - at);

		if (log_print_line(r, p, at, length))
			return -1;
		at += length;
	}
	return 0;
}

static unsigned log_count_lines(const struct piece *p)
{
	unsigned lines = 0;

	for (size_t i = 0; i < p->length; i++)
		lines += p->bytes[i] == '\n';
	return lines;
}

/* Whole pieces go to @take; what is left stays in r->rest. */
static int log_take_pieces(struct log_reader *r,
			   int (*take)(struct log_reader *, const struct piece *))
{
	struct piece p;
	size_t at = 0;
	size_t n;
	int bad = 0;

	while (!bad && (n = log_parse(&r->rest, at, &p))) {
		if (log_is_wanted(r, &p))
			bad = take(r, &p);
		at += n;
	}
	if (at) {
		memmove(r->rest.data, r->rest.data + at, r->rest.length - at);
		buf_cut(&r->rest, r->rest.length - at);
	}
	return bad;
}

/*
 * From where the descriptor is to the end of its file; or to what is not a piece, however much
 * follows it.
 */
static int log_read_file(struct log_reader *r,
			 int (*take)(struct log_reader *, const struct piece *))
{
	char bytes[65536];
	ssize_t n;

	while (r->fd >= 0 && r->rest.length <= HEAD_MAX + PIECE_MAX &&
	       (n = read(r->fd, bytes, sizeof(bytes))) > 0) {
		buf_add(&r->rest, bytes, (size_t)n);
		if (log_take_pieces(r, take))
			return -1;
	}
	return 0;
}

static void log_open_file(struct log_reader *r, const char *name)
{
	own_close(&r->fd);
	buf_cut(&r->rest, 0);
	r->fd = state_file_open(r->dir, name, O_RDONLY);
}

static int log_pass_piece(struct log_reader *r, const struct piece *p)
{
	(void)r, (void)p;
	return 0;
}

static uint64_t log_whole_bytes(int dir)
{
	struct log_reader r = {.dir = dir, .wish.until_ms = UINT64_MAX, .fd = -1};
	off_t whole;

	log_open_file(&r, LOG_FILE);
	(void)log_read_file(&r, log_pass_piece);
	whole = lseek(r.fd, 0, SEEK_CUR) - (off_t)r.rest.length;
	own_close(&r.fd);
	buf_fini(&r.rest);
	return whole > 0 ? (uint64_t)whole : 0;
}

static int log_count_piece(struct log_reader *r, const struct piece *p)
{
	r->skip += log_count_lines(p);
	r->amid_line[p->stream] = p->length && p->bytes[p->length - 1] != '\n';
	return 0;
}

/* Both files, the older first; then the descriptor is at the end of the newer. */
static int log_read_all(struct log_reader *r,
			int (*take)(struct log_reader *, const struct piece *))
{
	int bad;

	log_open_file(r, LOG_OLD);
	bad = log_read_file(r, take);
	log_open_file(r, LOG_FILE);
	return bad || log_read_file(r, take) ? -1 : 0;
}

struct log_reader *log_read_open(int dir, const struct log_wish *wish)
{
	struct log_reader *r = own_zeroed(1, sizeof(*r));

	*r = (struct log_reader){.dir = dir, .wish = *wish, .fd = -1};
	if (wish->tail != UINT64_MAX) {
		(void)log_read_all(r, log_count_piece);
		r->skip += r->amid_line[1] + r->amid_line[2];
		r->amid_line[1] = r->amid_line[2] = false;
		r->skip = r->skip > wish->tail ? r->skip - wish->tail : 0;
		own_close(&r->fd);
	}
	return r;
}

/* Whether the file that we read is the one that is written. */
static bool log_is_current(const struct log_reader *r)
{
	struct stat ours;
	struct stat named;

	return fstatat(r->dir, LOG_FILE, &named, AT_SYMLINK_NOFOLLOW) ||
	       (!fstat(r->fd, &ours) && ours.st_ino == named.st_ino);
}

int log_read(struct log_reader *r)
{
	if (r->fd < 0)
		return log_read_all(r, log_print);
	for (;;) {
		const bool current = log_is_current(r); /* before the rest is read */

		if (log_read_file(r, log_print))
			return -1;
		if (current)
			return 0;
		log_open_file(r, LOG_FILE);
	}
}

void log_read_close(struct log_reader *r)
{
	own_close(&r->fd);
	buf_fini(&r->rest);
	free(r);
}
