/*
 * setup_plan - plan root's steps so that an ordinary user has limits and can build images, as data.
 */
#include "admin/setup_plan.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "cgroup/cgroup_given.h"
#include "namespace/subid_file.h"

#define ALL    (~0u)
#define CPUSET (1u << CGROUP_CPUSET)

const char *const setup_hierarchies[] = {"memory", "pids",    "cpu", "cpuacct",
					 "cpuset", "freezer", NULL};

/* For each present hierarchy with a bit in `which`: TOP, followed by the suffix. */
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

/* If the system does not run, the command is for the person who starts it. */
static struct setup_step *setup_plan_run(const struct setup_facts *f, struct setup_steps *p,
					 const char *const *words)
{
	return setup_steps_command(p, f->is_elsewhere ? SETUP_LATER : SETUP_RUN, words);
}
#define RUN(facts, plan, ...) setup_plan_run(facts, plan, (const char *const[]){__VA_ARGS__, NULL})
#define BACK(plan, ...)                                                                            \
	setup_steps_command(plan, SETUP_BACK, (const char *const[]){__VA_ARGS__, NULL})

char *setup_plan_path(enum setup_file file, uid_t uid)
{
	return file == SETUP_TMPFILES
		       ? own_printf("/etc/tmpfiles.d/glovebox-user-%u.conf", uid)
		       : own_printf("/etc/systemd/system/user@%u.service.d/glovebox.conf", uid);
}

static void setup_plan_remove_tmpfiles(const struct setup_facts *f, struct setup_steps *p)
{
	if (f->has_tmpfiles)
		setup_steps_add(p, SETUP_REMOVE, setup_plan_path(SETUP_TMPFILES, f->uid));
}

static void setup_plan_subids(const struct setup_facts *f, enum setup_kind kind,
			      struct setup_steps *p)
{
	const bool back = kind == SETUP_BACK;
	auto_free char *range =
		own_printf("%u-%u", f->free_subid, f->free_subid + SUBIDS_COUNT - 1);
	const char *const words[] = {"usermod", back ? "--del-subuids" : "--add-subuids",
				     range,     back ? "--del-subgids" : "--add-subgids",
				     range,     f->user,
				     NULL};

	if (!f->has_subids && f->free_subid)
		setup_steps_command(p, kind, words)->optional = true;
}

static void setup_plan_linger(const struct setup_facts *f, enum setup_kind kind,
			      struct setup_steps *p)
{
	const char *const words[] = {
		"loginctl", kind == SETUP_BACK ? "disable-linger" : "enable-linger", f->user, NULL};

	if (f->has_systemd && !f->lingers)
		setup_steps_command(p, kind, words);
}

/* A cpuset accepts no process before it has CPUs and memory nodes: copy those of its parent. */
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

/*
 * Make the groups of v1. The user gets only the user's directory and the files that move processes
 * into it.
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

/* Take back limits that an earlier glovebox gave to the user with their groups. */
static void setup_plan_take_old_groups(const struct setup_facts *f, struct setup_steps *p)
{
	if (!(f->hierarchies & f->old_groups) || f->is_elsewhere)
		return;
	setup_plan_tops(f, f->old_groups, false, "", &RUN(f, p, "chown", "-R", "0:0")->words);
}

/* Remove groups of an earlier glovebox. A group with processes stays until the next boot. */
static void setup_plan_remove_old_groups(const struct setup_facts *f, struct setup_steps *p)
{
	auto_list struct list groups = {0};

	setup_plan_tops(f, f->old_groups & ~CPUSET, false, "", &groups);
	for (size_t i = 0; i < groups.count && !f->is_elsewhere; i++)
		RUN(f, p, "rmdir", groups.items[i])->optional = true;
}

/* Make the user's groups whenever the user's systemd starts; they end with it. */
static void setup_plan_make_groups_later(const struct setup_facts *f, struct buf *out)
{
	auto_setup_steps struct setup_steps p = {0};

	/* systemd enables no controller for delegation alone if the user's rights are dropped. */
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
	const enum setup_kind run = f->is_elsewhere ? SETUP_LATER : SETUP_RUN;
	auto_buf struct buf content = {0};

	buf_printf(&content, SETUP_MARK " %s.\n[Service]\nDelegate=yes\n", f->user);
	if (f->layout == SETUP_V1)
		setup_plan_make_groups_later(f, &content);
	setup_steps_add(p, SETUP_WRITE, setup_plan_path(SETUP_DROP_IN, f->uid))->content =
		own_strdup(buf_string(&content));
	setup_plan_remove_tmpfiles(f, p);
	setup_plan_subids(f, run, p);
	setup_plan_take_old_groups(f, p);
	if (f->has_systemd)
		setup_plan_remove_old_groups(f, p);
	else
		setup_plan_make_groups(f, false, p);
	if (f->has_systemd && !f->is_elsewhere)
		RUN(f, p, "systemctl", "daemon-reload");
	setup_plan_linger(f, run, p);
	setup_plan_say_when(f, p);
}

static void setup_plan_allow_building(const struct setup_facts *f, struct setup_steps *p)
{
	if (!f->has_uidmap && f->has_apt) {
		RUN(f, p, "apt-get", "-qq", "update")->optional = true;
		/* It may upgrade other packages: list them first. */
		RUN(f, p, "apt-get", "-qq", "--simulate", "install", "uidmap")->optional = true;
		RUN(f, p, "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0", "install", "--yes", "uidmap")
			->optional = true;
	} else if (!f->has_uidmap) {
		setup_steps_add(p, SETUP_SAY,
				own_strdup("building images needs newuidmap and newgidmap, which a "
					   "package of this system has"));
	}
}

/* -- taking it back -------------------------------------------------------------------------- */

/* Groups in a slice end with the user's systemd. */
static void setup_plan_back_groups(const struct setup_facts *f, struct setup_steps *p)
{
	const unsigned made = f->has_systemd ? CPUSET : ALL;
	struct setup_step *step;

	if (f->layout != SETUP_V1 || !(f->hierarchies & made))
		return;
	step = BACK(p, "rmdir");
	setup_plan_tops(f, made, false, "/" CGROUP_GIVEN_USER, &step->words);
	setup_plan_tops(f, made, false, "", &step->words);
}

/* Add the commands that undo these steps: root keeps them, glovebox keeps no record. */
static void setup_plan_say_back(const struct setup_facts *f, struct setup_steps *p)
{
	auto_free char *file = setup_plan_path(SETUP_DROP_IN, f->uid);
	auto_free char *directory = own_strndup(file, (size_t)(strrchr(file, '/') - file));

	setup_plan_linger(f, SETUP_BACK, p);
	setup_plan_back_groups(f, p);
	BACK(p, "rm", "-d", file, directory); /* keeps a directory that contains other files */
	if (f->has_systemd)
		BACK(p, "systemctl", "daemon-reload");
	setup_plan_subids(f, SETUP_BACK,
			  p); /* last: usermod(8) refuses while the user has processes */
}

/* -- all of it ------------------------------------------------------------------------------- */

int setup_plan_make(const struct setup_facts *f, struct setup_steps *out, struct err *e)
{
	*out = (struct setup_steps){0};
	if (f->uid == 0)
		return err_input(e, "root needs no setup: it has every limit already");
	if (f->layout == SETUP_NO_CGROUPS || !f->hierarchies)
		return err_set(
			e, ERR_UNSUPPORTED,
			"no control groups that can be written are mounted on /sys/fs/cgroup, so "
			"there is nothing to give");
	if (f->layout == SETUP_V2 && !f->has_systemd)
		return err_set(e, ERR_UNSUPPORTED,
			       "on cgroup v2 only an init that knows users can give groups "
			       "to them, and systemd is not running here: run glovebox as "
			       "root, or below a group that somebody delegates to you");
	setup_plan_give(f, out);
	setup_plan_allow_building(f, out);
	setup_plan_say_back(f, out);
	return 0;
}
