/*
 * setup_plan - what root does so that an ordinary user has limits and can build images, as data.
 */
#include "cli/setup_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/cgroup_given.h"
#include "host/subid_file.h"

#define NOTE_SUBIDS "# subordinate ids: "
#define NOTE_LINGER "# lingering"

#define ALL         (~0u)
#define CPUSET      (1u << CGROUP_CPUSET)

const char *const setup_hierarchies[] = {"memory", "pids",    "cpu", "cpuacct",
					 "cpuset", "freezer", NULL};

/* In each hierarchy that there is and `which` has a bit for: TOP, and what is behind it. */
static void setup_plan_tops(const struct setup_facts *f, unsigned which, bool in_slice,
			    const char *behind, struct list *out)
{
	char top[128];

	for (unsigned i = 0; setup_hierarchies[i]; i++) {
		if (!(f->hierarchies & which & (1u << i)))
			continue;
		cgroup_given_top((enum cgroup_controller)i, f->uid, in_slice, top, sizeof(top));
		list_addf(out, "/sys/fs/cgroup/%s/%s%s", setup_hierarchies[i], top, behind);
	}
}

/* Where nothing runs yet a command is for whoever starts that system. */
static struct setup_step *setup_plan_run(const struct setup_facts *f, struct setup_steps *p,
					 const char *const *words)
{
	return setup_steps_command(p, f->is_elsewhere ? SETUP_LATER : SETUP_RUN, words);
}
#define RUN(facts, plan, ...) setup_plan_run(facts, plan, (const char *const[]){__VA_ARGS__, NULL})

char *setup_plan_path(enum setup_file file, uid_t uid)
{
	return file == SETUP_TMPFILES
		       ? own_printf("/etc/tmpfiles.d/glovebox-user-%u.conf", uid)
		       : own_printf("/etc/systemd/system/user@%u.service.d/glovebox.conf", uid);
}

/* -- what the file tells --------------------------------------------------------------------- */

/* The range that a file of ours tells of, if the user still has it; 0: none. */
static uint32_t setup_plan_subids_in(const struct setup_facts *f, const char *file)
{
	const char *note = file ? strstr(file, NOTE_SUBIDS) : NULL;
	const uint32_t first = note ? (uint32_t)strtoul(note + strlen(NOTE_SUBIDS), NULL, 10) : 0;
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", f->uid);
	for (int i = 0; i < 2 && first; i++)
		if (subid_file_has(f->subids[i], f->user, uid, first))
			return first;
	return 0;
}

/* The file of an earlier glovebox counts as well. */
static uint32_t setup_plan_noted_subids(const struct setup_facts *f)
{
	const uint32_t first = setup_plan_subids_in(f, f->former[SETUP_DROP_IN]);

	return first ? first : setup_plan_subids_in(f, f->former[SETUP_TMPFILES]);
}

static bool setup_plan_noted_linger(const struct setup_facts *f)
{
	for (int i = 0; i < SETUP_FILES; i++)
		if (f->lingers && f->former[i] && strstr(f->former[i], NOTE_LINGER))
			return true;
	return false;
}

static void setup_plan_note_subids(uint32_t first, struct buf *out)
{
	if (first)
		buf_printf(out, NOTE_SUBIDS "%u-%u\n", first, first + SUBIDS_COUNT - 1);
}

/* How it begins: with what still holds of what former ones tell. */
static void setup_plan_begin(const struct setup_facts *f, struct buf *out)
{
	buf_printf(out, SETUP_MARK " %s; \"--undo\" takes it back.\n", f->user);
	setup_plan_note_subids(setup_plan_noted_subids(f), out);
	if (setup_plan_noted_linger(f))
		buf_text(out, NOTE_LINGER "\n");
}

static void setup_plan_write(const struct setup_facts *f, const struct buf *content,
			     struct setup_steps *p)
{
	struct setup_step *step =
		setup_steps_add(p, SETUP_WRITE, setup_plan_path(SETUP_DROP_IN, f->uid));

	step->content = own_strdup(buf_string(content));
}

/* A step that would take back the one before becomes the record of that one. */
static void setup_plan_record(const struct setup_facts *f, struct setup_step *back,
			      const char *line)
{
	back->kind = SETUP_RECORD;
	back->follows = true;
	back->text = setup_plan_path(SETUP_DROP_IN, f->uid);
	back->content = own_strdup(line);
}

/* The file of an earlier glovebox: what it told stands in the other one by now. */
static void setup_plan_remove_tmpfiles(const struct setup_facts *f, struct setup_steps *p)
{
	if (f->former[SETUP_TMPFILES])
		setup_steps_add(p, SETUP_REMOVE, setup_plan_path(SETUP_TMPFILES, f->uid));
}

/* -- commands that come in pairs ------------------------------------------------------------- */

static struct setup_step *setup_plan_subids(const struct setup_facts *f, uint32_t first, bool give,
					    struct setup_steps *p)
{
	auto_free char *range = own_printf("%u-%u", first, first + SUBIDS_COUNT - 1);

	return RUN(f, p, "usermod", give ? "--add-subuids" : "--del-subuids", range,
		   give ? "--add-subgids" : "--del-subgids", range, f->user);
}

static struct setup_step *setup_plan_linger(const struct setup_facts *f, bool give,
					    struct setup_steps *p)
{
	return RUN(f, p, "loginctl", give ? "enable-linger" : "disable-linger", f->user);
}

static void setup_plan_reload(const struct setup_facts *f, bool optional, struct setup_steps *p)
{
	if (f->has_systemd && !f->is_elsewhere)
		RUN(f, p, "systemctl", "daemon-reload")->optional = optional;
}

/* -- doing ----------------------------------------------------------------------------------- */

/* Before anything runs for the user: who is busy cannot be taken ids from (usermod(8)). */
static void setup_plan_give_subids(const struct setup_facts *f, struct setup_steps *p)
{
	auto_buf struct buf line = {0};

	if (f->has_subids || !f->free_subid)
		return;
	setup_plan_subids(f, f->free_subid, true, p)->optional = true;
	if (f->is_elsewhere)
		return;
	setup_plan_note_subids(f->free_subid, &line);
	setup_plan_record(f, setup_plan_subids(f, f->free_subid, false, p), buf_string(&line));
}

static void setup_plan_give_linger(const struct setup_facts *f, struct setup_steps *p)
{
	if (f->lingers)
		return;
	setup_plan_linger(f, true, p);
	if (!f->is_elsewhere)
		setup_plan_record(f, setup_plan_linger(f, false, p), NOTE_LINGER "\n");
}

/* A cpuset takes no process before it has CPUs and memory nodes: those of the one above. */
static void setup_plan_fill_cpuset(const struct setup_facts *f, struct setup_steps *p)
{
	struct setup_step *step = RUN(f, p, "cp", "/sys/fs/cgroup/cpuset/cpuset.cpus",
				      "/sys/fs/cgroup/cpuset/cpuset.mems");

	setup_plan_tops(f, CPUSET, false, "", &step->words);
	step = RUN(f, p, "cp");
	setup_plan_tops(f, CPUSET, false, "/cpuset.cpus", &step->words);
	setup_plan_tops(f, CPUSET, false, "/cpuset.mems", &step->words);
	setup_plan_tops(f, CPUSET, false, "/" CGROUP_GIVEN_USER, &step->words);
}

/* The groups of v1. Only the user's directory and what moves processes into it become the user's.
 */
static void setup_plan_make_groups(const struct setup_facts *f, bool in_slice,
				   struct setup_steps *p)
{
	static const char *const theirs[] = {"", "/tasks", "/cgroup.procs"};
	struct setup_step *step = RUN(f, p, "mkdir", "-p", "-m", "711");

	setup_plan_tops(f, ALL, in_slice, "/" CGROUP_GIVEN_USER, &step->words);
	step = RUN(f, p, "chown");
	list_addf(&step->words, "%u:%u", f->uid, f->gid);
	for (int i = 0; i < 3; i++) {
		auto_free char *behind = own_printf("/" CGROUP_GIVEN_USER "%s", theirs[i]);

		setup_plan_tops(f, ALL, in_slice, behind, &step->words);
	}
	if (f->hierarchies & CPUSET)
		setup_plan_fill_cpuset(f, p);
}

/* Groups that an earlier glovebox gave with their limits: root takes the limits back. */
static void setup_plan_take_old_groups(const struct setup_facts *f, struct setup_steps *p)
{
	if (!(f->hierarchies & f->old_groups) || f->is_elsewhere)
		return;
	setup_plan_tops(f, f->old_groups, false, "", &RUN(f, p, "chown", "-R", "0:0")->words);
}

/* Those at the top of a hierarchy. One in which something runs stays until the next boot. */
static void setup_plan_remove_groups(const struct setup_facts *f, unsigned which,
				     const char *behind, struct setup_steps *p)
{
	auto_list struct list groups = {0};

	setup_plan_tops(f, which, false, behind, &groups);
	for (size_t i = 0; i < groups.count && !f->is_elsewhere; i++)
		RUN(f, p, "rmdir", groups.items[i])->optional = true;
}

/* Whenever the user's own systemd starts: its groups, which end with it, are made before. */
static void setup_plan_make_groups_later(const struct setup_facts *f, struct buf *out)
{
	auto_setup_steps struct setup_steps p = {0};

	/* Where a user's rights are dropped systemd enables no controller for delegation alone. */
	buf_text(out, "MemoryAccounting=yes\nTasksAccounting=yes\nCPUAccounting=yes\n");
	setup_plan_make_groups(f, true, &p);
	for (size_t i = 0; i < p.count; i++) {
		buf_text(out, "ExecStartPre=-+");
		for (size_t j = 0; j < p.items[i].words.count; j++)
			buf_printf(out, "%s%s", j ? " " : "", p.items[i].words.items[j]);
		buf_text(out, "\n");
	}
}

static void setup_plan_say_when(const struct setup_facts *f, struct setup_steps *p)
{
	if (f->is_elsewhere)
		return;
	setup_steps_add(
		p, SETUP_SAY,
		f->has_systemd
			? own_printf("it holds from the next boot on, or at once with: "
				     "systemctl restart user@%u.service (which ends what %s runs)",
				     f->uid, f->user)
			: own_printf("systemd is not running here: what makes the groups again at "
				     "a boot is \"glovebox setup user %s\"",
				     f->user));
}

static void setup_plan_give(const struct setup_facts *f, struct setup_steps *p)
{
	auto_buf struct buf content = {0};

	setup_plan_begin(f, &content);
	buf_text(&content, "[Service]\nDelegate=yes\n");
	if (f->layout == SETUP_V1)
		setup_plan_make_groups_later(f, &content);
	setup_plan_write(f, &content, p);
	setup_plan_remove_tmpfiles(f, p);
	setup_plan_give_subids(f, p);
	setup_plan_take_old_groups(f, p);
	if (f->has_systemd)
		setup_plan_remove_groups(f, f->old_groups & ~CPUSET, "", p);
	else
		setup_plan_make_groups(f, false, p);
	setup_plan_reload(f, false, p);
	if (f->has_systemd)
		setup_plan_give_linger(f, p);
	setup_plan_say_when(f, p);
}

static void setup_plan_allow_building(const struct setup_facts *f, struct setup_steps *p)
{
	if (!f->has_uidmap && f->has_apt) {
		RUN(f, p, "apt-get", "-qq", "update")->optional = true;
		/* It may upgrade others: they are listed before. */
		RUN(f, p, "apt-get", "-qq", "--simulate", "install", "uidmap")->optional = true;
		RUN(f, p, "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", "install", "--yes", "uidmap")
			->optional = true;
	} else if (!f->has_uidmap) {
		setup_steps_add(p, SETUP_SAY,
				own_strdup("building images needs newuidmap and newgidmap, which a "
					   "package of this system has"));
	}
}

/* -- undoing --------------------------------------------------------------------------------- */

/* What remains until the ids are taken back is a file that only tells of them. */
static void setup_plan_undo_subids(const struct setup_facts *f, uint32_t first,
				   struct setup_steps *p)
{
	auto_buf struct buf content = {0};
	struct setup_step *step;

	buf_printf(&content, SETUP_MARK " %s; \"--undo\" takes it back.\n", f->user);
	setup_plan_note_subids(first, &content);
	setup_plan_write(f, &content, p);
	setup_plan_remove_tmpfiles(f, p);
	step = setup_plan_subids(f, first, false, p);
	step->text = own_printf("when nothing of %s's runs any more, --undo takes the ids back",
				f->user);
}

/* Groups in a slice end with the user's own systemd. */
static void setup_plan_undo_groups(const struct setup_facts *f, struct setup_steps *p)
{
	const unsigned made = f->has_systemd ? CPUSET : ALL;

	setup_plan_take_old_groups(f, p);
	setup_plan_remove_groups(f, made & ~f->old_groups, "/" CGROUP_GIVEN_USER, p);
	setup_plan_remove_groups(f, made | f->old_groups, "", p);
}

static void setup_plan_undo(const struct setup_facts *f, struct setup_steps *p)
{
	const uint32_t first = setup_plan_noted_subids(f);

	if (!f->former[SETUP_TMPFILES] && !f->former[SETUP_DROP_IN])
		return;
	if (setup_plan_noted_linger(f))
		setup_plan_linger(f, false, p);
	if (f->layout == SETUP_V1)
		setup_plan_undo_groups(f, p);
	if (first)
		setup_plan_undo_subids(f, first, p);
	else
		setup_plan_remove_tmpfiles(f, p);
	if (first || f->former[SETUP_DROP_IN])
		setup_steps_add(p, SETUP_REMOVE, setup_plan_path(SETUP_DROP_IN, f->uid));
	setup_plan_reload(f, true, p);
}

/* -- all of it ------------------------------------------------------------------------------- */

int setup_plan_make(const struct setup_facts *f, bool undo, struct setup_steps *out, struct err *e)
{
	*out = (struct setup_steps){0};
	if (undo) {
		setup_plan_undo(f, out);
		return 0;
	}
	if (f->uid == 0)
		return err_input(e, "root needs no setup: it has every limit already");
	if (f->layout == SETUP_NO_CGROUPS)
		return err_set(
			e, ERR_UNSUPPORTED,
			"no control groups are mounted on /sys/fs/cgroup, so there is nothing "
			"to give");
	if (f->layout == SETUP_V2 && !f->has_systemd)
		return err_set(e, ERR_UNSUPPORTED,
			       "on cgroup v2 only an init that knows users can give groups "
			       "to them, and systemd is not running here: run glovebox as "
			       "root, or below a group that somebody delegates to you");
	setup_plan_give(f, out);
	setup_plan_allow_building(f, out);
	return 0;
}
