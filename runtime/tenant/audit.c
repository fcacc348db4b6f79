/*
 * audit - a record of every execution: its key, its code, its end.
 */
#include "tenant/audit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "image/image.h"

#define LINE_MOST  4096 /* bytes of one line */
#define ROOM_BYTES 65536
#define ERROR_MOST 300 /* bytes of an error's text; JSON may need six for each */

struct audit {
	char *text; /* owned */
	struct written_path path;
	char *image;
	char *image_digest;
	int fd;          /* owned; -1: reopening failed */
	bool is_torn;    /* the last line is incomplete */
	bool is_broken;  /* the last write failed */
	uint64_t lost;   /* lines lost since the last successful write */
	uint64_t due;    /* lines owed for running executions */
	uint64_t size;   /* of the file, at the last look */
	uint64_t backed; /* up to this offset fallocate(2) has reserved blocks */
};

/* -- lines ----------------------------------------------------------------------------------- */

static void audit_begin_line(struct audit *a, struct buf *line, const char *event)
{
	char now[CLOCK_UTC_SIZE];

	clock_utc_ms(now);
	if (a->is_torn)
		buf_text(line, "\n");
	json_put_begin(line, NULL, '{');
	json_put_text(line, "event", event);
	json_put_text(line, "time", now);
}

static int audit_end_line(struct audit *a, struct buf *line, struct err *e)
{
	ssize_t n;

	json_put_end(line, '}');
	buf_text(line, "\n");
	n = write(a->fd, line->data, line->length);
	if (n == (ssize_t)line->length) {
		a->is_torn = a->is_broken = false;
		return 0;
	}
	a->is_torn = a->is_torn || n > 0;
	a->is_broken = true;
	errno = n >= 0 ? ENOSPC : errno;
	return err_sys(e, "write to %s", a->path.text);
}

static int audit_say_opened(struct audit *a, struct err *e)
{
	auto_buf struct buf line = {0};

	audit_begin_line(a, &line, "opened");
	json_put_text(&line, "glovebox_version", GLOVEBOX_VERSION);
	json_put_uint(&line, "pid", (uint64_t)getpid());
	json_put_text(&line, "image", a->image);
	json_put_text(&line, "image_digest", a->image_digest);
	return audit_end_line(a, &line, e);
}

static int audit_say_resumed(struct audit *a, struct err *e)
{
	auto_buf struct buf line = {0};

	audit_begin_line(a, &line, "resumed");
	json_put_uint(&line, "lost", a->lost);
	if (audit_end_line(a, &line, e))
		return -1;
	a->lost = 0;
	return 0;
}

/* -- the file -------------------------------------------------------------------------------- */

/* Open without waiting: a FIFO without a reader is an error. */
int audit_reopen(struct audit *a, struct err *e)
{
	own_close(&a->fd);
	a->fd = trusted_path_write(a->path, LINKS_OF_CALLER, O_APPEND | O_NONBLOCK, 0600, e);
	a->is_torn = false;
	a->backed = 0;
	return a->fd < 0 ? -1 : audit_say_opened(a, e);
}

int audit_open(struct written_path path, const char *image, struct audit **out, struct err *e)
{
	struct audit *a = own_zeroed(1, sizeof(*a));
	struct image opened;

	a->fd = -1;
	a->path.text = a->text = own_strdup(path.text);
	a->image = own_strdup(image);
	signal(SIGXFSZ, SIG_IGN);
	if (!image_open(image, &opened, e)) {
		a->image_digest = own_strdup(opened.config.id);
		image_close(&opened);
		if (!audit_reopen(a, e)) {
			*out = a;
			return 0;
		}
	}
	audit_close(a);
	return -1;
}

void audit_close(struct audit *a)
{
	if (!a)
		return;
	own_close(&a->fd);
	free(a->text);
	free(a->image);
	free(a->image_digest);
	free(a);
}

/* The file was unlinked: its lines are lost when we exit. */
static bool audit_is_gone(const struct audit *a, struct stat *st)
{
	return a->fd < 0 || fstat(a->fd, st) || (S_ISREG(st->st_mode) && !st->st_nlink);
}

static int audit_back(struct audit *a, const struct stat *st, struct err *e)
{
	const uint64_t size = (uint64_t)st->st_size;
	const uint64_t need = (a->due + 1) * LINE_MOST;

	if (size < a->size) /* truncate(2) freed reserved blocks */
		a->backed = 0;
	a->size = size;
	if (!S_ISREG(st->st_mode) || size + need <= a->backed)
		return 0;
	if (fallocate(a->fd, FALLOC_FL_KEEP_SIZE, st->st_size, (off_t)(need + ROOM_BYTES)) &&
	    errno != EOPNOTSUPP && errno != ENOSYS)
		return err_sys(e, "make room in %s", a->path.text);
	a->backed = size + need + ROOM_BYTES;
	return 0;
}

/* -- executions ------------------------------------------------------------------------------ */

int audit_admit(struct audit *a, struct err *e)
{
	struct stat st;

	if (audit_is_gone(a, &st)) {
		if (audit_reopen(a, e))
			return -1;
		if (audit_is_gone(a, &st))
			return err_set(e, ERR_SYSTEM, "%s disappears", a->path.text);
	}
	if ((a->is_broken || a->lost) && audit_say_resumed(a, e))
		return -1;
	if (audit_back(a, &st, e))
		return -1;
	a->due++;
	return 0;
}

void audit_forget(struct audit *a)
{
	a->due--;
}

static void audit_put_limit(struct buf *line, const char *key, uint64_t value)
{
	if (value == SPEC_UNLIMITED)
		json_put_null(line, key);
	else
		json_put_uint(line, key, value);
}

static void audit_put_limits(struct buf *line, const struct audit_record *record)
{
	const struct limits *l = &record->limits;

	json_put_begin(line, "limits", '{');
	if (!record->is_call) { /* a call shares the limits of its session */
		audit_put_limit(line, "memory_bytes", l->memory_bytes);
		audit_put_limit(line, "pids", l->pids);
		audit_put_limit(line, "cpus_milli", record->asked.cpus_milli);
		audit_put_limit(line, "cpu_time_ms", l->cpu_time_ms);
	}
	audit_put_limit(line, "wall_time_ms", l->wall_time_ms);
	audit_put_limit(line, "output_bytes", l->output_bytes);
	json_put_end(line, '}');
}

static void audit_put_verdict(struct buf *line, const struct verdict *v, bool is_call)
{
	json_put_text(line, "verdict", verdict_name(v->kind));
	json_put_int(line, "exit_code", v->exit_code);
	if (!is_call) { /* usage is measured for the session as a whole */
		json_put_uint(line, "cpu_ms", v->cpu_us / 1000);
		json_put_uint(line, "memory_peak_bytes", v->memory_peak_bytes);
	}
	json_put_uint(line, "duration_ms", v->duration_us / 1000);
}

int audit_write(struct audit *a, const struct audit_record *record, const struct verdict *verdict,
		const struct err *failure, struct err *e)
{
	auto_buf struct buf line = {0};

	a->due--;
	audit_begin_line(a, &line, "execution");
	json_put_text(&line, "request_id", record->request_id);
	json_put_text(&line, "key", record->key);
	json_put_text(&line, "key_id", record->key_id);
	json_put_text(&line, "operation", record->operation);
	if (*record->session)
		json_put_text(&line, "session", record->session);
	json_put_text(&line, "code_sha256", *record->code_sha256 ? record->code_sha256 : NULL);
	json_put_text(&line, "image", a->image);
	json_put_text(&line, "image_digest", a->image_digest);
	audit_put_limits(&line, record);
	if (verdict) {
		audit_put_verdict(&line, verdict, record->is_call);
	} else {
		json_put_null(&line, "verdict");
	}
	if (!verdict && failure)
		json_put_bytes(&line, "error", failure->text, strnlen(failure->text, ERROR_MOST));
	if (a->fd >= 0 && !audit_end_line(a, &line, e))
		return 0;
	if (a->fd < 0)
		err_set(e, ERR_SYSTEM, "%s is not open", a->path.text);
	a->lost++;
	return -1;
}
