/*
 * root_open - have the root of a sandbox that stays at hand, whether it runs or has ended.
 */
#include "container/root_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "cli/command.h"
#include "cli/run.h"
#include "monitor/layer.h"
#include "monitor/reopen.h"
#include "record/record_remove.h"

#define DEFAULT_BYTES (64 << 20) /* room for the changes of a root that had none */
#define ROOM          4          /* in memory, of a layer: 4 KiB for a file that has 1 KiB there */

char *root_path(const char *text)
{
	return *text == '/' ? own_strdup(text) : own_printf("/%s", text);
}

bool root_is_writable(const struct record *r)
{
	return json_get(r->what, "writable");
}

/*
 * Mover alone runs there, and a flag would meet the administrator's ceilings (spec/policy.h). What
 * is written is memory, which stays limited.
 */
static void root_open_lift_limits(struct sandbox_spec *spec, enum root_use use)
{
	struct limits *l = &spec->limits;

	if (use != ROOT_WRITTEN)
		l->memory_bytes = SPEC_UNLIMITED;
	l->pids = l->cpu_quota_us = SPEC_UNLIMITED;
	l->cpu_time_ms = l->wall_time_ms = SPEC_UNLIMITED;
	l->cpuset = NULL;
	spec->rlimits[RLIMIT_FSIZE].set = spec->rlimits[RLIMIT_CPU].set = false;
}

/* The image alone, with room for what was changed. @layer: -1: nothing was. */
static int root_open_read_image(const struct record *r, int layer, struct sandbox_spec *spec,
				struct presentation *show, struct err *e)
{
	const char *image = json_string_at(r->what, "image");
	auto_free char *room =
		own_printf("--writable=%" PRIu64, json_uint_at(r->what, "writable", DEFAULT_BYTES));
	char *words[] = {(char *)"run", room, (char *)image, (char *)"true", NULL};
	const bool docker = invoked_as_docker();
	struct stat st = {0};
	int bad;

	if (!image)
		return err_input(e, "the record of %.100s names no image", record_name(r));
	spec->stays = true;
	spec->shows = ROOT_SHOWS_LASTING;
	invoke_as_docker(false);
	bad = run_parse(sizeof(words) / sizeof(words[0]) - 1, words, NULL, spec, show, e);
	invoke_as_docker(docker);
	if (!bad && layer >= 0 && !fstat(layer, &st))
		spec->writable_bytes += ROOM * (uint64_t)st.st_size;
	return bad;
}

/* Its programs alone need the network, and a stage, whose files have been collected. */
static void root_open_take_away(struct sandbox_spec *spec)
{
	size_t count = 0;

	for (size_t i = 0; i < spec->mount_count; i++) {
		if (spec->mounts[i].kind != MOUNT_STAGE)
			spec->mounts[count++] = spec->mounts[i];
	}
	spec->mount_count = count;
	spec->egress.has_list = spec->publish_all = false;
	spec->egress.rule_count = spec->egress.published_count = 0;
	spec->interactive = spec->tty = false;
	spec->code_file = NULL;
	spec->shows = ROOT_SHOWS_LASTING;
}

/* The sandbox as it would start. */
static int root_open_read_words(const struct record *r, struct list *words,
				struct sandbox_spec *spec, struct presentation *show, struct err *e)
{
	auto_fd int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int bad = here < 0 ? err_sys(e, "open the current directory")
			   : start_parse(r, NULL, words, spec, show, e);

	if (here >= 0 && fchdir(here) && !bad)
		bad = err_sys(e, "return to the current directory");
	if (!bad)
		root_open_take_away(spec);
	return bad;
}

static int root_open_again(struct open_root *o, enum root_use use, struct err *e)
{
	struct record *r = o->record;
	auto_fd int layer = root_is_writable(r) ? layer_open(r->dir) : -1;
	struct presentation show = {0};
	int bad = use == ROOT_TOLD ? root_open_read_image(r, layer, &o->spec, &show, e)
				   : root_open_read_words(r, &o->words, &o->spec, &show, e);

	presentation_fini(&show);
	if (bad)
		return -1;
	root_open_lift_limits(&o->spec, use);
	o->as_it_starts = o->spec;
	o->as_it_starts.shows = ROOT_SHOWS_ALL;
	return reopen(&o->spec, layer, &r->reopened, e) ||
			       (use == ROOT_WRITTEN && reopen(&o->as_it_starts, -1, &o->trial, e))
		       ? -1
		       : 0;
}

/* One that has ended neither starts nor goes while the record is open and the lock is held. */
static int root_open_lock(struct open_root *o, struct err *e)
{
	struct record *r = o->record;
	auto_record struct record now = {.dir = -1};

	if (record_lock_update(r, e))
		return -1;
	if (!record_read_id(r->id, &now))
		return err_set(e, ERR_NOT_FOUND, "No such container: %.100s", record_name(r));
	r->state = now.state;
	if (record_runs(r))
		return 0;
	o->lock = record_lock(r);
	if (o->lock < 0)
		return errno == ENOENT ? err_set(e, ERR_NOT_FOUND, "No such container: %.100s",
						 record_name(r))
				       : err_set(e, ERR_BUSY, "%.100s is being removed or renamed",
						 record_name(r));
	return 0;
}

/* Whether it can be used as it is. */
static bool root_open_is_there(const struct record *r, enum root_use use)
{
	return r->is_session || (record_runs(r) && (use != ROOT_TOLD || root_is_writable(r)));
}

int root_open(struct record *r, enum root_use use, struct open_root *out, struct err *e)
{
	struct err ignored;

	*out = (struct open_root){.record = r, .lock = -1};
	spec_init(&out->spec);
	if (root_open_is_there(r, use))
		return 0;
	if ((use != ROOT_WRITTEN || !root_open_lock(out, e)) &&
	    (root_open_is_there(r, use) || !root_open_again(out, use, e)))
		return 0;
	(void)root_close(out, false, &ignored);
	return -1;
}

int root_close(struct open_root *o, bool keep, struct err *e)
{
	struct reopened *reopened = o->record->reopened;
	struct err ignored;
	int bad = 0;

	o->record->reopened = NULL;
	if (reopened)
		bad = reopened_end(reopened, keep && o->trial ? o->record->dir : -1, o->trial, e);
	if (o->trial)
		(void)reopened_end(o->trial, -1, NULL, &ignored);
	spec_fini(&o->spec);
	list_fini(&o->words);
	own_close(&o->lock);
	return bad;
}
