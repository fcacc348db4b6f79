/*
 * test_setup_plan - what `glovebox setup user` would do, step by step.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/setup_plan.h"

#define DROP_IN  "/etc/systemd/system/user@1001.service.d/glovebox.conf"
#define TMPFILES "/etc/tmpfiles.d/glovebox-user-1001.conf"
#define DELEGATE "[Service]\nDelegate=yes\n"
#define ACCOUNT  "MemoryAccounting=yes\nTasksAccounting=yes\nCPUAccounting=yes\n"
#define OLD_TOP  "/sys/fs/cgroup/memory/glovebox-1001"
#define CPUSET   "/sys/fs/cgroup/cpuset"
#define SLICE    "/sys/fs/cgroup/memory/user.slice/user-1001.slice/user@1001.service/glovebox/user"
#define HOLDS                                                                                      \
	"say it holds from the next boot on, or at once with: systemctl restart "                  \
	"user@1001.service (which ends what ada runs)\n"
#define NOTES  "# subordinate ids: 165536-231071\n# lingering\n"
#define OF_ADA "bob:100000:65536\nada:165536:65536\n"
#define MARK   SETUP_MARK " ada; \"--undo\" takes it back.\n"

static struct setup_facts facts(enum setup_layout layout)
{
	return (struct setup_facts){
		.user = "ada",
		.uid = 1001,
		.gid = 1002,
		.layout = layout,
		.hierarchies = 0x3f,
		.has_systemd = true,
		.has_apt = true,
		.has_uidmap = true,
		.has_subids = true,
		.lingers = true,
		.free_subid = 165536,
		.subids = {"bob:100000:65536\n", ""}
        };
}

/* The steps as text, without what people get to see of a file. */
static const char *plan(const struct setup_facts *f, bool undo)
{
	static char text[4096];
	auto_setup_steps struct setup_steps p = {0};
	struct err e;

	if (setup_plan_make(f, undo, &p, &e))
		return strcpy(text, e.text);
	*text = '\0';
	for (size_t i = 0; i < p.count; i++) {
		const struct setup_step *s = &p.items[i];
		char *end = text + strlen(text);

		const bool is_command = s->kind == SETUP_RUN || s->kind == SETUP_LATER;

		end += sprintf(end, "%s%s%s", s->optional ? "?" : "",
			       s->kind == SETUP_WRITE    ? "write "
			       : s->kind == SETUP_RECORD ? "record "
			       : s->kind == SETUP_LATER  ? "later"
			       : s->kind == SETUP_REMOVE ? "remove "
			       : s->kind == SETUP_SAY    ? "say "
							 : "run",
			       s->text && !is_command ? s->text : "");
		for (size_t j = 0; j < s->words.count && is_command; j++)
			end += sprintf(end, " %s", s->words.items[j]);
		sprintf(end, "\n%s", s->content ? s->content : "");
	}
	return text;
}

static void test_v2_delegates_everything(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	assert_string_equal(plan(&f, false), "write " DROP_IN "\n" MARK DELEGATE
					     "run systemctl daemon-reload\n" HOLDS);
}

static void test_what_is_missing_is_added_and_noted(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.lingers = f.has_subids = f.has_uidmap = false;
	assert_string_equal(plan(&f, false),
			    "write " DROP_IN "\n" MARK DELEGATE
			    "?run usermod --add-subuids 165536-231071 --add-subgids 165536-231071 "
			    "ada\n"
			    "record " DROP_IN
			    "\n# subordinate ids: 165536-231071\n"
			    "run systemctl daemon-reload\n"
			    "run loginctl enable-linger ada\n"
			    "record " DROP_IN "\n# lingering\n" HOLDS
			    "?run apt-get -qq update\n"
			    "?run apt-get -qq --simulate install uidmap\n"
			    "?run apt-get -qq -o Dpkg::Use-Pty=0 install --yes uidmap\n");
}

static void test_doing_it_again_keeps_the_notes_that_hold(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.former[SETUP_DROP_IN] = MARK "[Service]\n" NOTES;
	f.subids[1] = OF_ADA;
	assert_non_null(strstr(plan(&f, false), MARK NOTES "[Service]\n"));
	f.subids[1] = "";
	f.lingers = false;
	assert_non_null(strstr(plan(&f, false), MARK "[Service]\n"));
}

static void test_v1_makes_groups_in_the_slice_whenever_it_begins(void **state)
{
	struct setup_facts f = facts(SETUP_V1);

	(void)state;
	f.hierarchies = 1;
	assert_string_equal(plan(&f, false),
			    "write " DROP_IN "\n" MARK DELEGATE ACCOUNT
			    "ExecStartPre=-+mkdir -p -m 711 " SLICE
			    "\n"
			    "ExecStartPre=-+chown 1001:1002 " SLICE " " SLICE "/tasks " SLICE
			    "/cgroup.procs\n"
			    "run systemctl daemon-reload\n" HOLDS);
}

static void test_v1_without_systemd_makes_them_now_and_says_so(void **state)
{
	struct setup_facts f = facts(SETUP_V1);
	const char *text;

	(void)state;
	f.hierarchies = 1 << 4;
	f.has_systemd = false;
	text = plan(&f, false);
	assert_non_null(strstr(text, "run mkdir -p -m 711 " CPUSET "/glovebox-1001/user\n"
				     "run chown 1001:1002 " CPUSET "/glovebox-1001/user " CPUSET
				     "/glovebox-1001/user/tasks " CPUSET
				     "/glovebox-1001/user/cgroup.procs\n"
				     "run cp " CPUSET "/cpuset.cpus " CPUSET "/cpuset.mems " CPUSET
				     "/glovebox-1001\n"
				     "run cp " CPUSET "/glovebox-1001/cpuset.cpus " CPUSET
				     "/glovebox-1001/cpuset.mems " CPUSET "/glovebox-1001/user\n"));
	assert_non_null(strstr(text, "again at a boot is \"glovebox setup user ada\""));
	assert_null(strstr(text, "daemon-reload"));
}

static void test_what_an_earlier_glovebox_gave_is_taken_back(void **state)
{
	struct setup_facts f = facts(SETUP_V1);
	const char *text;

	(void)state;
	f.hierarchies = f.old_groups = 1;
	f.former[SETUP_TMPFILES] = MARK NOTES;
	f.subids[0] = OF_ADA;
	text = plan(&f, false);
	assert_non_null(strstr(text, "write " DROP_IN "\n" MARK NOTES DELEGATE));
	assert_non_null(strstr(text, "remove " TMPFILES "\n"
				     "run chown -R 0:0 " OLD_TOP "\n"
				     "?run rmdir " OLD_TOP "\n"));
	f.has_systemd = false;
	assert_non_null(strstr(plan(&f, false), "run chown -R 0:0 " OLD_TOP "\n"
						"run mkdir -p -m 711 " OLD_TOP "/user\n"));
}

static void test_undo_takes_back_what_was_noted(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.former[SETUP_DROP_IN] = MARK "[Service]\n" NOTES;
	f.subids[0] = OF_ADA;
	assert_string_equal(plan(&f, true),
			    "run loginctl disable-linger ada\n"
			    "write " DROP_IN "\n" MARK
			    "# subordinate ids: 165536-231071\n"
			    "run usermod --del-subuids 165536-231071 --del-subgids 165536-231071 "
			    "ada\n"
			    "remove " DROP_IN "\n?run systemctl daemon-reload\n");
	f.former[SETUP_DROP_IN] = MARK "[Service]\n";
	assert_string_equal(plan(&f, true), "remove " DROP_IN "\n?run systemctl daemon-reload\n");
}

static void test_undo_takes_nothing_that_is_gone_or_of_others(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.lingers = false;
	f.former[SETUP_DROP_IN] = MARK "[Service]\n" NOTES;
	f.subids[0] = "eve:165536:65536\nada:165536:65537\n";
	assert_string_equal(plan(&f, true), "remove " DROP_IN "\n?run systemctl daemon-reload\n");
}

static void test_of_a_system_elsewhere_nothing_is_run_or_recorded(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.lingers = f.has_subids = false;
	f.is_elsewhere = true;
	assert_string_equal(
		plan(&f, false),
		"write " DROP_IN "\n" MARK DELEGATE
		"?later usermod --add-subuids 165536-231071 --add-subgids 165536-231071 "
		"ada\n"
		"later loginctl enable-linger ada\n");
	f.layout = SETUP_V1;
	f.hierarchies = f.old_groups = 1;
	f.has_subids = f.lingers = true;
	assert_string_equal(plan(&f, false), "write " DROP_IN "\n" MARK DELEGATE ACCOUNT
					     "ExecStartPre=-+mkdir -p -m 711 " SLICE
					     "\n"
					     "ExecStartPre=-+chown 1001:1002 " SLICE " " SLICE
					     "/tasks " SLICE "/cgroup.procs\n");
}

static void test_undo_of_v1(void **state)
{
	struct setup_facts f = facts(SETUP_V1);

	(void)state;
	f.hierarchies = 1 | 1 << 4;
	f.former[SETUP_DROP_IN] = MARK;
	assert_string_equal(plan(&f, true), "?run rmdir " CPUSET
					    "/glovebox-1001/user\n"
					    "?run rmdir " CPUSET
					    "/glovebox-1001\n"
					    "remove " DROP_IN "\n?run systemctl daemon-reload\n");
	f.hierarchies = 1;
	f.has_systemd = false;
	assert_string_equal(plan(&f, true), "?run rmdir " OLD_TOP
					    "/user\n"
					    "?run rmdir " OLD_TOP
					    "\n"
					    "remove " DROP_IN "\n");
	f.former[SETUP_DROP_IN] = NULL;
	f.former[SETUP_TMPFILES] = MARK;
	f.old_groups = 1;
	assert_string_equal(plan(&f, true), "run chown -R 0:0 " OLD_TOP
					    "\n"
					    "?run rmdir " OLD_TOP
					    "\n"
					    "remove " TMPFILES "\n");
	f.former[SETUP_TMPFILES] = NULL;
	assert_string_equal(plan(&f, true), "");
}

/* What an earlier glovebox wrote tells of the ids: it goes when the new file tells of them. */
static void test_undo_of_what_both_files_tell(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.former[SETUP_TMPFILES] = f.former[SETUP_DROP_IN] = MARK NOTES;
	f.subids[0] = OF_ADA;
	assert_string_equal(plan(&f, true),
			    "run loginctl disable-linger ada\n"
			    "write " DROP_IN "\n" MARK
			    "# subordinate ids: 165536-231071\n"
			    "remove " TMPFILES
			    "\n"
			    "run usermod --del-subuids 165536-231071 --del-subgids 165536-231071 "
			    "ada\n"
			    "remove " DROP_IN "\n?run systemctl daemon-reload\n");
}

static void test_where_nothing_can_be_given(void **state)
{
	struct setup_facts f = facts(SETUP_V2);

	(void)state;
	f.has_systemd = false;
	assert_non_null(strstr(plan(&f, false), "systemd is not running here"));
	f.layout = SETUP_NO_CGROUPS;
	assert_non_null(strstr(plan(&f, false), "no control groups are mounted"));
	f.uid = 0;
	assert_non_null(strstr(plan(&f, false), "root needs no setup"));
}

/* -- a machine of which any step may fail ------------------------------------------------------ */

struct machine {
	char file[8192]; /* empty: there is none */
	bool lingers;
	bool has_ids;
	unsigned steps;  /* made so far */
	unsigned broken; /* this one fails */
};

static int act(const struct setup_step *s, void *context, struct err *e)
{
	struct machine *m = context;
	const unsigned step = ++m->steps;
	const char *verb = s->words.count > 1 ? s->words.items[1] : "";

	if (step == m->broken)
		return err_set(e, ERR_SYSTEM, "step %u", step);
	if (s->kind == SETUP_WRITE)
		snprintf(m->file, sizeof(m->file), "%s", s->content);
	else if (s->kind == SETUP_RECORD)
		strcat(m->file, s->content);
	else if (s->kind == SETUP_REMOVE)
		*m->file = '\0';
	else if (strstr(verb, "-linger"))
		m->lingers = *verb == 'e';
	else if (strstr(verb, "-subuids"))
		m->has_ids = verb[2] == 'a';
	return 0;
}

/* Returns how many steps it made. */
static unsigned set_up(struct machine *m, enum setup_layout layout, bool undo, unsigned broken)
{
	struct setup_facts f = facts(layout);
	auto_setup_steps struct setup_steps p = {0};
	struct err e;

	f.lingers = m->lingers;
	f.has_subids = m->has_ids;
	f.subids[0] = f.subids[1] = m->has_ids ? OF_ADA : "";
	f.former[SETUP_DROP_IN] = *m->file ? m->file : NULL;
	m->steps = 0;
	m->broken = broken;
	assert_int_equal(setup_plan_make(&f, undo, &p, &e), 0);
	setup_steps_carry_out(&p, act, m, &e);
	return m->steps;
}

/* What it was before: nothing, or all of it by somebody else's hand. */
static void assert_is_as_before(const struct machine *m, bool had)
{
	assert_string_equal(m->file, "");
	assert_int_equal(m->lingers, had);
	assert_int_equal(m->has_ids, had);
}

static void test_undo_is_right_after_a_failure_at_any_step(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		const enum setup_layout layout = i & 1 ? SETUP_V2 : SETUP_V1;
		const bool had = i & 2;
		unsigned broken = 0;
		unsigned steps;

		do {
			struct machine m = {.lingers = had, .has_ids = had};

			steps = set_up(&m, layout, false, ++broken);
			set_up(&m, layout, true, 0);
			assert_is_as_before(&m, had);
		} while (broken <= steps);
	}
}

static void test_what_failed_and_somebody_did_then_is_not_taken_back(void **state)
{
	unsigned broken = 0;
	unsigned steps;

	(void)state;
	do {
		struct machine m = {0};
		bool failed;

		steps = set_up(&m, SETUP_V2, false, ++broken);
		failed = !m.has_ids;
		m.has_ids = true;
		set_up(&m, SETUP_V2, true, 0);
		assert_int_equal(m.has_ids, failed);
	} while (broken <= steps);
}

static void test_undo_that_failed_at_any_step_is_done_again(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		const enum setup_layout layout = i ? SETUP_V2 : SETUP_V1;
		unsigned broken = 0;
		unsigned steps;

		do {
			struct machine m = {0};

			set_up(&m, layout, false, 0);
			steps = set_up(&m, layout, true, ++broken);
			set_up(&m, layout, true, 0);
			assert_is_as_before(&m, false);
		} while (broken <= steps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v2_delegates_everything),
		cmocka_unit_test(test_what_is_missing_is_added_and_noted),
		cmocka_unit_test(test_doing_it_again_keeps_the_notes_that_hold),
		cmocka_unit_test(test_v1_makes_groups_in_the_slice_whenever_it_begins),
		cmocka_unit_test(test_v1_without_systemd_makes_them_now_and_says_so),
		cmocka_unit_test(test_what_an_earlier_glovebox_gave_is_taken_back),
		cmocka_unit_test(test_undo_takes_back_what_was_noted),
		cmocka_unit_test(test_undo_takes_nothing_that_is_gone_or_of_others),
		cmocka_unit_test(test_of_a_system_elsewhere_nothing_is_run_or_recorded),
		cmocka_unit_test(test_undo_is_right_after_a_failure_at_any_step),
		cmocka_unit_test(test_what_failed_and_somebody_did_then_is_not_taken_back),
		cmocka_unit_test(test_undo_that_failed_at_any_step_is_done_again),
		cmocka_unit_test(test_undo_of_v1),
		cmocka_unit_test(test_undo_of_what_both_files_tell),
		cmocka_unit_test(test_where_nothing_can_be_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
