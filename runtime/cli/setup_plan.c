/*
 * setup_plan - what root does so that an ordinary user has limits and can build images, as data.
 */
#include "cli/setup_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/say.h"
#include "host/subid_file.h"

#define NOTE_SUBIDS "# subordinate ids: "
#define NOTE_LINGER "# lingering"

const char *const setup_hierarchies[] = {"memory", "pids",    "cpu", "cpuacct",
					 "cpuset", "freezer", NULL};

/* The user's group in each hierarchy that there is. */
static void setup_plan_groups(const struct setup_facts *f, struct list *out)
{
	for (unsigned i = 0; setup_hierarchies[i]; i++)
		if (f->hierarchies & (1u << i))
			list_addf(out, "/sys/fs/cgroup/%s/glovebox-%u", setup_hierarchies[i],
				  f->uid);
}

static struct setup_step *setup_plan_add(struct setup_plan *p, enum setup_kind kind, char *text)
{
	p->steps = own_grow(p->steps, p->count, sizeof(*p->steps));
	p->steps[p->count] = (struct setup_step){.kind = kind};
	p->steps[p->count].text = text;
	return &p->steps[p->count++];
}

/* Where nothing runs yet a command is for whoever starts that system. */
static struct setup_step *setup_plan_run(const struct setup_facts *f, struct setup_plan *p,
					 const char *const *words)
{
	struct setup_step *step =
		setup_plan_add(p, f->is_elsewhere ? SETUP_LATER : SETUP_RUN, NULL);

	for (; *words; words++)
		list_add(&step->words, *words);
	return step;
}
#define RUN(facts, plan, ...) setup_plan_run(facts, plan, (const char *const[]){__VA_ARGS__, NULL})

char *setup_plan_path(enum setup_layout layout, uid_t uid)
{
	return layout == SETUP_V1
		       ? own_printf("/etc/tmpfiles.d/glovebox-user-%u.conf", uid)
		       : own_printf("/etc/systemd/system/user@%u.service.d/glovebox.conf", uid);
}

/* -- what the file tells --------------------------------------------------------------------- */

/* The range that a former file of ours tells of, if the user still has it; 0: none. */
static uint32_t setup_plan_noted_subids(const struct setup_facts *f, const char *former)
{
	const char *note = former ? strstr(former, NOTE_SUBIDS) : NULL;
	const uint32_t first = note ? (uint32_t)strtoul(note + strlen(NOTE_SUBIDS), NULL, 10) : 0;
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", f->uid);
	for (int i = 0; i < 2 && first; i++)
		if (subid_file_has(f->subids[i], f->user, uid, first))
			return first;
	return 0;
}

static bool setup_plan_noted_linger(const struct setup_facts *f, const char *former)
{
	return f->lingers && former && strstr(former, NOTE_LINGER);
}

static void setup_plan_note_subids(uint32_t first, struct buf *out)
{
	if (first)
		buf_printf(out, NOTE_SUBIDS "%u-%u\n", first, first + SUBIDS_COUNT - 1);
}

/* How it begins: with what still holds of what a former one tells. */
static void setup_plan_begin(const struct setup_facts *f, const char *former, struct buf *out)
{
	buf_printf(out, SETUP_MARK " %s; \"--undo\" takes it back.\n", f->user);
	setup_plan_note_subids(setup_plan_noted_subids(f, former), out);
	if (setup_plan_noted_linger(f, former))
		buf_text(out, NOTE_LINGER "\n");
}

static void setup_plan_write(const struct setup_facts *f, enum setup_layout layout,
			     const struct buf *content, struct setup_plan *p)
{
	struct setup_step *step = setup_plan_add(p, SETUP_WRITE, setup_plan_path(layout, f->uid));

	step->content = own_strdup(buf_string(content));
}

/* A step that would take back the one before becomes the record of that one. */
static void setup_plan_record(const struct setup_facts *f, struct setup_step *back,
			      const char *line)
{
	back->kind = SETUP_RECORD;
	back->follows = true;
	back->text = setup_plan_path(f->layout, f->uid);
	back->content = own_strdup(line);
}

/* -- commands that come in pairs ------------------------------------------------------------- */

static struct setup_step *setup_plan_subids(const struct setup_facts *f, uint32_t first, bool give,
					    struct setup_plan *p)
{
	auto_free char *range = own_printf("%u-%u", first, first + SUBIDS_COUNT - 1);

	return RUN(f, p, "usermod", give ? "--add-subuids" : "--del-subuids", range,
		   give ? "--add-subgids" : "--del-subgids", range, f->user);
}

static struct setup_step *setup_plan_linger(const struct setup_facts *f, bool give,
					    struct setup_plan *p)
{
	return RUN(f, p, "loginctl", give ? "enable-linger" : "disable-linger", f->user);
}

static void setup_plan_reload(const struct setup_facts *f, bool optional, struct setup_plan *p)
{
	if (!f->is_elsewhere)
		RUN(f, p, "systemctl", "daemon-reload")->optional = optional;
}

/* -- doing ----------------------------------------------------------------------------------- */

/* Before anything runs for the user: who is busy cannot be taken ids from (usermod(8)). */
static void setup_plan_give_subids(const struct setup_facts *f, struct setup_plan *p)
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

static void setup_plan_give_linger(const struct setup_facts *f, struct setup_plan *p)
{
	if (f->lingers)
		return;
	setup_plan_linger(f, true, p);
	if (!f->is_elsewhere)
		setup_plan_record(f, setup_plan_linger(f, false, p), NOTE_LINGER "\n");
}

static void setup_plan_delegate(const struct setup_facts *f, struct setup_plan *p)
{
	auto_buf struct buf content = {0};

	setup_plan_begin(f, f->former[1], &content);
	buf_text(&content, "[Service]\nDelegate=yes\n");
	setup_plan_write(f, SETUP_V2, &content, p);
	setup_plan_give_subids(f, p);
	setup_plan_reload(f, false, p);
	setup_plan_give_linger(f, p);
	if (!f->is_elsewhere)
		setup_plan_add(p, SETUP_SAY,
			       own_printf("it holds from the next boot on, or at once with: "
					  "systemctl restart user@%u.service (which ends what %s "
					  "runs)",
					  f->uid, f->user));
}

static void setup_plan_make_groups(const struct setup_facts *f, struct setup_plan *p)
{
	struct setup_step *give;

	setup_plan_groups(f, &RUN(f, p, "mkdir", "-p")->words);
	give = RUN(f, p, "chown", "-R");
	list_addf(&give->words, "%u:%u", f->uid, f->gid);
	setup_plan_groups(f, &give->words);
}

static void setup_plan_give_groups(const struct setup_facts *f, struct setup_plan *p)
{
	auto_buf struct buf content = {0};
	auto_free char *path = setup_plan_path(SETUP_V1, f->uid);
	auto_list struct list groups = {0};

	setup_plan_begin(f, f->former[0], &content);
	setup_plan_groups(f, &groups);
	for (size_t i = 0; i < groups.count; i++) {
		const char *group = groups.items[i];

		buf_printf(&content, "d %s 0711 %u %u -\n", group, f->uid, f->gid);
		buf_printf(&content, "Z %s - %u %u -\n", group, f->uid, f->gid);
	}
	setup_plan_write(f, SETUP_V1, &content, p);
	setup_plan_give_subids(f, p);
	if (f->has_tmpfiles && !f->is_elsewhere)
		RUN(f, p, "systemd-tmpfiles", "--create", path);
	if (f->has_tmpfiles)
		return;
	setup_plan_make_groups(f, p);
	setup_plan_add(
		p, SETUP_SAY,
		own_printf("there is no systemd-tmpfiles here: what makes the groups again at "
			   "a boot is \"glovebox setup user %s\"",
			   f->user));
}

static void setup_plan_allow_building(const struct setup_facts *f, struct setup_plan *p)
{
	if (!f->has_uidmap && f->has_apt) {
		RUN(f, p, "apt-get", "-qq", "update")->optional = true;
		RUN(f, p, "apt-get", "-qq", "install", "--yes", "uidmap")->optional = true;
	} else if (!f->has_uidmap) {
		setup_plan_add(p, SETUP_SAY,
			       own_strdup("building images needs newuidmap and newgidmap, which a "
					  "package of this system has"));
	}
}

/* -- undoing --------------------------------------------------------------------------------- */

/* What remains until the ids are taken back is a file that only tells of them. */
static void setup_plan_undo_subids(const struct setup_facts *f, enum setup_layout layout,
				   uint32_t first, struct setup_plan *p)
{
	auto_buf struct buf content = {0};
	struct setup_step *step;

	buf_printf(&content, SETUP_MARK " %s; \"--undo\" takes it back.\n", f->user);
	setup_plan_note_subids(first, &content);
	setup_plan_write(f, layout, &content, p);
	step = setup_plan_subids(f, first, false, p);
	step->text = own_printf("when nothing of %s's runs any more, --undo takes the ids back",
				f->user);
}

static void setup_plan_undo_file(const struct setup_facts *f, enum setup_layout layout,
				 struct setup_plan *p)
{
	const char *former = f->former[layout == SETUP_V2];
	const uint32_t first = setup_plan_noted_subids(f, former);
	auto_list struct list groups = {0};

	if (setup_plan_noted_linger(f, former))
		setup_plan_linger(f, false, p);
	/* One in which something runs stays until the next boot. */
	setup_plan_groups(f, &groups);
	for (size_t i = 0; i < groups.count && layout == SETUP_V1 && !f->is_elsewhere; i++)
		RUN(f, p, "rmdir", groups.items[i])->optional = true;
	if (first)
		setup_plan_undo_subids(f, layout, first, p);
	setup_plan_add(p, SETUP_REMOVE, setup_plan_path(layout, f->uid));
	if (layout == SETUP_V2)
		setup_plan_reload(f, true, p);
}

/* -- all of it ------------------------------------------------------------------------------- */

int setup_plan_make(const struct setup_facts *f, bool undo, struct setup_plan *out, struct err *e)
{
	*out = (struct setup_plan){0};
	for (int i = 0; i < 2 && undo; i++)
		if (f->former[i])
			setup_plan_undo_file(f, i ? SETUP_V2 : SETUP_V1, out);
	if (undo)
		return 0;
	if (f->uid == 0)
		return err_input(e, "root needs no setup: it has every limit already");
	switch (f->layout) {
	case SETUP_NO_CGROUPS:
		return err_set(
			e, ERR_UNSUPPORTED,
			"no control groups are mounted on /sys/fs/cgroup, so there is nothing "
			"to give");
	case SETUP_V1:
		setup_plan_give_groups(f, out);
		break;
	case SETUP_V2:
		if (!f->has_systemd)
			return err_set(e, ERR_UNSUPPORTED,
				       "on cgroup v2 only an init that knows users can give groups "
				       "to them, and systemd is not running here: run glovebox as "
				       "root, or below a group that somebody delegates to you");
		setup_plan_delegate(f, out);
		break;
	}
	setup_plan_allow_building(f, out);
	return 0;
}

static void setup_plan_take_back(const struct setup_step *record, setup_act act, void *context)
{
	const struct setup_step back = {.kind = SETUP_RUN, .words = record->words};
	struct err e;

	if (act(&back, context, &e))
		say_error(&e);
}

int setup_plan_carry_out(const struct setup_plan *p, setup_act act, void *context, struct err *e)
{
	bool done = true;

	for (size_t i = 0; i < p->count; i++) {
		const struct setup_step *step = &p->steps[i];

		if (step->follows && !done)
			continue;
		done = !act(step, context, e);
		if (done)
			continue;
		if (step->kind == SETUP_RECORD)
			setup_plan_take_back(step, act, context);
		if (!step->optional)
			return -1;
		say_error(e);
	}
	return 0;
}

void setup_plan_fini(struct setup_plan *p)
{
	for (size_t i = 0; i < p->count; i++) {
		free(p->steps[i].text);
		free(p->steps[i].content);
		list_fini(&p->steps[i].words);
	}
	free(p->steps);
	*p = (struct setup_plan){0};
}

static void setup_plan_print_content(const char *content, struct buf *out)
{
	for (const char *line = content; *line;) {
		int length = (int)strcspn(line, "\n");

		buf_printf(out, "            %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
}

void setup_plan_print(const struct setup_plan *p, struct buf *out)
{
	static const char *const verbs[] = {"write", "record", "remove", "run", "later", "note"};

	for (size_t i = 0; i < p->count; i++) {
		const struct setup_step *step = &p->steps[i];

		const bool is_command = step->kind == SETUP_RUN || step->kind == SETUP_LATER;

		buf_printf(out, "    %-7s", verbs[step->kind]);
		if (!is_command)
			buf_printf(out, " %s", step->text);
		for (size_t j = 0; j < step->words.count && is_command; j++)
			buf_printf(out, " %s", step->words.items[j]);
		buf_text(out, "\n");
		if (step->content)
			setup_plan_print_content(step->content, out);
	}
}
